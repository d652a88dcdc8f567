"""Playouts: random games that evaluate positions without a network."""

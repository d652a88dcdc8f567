"""Boards as real pictures, in terminals that speak the kitty graphics protocol."""

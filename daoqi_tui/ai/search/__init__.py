"""Tree search by PUCT with a network."""

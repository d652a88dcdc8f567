"""SGF: parsing, building games, writing, and the meaning of its properties."""

"""SGF: parsing, building games, writing, and what its properties mean."""

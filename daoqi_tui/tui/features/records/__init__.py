"""Records: opening, saving and exporting games, and the library."""

"""What leads to a game: the welcome screen, the form of a new game, and the first lesson."""

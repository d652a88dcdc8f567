"""The screens: the game, and what is laid over it."""

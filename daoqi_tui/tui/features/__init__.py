"""The features of the game screen, each with its commands, what it draws over the board, and its panes."""

"""The openings: their counts over the board, their pane, and the list of all of them."""

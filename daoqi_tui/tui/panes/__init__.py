"""The panes beside the board."""

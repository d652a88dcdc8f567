"""The 3-D torus: on the whole screen, and in a pane."""

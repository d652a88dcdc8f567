"""The full-screen terminal program: the only layer that imports Textual."""

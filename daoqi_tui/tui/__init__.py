"""The terminal program: the only room that knows Textual."""

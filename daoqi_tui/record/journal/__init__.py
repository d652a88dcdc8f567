"""Autosave: journals that keep every change of a game on disk as it happens."""

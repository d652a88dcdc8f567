"""Colours: board themes, app themes, and reduced palettes."""

"""The board widget: viewport, glyphs, painting, and the mouse."""

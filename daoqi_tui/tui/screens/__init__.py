"""The screens over the game: dialogs, lists and pages."""

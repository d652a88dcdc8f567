"""The commands of the program as data: names, keys, labels, help, groups and search words, without their functions.

Keys, menu, help, settings and docs are generated from :data:`COMMANDS`; a face registers a function for each name. What
is typed in text mode is in :mod:`daoqi_tui.commands.text`.
"""

from daoqi_tui.commands.screen import BY_NAME, COMMANDS

__all__ = ["BY_NAME", "COMMANDS"]

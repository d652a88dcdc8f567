"""Daoqi (道棋), the game of Go on a torus: rules engine and full-screen terminal program.

Start reading at :mod:`daoqi_tui.engine` for the rules and at :mod:`daoqi_tui.tui.app` for the screen.
"""

__version__ = "1.0.0"

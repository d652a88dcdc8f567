"""Analysis of positions: ladders, captures, problems, openings up to symmetry, influence.

Start with :mod:`~daoqi_tui.analysis.ladder` and :mod:`~daoqi_tui.analysis.symmetry`. Nothing is imported here,
so that a program pays for numpy only when it uses a module that needs it.
"""

"""Openings up to symmetry, problems, influence.

Nothing is imported here, so that a program pays for numpy only when it uses a module that needs it.
"""

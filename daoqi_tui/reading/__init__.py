"""Exact reading of positions: ladders, captures, what is certain, the last eyes, symmetries.

Nothing is imported here, so that a program pays for numpy only when it uses a module that needs it.
"""

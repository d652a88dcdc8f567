"""Generates problems with proved answers."""

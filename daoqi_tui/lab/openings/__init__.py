"""Evaluates the openings with a network, and estimates the fair komi."""

"""The program as a GTP engine."""

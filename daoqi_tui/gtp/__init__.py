"""The Go Text Protocol (GTP): the program as an engine, any engine as a player, and matches between players.

GTP 2 is specified at https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html.
"""

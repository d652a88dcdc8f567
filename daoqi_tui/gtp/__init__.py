"""The Go Text Protocol both ways: we as an engine, any engine as a player, and matches between engines.

GTP 2 is specified at https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html.
"""

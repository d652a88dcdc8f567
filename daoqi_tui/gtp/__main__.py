"""Run the program as a GTP engine: ``python -m daoqi_tui.gtp`` is short for ``python -m daoqi_tui gtp``."""

import sys

from daoqi_tui.cli.main import main

if __name__ == "__main__":
    main(["gtp", *sys.argv[1:]])

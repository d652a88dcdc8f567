"""Run the program with ``python -m daoqi_tui``."""

from daoqi_tui.cli.main import main

if __name__ == "__main__":
    main()

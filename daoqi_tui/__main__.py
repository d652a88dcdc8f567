"""The program: what ``daoqi-tui`` and ``python -m daoqi_tui`` run."""

import gc

# What modules make lives on: while they are imported, garbage is looked for in vain. A command collects it again.
gc.disable()

from daoqi_tui.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()

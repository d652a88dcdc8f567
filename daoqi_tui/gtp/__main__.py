"""``python -m daoqi_tui.gtp``: the engine alone, without the command line's other rooms."""

from __future__ import annotations

import argparse
import sys

from daoqi_tui.gtp.server import ServeOptions, serve
from daoqi_tui.standard_streams import StreamError


def main() -> int:
    """Serve as the arguments say."""
    usual = ServeOptions()
    parser = argparse.ArgumentParser(prog="python -m daoqi_tui.gtp", description="Daoqi as a GTP engine.")
    parser.add_argument("--size", type=int, default=usual.size)
    parser.add_argument("--komi", type=float, default=usual.komi)
    parser.add_argument("--level", type=int, default=usual.level)
    parser.add_argument("--time", type=float, default=usual.time)
    parser.add_argument("--net", default=usual.net)
    options = parser.parse_args()
    try:
        return serve(ServeOptions(options.size, options.komi, options.level, options.time, net=options.net))
    except ValueError as error:
        parser.error(str(error))
    except StreamError as error:
        print(error, file=sys.stderr)  # noqa: T201 - an engine's standard error is its log
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())

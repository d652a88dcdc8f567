"""``config``: the settings file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from daoqi_tui.cli_streams import write_text
from daoqi_tui.i18n import _

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers
    from daoqi_tui.config import Config


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``config``."""
    parser = subparsers.add_parser(
        "config",
        help=_("show or make the settings file"),
        description=_(
            "Show the settings as they are, say where the file is, or write one with every setting explained."
        ),
        epilog=_("Example: {example}").format(example="daoqi-tui config --init"),
    )
    deed = parser.add_mutually_exclusive_group()
    deed.add_argument("--init", action="store_true", help=_("write a file with every setting explained"))
    deed.add_argument("--path", action="store_true", help=_("print where the file is"))
    deed.add_argument("--show", action="store_true", help=_("print all settings; this is what happens without options"))
    parser.add_argument("--force", action="store_true", help=_("with --init: replace the file, keeping what it sets"))
    parser.set_defaults(run=_config)


def load_with_keys() -> Config:
    """Read the settings, the keys of commands included."""
    from daoqi_tui.config import load_config  # noqa: PLC0415
    from daoqi_tui.tui.commands import COMMANDS  # noqa: PLC0415

    return load_config(command.name for command in COMMANDS)


def _config(options: argparse.Namespace) -> int:
    from daoqi_tui.cli import UsageError  # noqa: PLC0415 (it imports this module)
    from daoqi_tui.config import config_path  # noqa: PLC0415

    if options.force and not options.init:
        raise UsageError(_("--force goes with --init"))
    if options.path:
        write_text(f"{config_path()}\n")
        return 0
    config = load_with_keys()
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    if options.init:
        _init(config, force=options.force)
        return 0
    _show(config)
    return 1 if config.problems else 0


def _init(config: Config, *, force: bool) -> None:
    from daoqi_tui.config_text import KeyLine, documented  # noqa: PLC0415
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415
    from daoqi_tui.tui.commands import COMMANDS  # noqa: PLC0415

    if config.path.exists() and not force:
        raise RuntimeError(_("{file} exists: --force replaces it, keeping what it sets").format(file=config.path))
    own = {path: value for path, value in config.values.items() if config.sources[path] == str(config.path)}
    keys = [KeyLine(command.name, command.keys, _(command.help)) for command in COMMANDS]
    try:
        config.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(config.path, documented(own, keys, config.keys).encode())
    except OSError as error:
        raise RuntimeError(
            _("{file} cannot be written: {reason}").format(file=config.path, reason=error.strerror or error)
        ) from error
    write_text(_("Written: {file}").format(file=config.path) + "\n")


def _show(config: Config) -> None:
    from daoqi_tui.config_keys import SETTINGS, toml  # noqa: PLC0415
    from daoqi_tui.tui.commands import COMMANDS  # noqa: PLC0415

    lines = []
    for setting in SETTINGS:
        source = config.sources.get(setting.path)
        lines.append(f"{setting.path} = {toml(config[setting.path])}" + (f"  # {source}" if source else ""))
    for command in COMMANDS:
        source = f"  # {config.path}" if command.name in config.keys else ""
        lines.append(f"keys.{command.name} = {toml(' '.join(config.keys.get(command.name, command.keys)))}{source}")
    write_text("\n".join(lines) + "\n")

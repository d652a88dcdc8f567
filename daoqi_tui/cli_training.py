"""``train``: make a network of one's own."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.cli_streams import write_text
from daoqi_tui.i18n import _

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of the command that trains."""
    train = subparsers.add_parser(
        "train",
        help=_("train a network from a teacher or from nothing"),
        description=_(
            "Train a network in a folder, from a teacher's play or from nothing; go on where it was interrupted. All "
            "settings are in one TOML file, which is kept in the folder."
        ),
        epilog=_("Examples: {examples}").format(
            examples="daoqi-tui train my-net --settings my-net.toml · daoqi-tui train my-net"
        ),
    )
    train.add_argument("folder", type=Path, metavar="DIR", help=_("where everything is kept"))
    train.add_argument("--settings", type=Path, metavar="FILE", help=_("the settings of a new training"))
    train.add_argument("--print-settings", action="store_true", help=_("print all settings as TOML, and do nothing"))
    train.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    from daoqi_tui.training.settings import Settings  # noqa: PLC0415
    from daoqi_tui.training.settings_file import read_settings, toml_of  # noqa: PLC0415

    if options.print_settings:
        write_text(toml_of(read_settings(options.settings) if options.settings else Settings()))
        return 0
    if importlib.util.find_spec("torch") is None:
        raise RuntimeError(_("training needs torch: pip install 'daoqi-tui[train]'"))
    from daoqi_tui.training.run import Training, settings_of  # noqa: PLC0415

    try:
        network = Training(options.folder, settings_of(options.folder, options.settings)).run()
    except KeyboardInterrupt:
        sys.stderr.write(
            _("interrupted; daoqi-tui train {folder} goes on from here").format(folder=options.folder) + "\n"
        )
        return 130
    write_text(_("the network is in {file}").format(file=network) + "\n")
    return 0

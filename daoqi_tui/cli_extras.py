"""``doctor``, ``completion`` and ``man``: what helps with the terminal and the shell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from daoqi_tui.cli_streams import write_text
from daoqi_tui.i18n import _

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about the terminal and the shell."""
    doctor = subparsers.add_parser(
        "doctor",
        help=_("say what the terminal can do"),
        description=_("Say what the terminal can do, and what to set where something looks wrong."),
    )
    doctor.set_defaults(run=_doctor)

    completion = subparsers.add_parser(
        "completion",
        help=_("print completion for a shell"),
        description=_("Print a script that lets a shell complete commands and options."),
        epilog=_("Example: {example}").format(
            example="daoqi-tui completion bash > ~/.local/share/bash-completion/completions/daoqi-tui"
        ),
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help=_("the shell"))
    completion.set_defaults(run=_completion)

    man = subparsers.add_parser(
        "man",
        help=_("print the manual page"),
        description=_("Print the manual page as roff."),
        epilog=_("Example: {example}").format(example="daoqi-tui man | man -l -"),
    )
    man.set_defaults(run=_man)


def _doctor(_options: argparse.Namespace) -> int:
    from daoqi_tui.doctor import examine, report  # noqa: PLC0415

    write_text(report(examine()))
    return 0


def _completion(options: argparse.Namespace) -> int:
    from daoqi_tui.cli import parser_for  # noqa: PLC0415
    from daoqi_tui.completion import completion  # noqa: PLC0415

    write_text(completion(options.shell, parser_for()))
    return 0


def _man(_options: argparse.Namespace) -> int:
    from daoqi_tui.cli import parser_for  # noqa: PLC0415
    from daoqi_tui.manual import manual_page  # noqa: PLC0415

    write_text(manual_page(parser_for()))
    return 0

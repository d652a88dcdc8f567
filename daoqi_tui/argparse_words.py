"""What argparse says on its own, named here so that the catalogues have it; it asks gettext for the translation.

These sentences are Python's, of its versions 3.11 to 3.13.
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.i18n import N_

ARGPARSE_WORDS: Final = (
    N_("usage: "),
    N_("%(prog)s: error: %(message)s\n"),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("show program's version number and exit"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"),
    N_("one of the arguments %s is required"),
    N_("unrecognized arguments: %s"),
    N_("expected one argument"),
    N_("expected at most one argument"),
    N_("expected at least one argument"),
    N_("not allowed with argument %s"),
    N_("ignored explicit argument %r"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("invalid %(type)s value: %(value)r"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("unknown parser %(parser_name)r (choices: %(choices)s)"),
)

"""Checks an engine in a terminal, showing the progress, the table of what passed, and every fault."""

from __future__ import annotations

from collections import Counter
from typing import Final, get_args

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from daoqi_tui import signals
from daoqi_tui.engine import Rules
from daoqi_tui.gtp.client import Engine
from daoqi_tui.gtp.player import MOVE_PATIENCE
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.lab.conformance.check import Case, Finding, Kind, Outcome, check
from daoqi_tui.text import plain_line

_KINDS: Final[dict[Kind, str]] = {
    "position": N_("moves, captures and repetition"),
    "score": N_("score"),
    "ladder": N_("ladders"),
    "opening": N_("openings up to symmetry"),
    "last eyes": N_("last eyes"),
}


def run_check(command: str, cases: tuple[Case, ...], rules: Rules) -> int:
    """Check an engine and show what it made of the cases; returns 0 if all that could be asked passed, else 1.

    Raises:
        EngineError: it cannot be started, crashed, or does not answer.
    """
    console = Console()
    findings = signals.run(_checked(command, cases, rules))
    counts = Counter((finding.case.kind, finding.outcome) for finding in findings)
    table = Table("", _("passed"), _("failed"), _("not asked"))
    for kind, text in _KINDS.items():
        table.add_row(_(text), *(str(counts[kind, outcome]) for outcome in get_args(Outcome)))
    console.print(table)
    reasons = Counter(translate(finding.why) for finding in findings if finding.outcome == "not asked" and finding.why)
    for reason, count in reasons.most_common():
        _print(console, f"{count} × {_('not asked')}: {reason}")
    failed = [finding for finding in findings if finding.outcome == "failed"]
    for finding in failed:
        case = finding.case
        _print(console, f"{_('failed')}: {case.name}: {translate(finding.why)}")
        _print(console, f"{case.size}×{case.size}, {case.rules.as_json()}: {', '.join(case.moves)}")
    return int(bool(failed) or all(finding.outcome == "not asked" for finding in findings))


async def _checked(command: str, cases: tuple[Case, ...], rules: Rules) -> list[Finding]:
    findings: list[Finding] = []
    # An engine that compiles after its installation, as ours does, takes about a minute for its first board.
    async with Engine(command, MOVE_PATIENCE) as engine:
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(plain_line(engine.name), total=len(cases))

            def note(finding: Finding) -> None:
                findings.append(finding)
                progress.advance(task)

            await check(engine, cases, rules, note)
    return findings


def _print(console: Console, text: str) -> None:
    console.print(Text(plain_line(text)), soft_wrap=True)

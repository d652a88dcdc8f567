"""Text mode, on standard input and output: for screen readers, slow connections and scripts.

Lines are typed and answered, and computers move in between.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TextIO, cast

from daoqi_tui import signals
from daoqi_tui.ai.nets import net_of
from daoqi_tui.ai.process import thread_count
from daoqi_tui.commands.text import BY_NAME, WHILE_SOLVING, command_in
from daoqi_tui.config import Config
from daoqi_tui.engine import Style
from daoqi_tui.i18n import _
from daoqi_tui.plain.commands import HANDLERS, play_at
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.plain.problems import ACTIONS
from daoqi_tui.play.analyst import Budget
from daoqi_tui.play.evaluation import set_grades
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import Unable, describe_waiting, sentence


def start(session: Session, config: Config) -> int:
    """Play a game on the standard streams, by the settings; return the exit status."""

    def say(line: str) -> None:
        print(line, flush=True)  # noqa: T201 - text mode speaks on standard output

    _mention_online(say)
    set_grades(str(config["analysis.grades"]))
    person = PlainGame(
        session,
        cast("Style", config["look.names"]),
        PlainKeeper(session, Folders.standard()),
        partial(players_of, config),
        say,
        teach=cast("int", config["play.teach"]),
        review=Budget(cast("int", config["analysis.review_visits"]), cast("int", config["analysis.review_seconds"])),
        ponders=lambda: bool(config["play.ponder"]),
    )
    return play(person, sys.stdin, sys.stdout)


def players_of(config: Config) -> PlayerTable:
    """Make the table of players of text mode from the settings."""
    return PlayerTable(
        net=lambda: net_of(str(config["play.net"])),
        threads=thread_count(str(config["play.threads"]), spared=1),
        analyst=lambda: str(config["analysis.engine"]),
    )


def _mention_online(say: Callable[[str], object]) -> None:
    """Say how many online games are waiting for a move, for servers that answer immediately."""
    folder = Folders.standard().online
    if not (folder / "seats.json").exists():
        return
    from daoqi_tui.play.online.seats import waiting_for_me  # noqa: PLC0415 (aiohttp; few play online)

    if count := signals.run(waiting_for_me(folder, patience=1.0)):
        say(_("{games}: type {command}").format(games=describe_waiting(count), command="daoqi-tui games"))


def execute(person: PlainGame, line: str) -> list[str]:
    """Execute a line; return the answer, once its changes are on disk. An empty line does nothing."""
    return [*_done(person, line.strip()), *person.describe_kept()] if line.strip() else []


def _done(person: PlainGame, line: str) -> Iterator[str]:
    try:
        yield from _said(person, line)
    except Unable as error:
        yield sentence(str(error))


def _said(person: PlainGame, line: str) -> Iterable[str]:
    command, rest = command_in(line, BY_NAME, person.game.torus, person.style)
    name = command.name if command is not None else ""
    if not name or name != person.last_command:
        person.warned, person.replaces = False, None
    person.last_command = name
    word = name or line.casefold()
    if person.practice is not None and word in ACTIONS:
        return HANDLERS["problem"](person, word)
    if person.guessing is not None and word == "stop":
        return HANDLERS["guess"](person, word)
    if command is None:
        return play_at(person, line)
    if person.practice is not None and name not in WHILE_SOLVING:
        raise Unable(_("A problem is open: answer it with a point or pass, or type problem stop first."))
    if person.guessing is not None and name not in WHILE_SOLVING:
        raise Unable(_("Guess a move with a point or pass, or type guess stop first."))
    if problem := command.wrong_with(rest):
        raise Unable(problem)
    return HANDLERS[name](person, rest)


def play(person: PlainGame, lines: TextIO, out: TextIO) -> int:
    """Run until the user leaves or the input ends; return the exit status."""
    # A signal in the middle of a move would leave it half written; defer it until the next prompt.
    with signals.deferring():
        try:
            return _talk(person, lines, out)
        finally:
            person.close()


def _talk(person: PlainGame, lines: TextIO, out: TextIO) -> int:
    asks = lines.isatty()
    _say(out, person.greeting())
    _let_computers_move(person, out)
    while not person.over:
        if asks:
            out.write("> ")
            out.flush()
        try:
            if asks:
                person.wait_for_line(lines.fileno())
            with signals.raising_exit():
                line = lines.readline()
        except KeyboardInterrupt:
            _say(out, ["", *person.leave()])
            return 130
        if not line:
            # The input has ended, by ^D or at the end of a script.
            _say(out, [*([""] if asks else []), *person.leave()])
            break
        _say(out, execute(person, line))
        _let_computers_move(person, out)
    return 0


def _let_computers_move(person: PlainGame, out: TextIO) -> None:
    """Announce the moves of computers as they are made; Ctrl+C pauses them."""
    try:
        _say(out, person.replies())
    except KeyboardInterrupt:
        _say(out, person.stopped())


def _say(out: TextIO, words: Iterable[str]) -> None:
    for line in words:
        out.write(f"{line}\n")
        out.flush()

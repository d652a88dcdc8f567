"""A game in text mode: what happens in it, in words, and how it is saved, resumed and left.

Every move is announced; the board is drawn only on request. What is typed is read in :mod:`~daoqi_tui.plain`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from daoqi_tui import signals
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import BLACK, DAOQI, WHITE, Colour, Game, IllegalMove, Style
from daoqi_tui.i18n import _, name_in_language, plural, translate
from daoqi_tui.message import Message, filled, first_of
from daoqi_tui.play.analyst import REVIEW, TEACH_SECONDS, Budget
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import Clarity
from daoqi_tui.play.events import Change, Crashed, Event, Filed, NotEvaluated, Prepares, Questioned, Trouble
from daoqi_tui.play.hints import BestMoves
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.problems import Practice, describe_due, due_mistakes, kind_word
from daoqi_tui.play.review import Guessing, describe_why
from daoqi_tui.play.session import PERSON, Session, seat_name
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_failing,
    describe_made,
    describe_no_library,
    describe_no_rating,
    describe_not_evaluated,
    describe_not_saved,
    describe_rules,
    describe_sides,
    describe_turn,
    describe_unsaved,
    sentence,
)
from daoqi_tui.record.journal import JournalError, SaveFailure, UnfinishedGame
from daoqi_tui.text import plain_line

OFFERED: Final = 5
"""The number of unfinished games listed at the start; ``games`` lists them all."""


class PlainKeeper:
    """Follows a session, and another one when it is resumed.

    Args:
        session: what is being played.
        folders: where games are kept.
    """

    def __init__(self, session: Session, folders: Folders) -> None:
        # Each answer waits for the disk and checks whether saving fails; there is nothing to do before.
        self.keeper: Final = Keeper(folders, lambda _failing: None)
        self.keeper.begin(session)
        self._now_follows(session)

    def _now_follows(self, session: Session) -> None:
        self.session, self._shown = session, session.game.node
        self._offered: tuple[Path, ...] = ()
        self._reported: SaveFailure | None = None
        self._was_slow = False
        """True if the last answer said that moves wait for the disk."""

    @property
    def works(self) -> bool:
        return not self.keeper.loses

    def describe_state(self) -> Iterator[str]:
        """Say that saving has started to fail or works again; while it fails, repeat this after every move."""
        failing, node = self.keeper.failing, self.session.game.node
        moved, self._shown = node is not self._shown, node
        if failing != self._reported:
            self._reported = failing
            yield sentence(describe_failing(failing))
        elif failing is not None and moved:
            # A single message would scroll away and be forgotten.
            mark, why = describe_not_saved(failing)
            yield sentence(_("{mark}: {why}").format(mark=mark, why=why))
        elif failing is None and (unsaved := describe_unsaved(failing, self.keeper.waited)) is not None:
            self._was_slow = True
            yield sentence(_("{mark}: {why}").format(mark=unsaved[0], why=unsaved[1]))
        elif self._was_slow and not self.keeper.waited:
            self._was_slow = False
            yield _("All moves are saved now.")

    # Other games

    def offers(self, most: int | None = None) -> Iterator[str]:
        """List the unfinished games, only the latest if there are more than ``most``."""
        found = self.keeper.unfinished()
        self._offered = tuple(game.path for game in found.journals)
        if found.journals:
            yield _("There are unfinished games. Type continue 1 to resume the first.")
        for number, game in enumerate(found.journals[:most], 1):
            yield _("{number}: {game}").format(number=number, game=_words(game))
        if most is not None and len(found.journals) > most:
            yield _("{count} more: type games to list them.").format(count=len(found.journals) - most)
        for problem in found.problems:
            yield sentence(translate(problem))

    def path_of(self, number: int) -> Path:
        """Return the journal of an unfinished game by its number; raises Unable if there is none."""
        if not self._offered:
            self._offered = tuple(game.path for game in self.keeper.unfinished().journals)
        if not self._offered:
            raise Unable(_("There is no unfinished game."))
        if not 1 <= number <= len(self._offered):
            raise Unable(
                _("There is no unfinished game {number}: 1 to {last}."), number=number, last=len(self._offered)
            )
        return self._offered[number - 1]

    def take_up(self, path: Path, *, saved: bool) -> tuple[Session, list[str]]:
        """Resume an unfinished game, leaving the current one.

        Returns:
            The game, and where the other one is kept.

        Raises:
            Unable: it cannot be resumed.
        """
        # One may have been removed, and the game just left may have been added.
        self._offered = ()
        with Unable.instead_of(JournalError):
            resumable = self.keeper.open(path)
        told = list(self._leave_for_another(saved=saved))
        self.keeper.take(resumable)
        self._now_follows(resumable.session)
        return resumable.session, told

    def go_over(self, session: Session, *, saved: bool) -> Iterator[str]:
        """Leave the current game, and follow another; say where the first is kept."""
        yield from self._leave_for_another(saved=saved)
        self.keeper.begin(session)
        self._now_follows(session)

    def _leave_for_another(self, *, saved: bool) -> Iterator[str]:
        return self.leave(saved=saved, kept=_("The game before is kept: type games to list it."))

    # The end

    def leave(self, *, saved: bool, kept: str = "") -> Iterator[str]:
        """Stop following; a record ``saved`` as a file by the user no longer needs a journal.

        Args:
            saved: whether it is.
            kept: says that the game can be resumed, if the program is not ending.
        """
        if saved and self.session.is_record and not self.session.is_over:
            self.keeper.begin_anew(self.session)()
            return
        unfinished = self.keeper.has_journal and not self.session.is_over
        try:
            whole = self.keeper.leave()
        except OSError as error:
            yield sentence(describe_no_library(error))
            return
        if not whole:
            yield _("The last moves could not be saved.")
        elif unfinished:
            yield kept or _("The game is kept. Type continue 1 at the next start to resume it.")


def _words(game: UnfinishedGame) -> str:
    black, white = (plain_line(name_in_language(name)) for name in (game.names.black, game.names.white))
    changed = datetime.fromtimestamp(game.changed).astimezone()
    return filled(
        _("{black} against {white}, {size} by {size}, last played {time}."),
        black=black or _("Black"),
        white=white or _("White"),
        size=game.size,
        time=f"{changed:%Y-%m-%d %H:%M}",
    )


def describe_repairs(repairs: Sequence[Message], more: int) -> Iterator[str]:
    """Say what was wrong with a record, of many problems the first; ``more`` have no sentence."""
    for repair in first_of(repairs, more, _PROBLEMS_TOLD):
        yield sentence(translate(repair))


T = TypeVar("T")

_PROBLEMS_TOLD: Final = 5
"""The number of problems of a record that are said."""
_BETWEEN: Final = 10.0
"""Seconds between two lines that say how far a request is."""
_LONG: Final = 1.0
"""Seconds after which the user is told that a computer is thinking."""


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Defer Ctrl+C until the block is complete, since a move must not be left half made."""
    if threading.current_thread() is not threading.main_thread():
        # Ctrl+C reaches only the main thread.
        yield
        return
    came = False

    def note(*_: object) -> None:
        nonlocal came
        came = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and before is not signal.SIG_IGN:
        raise KeyboardInterrupt


class Waiting:
    """Waits for players; Ctrl+C stops that with a ``KeyboardInterrupt``.

    Args:
        say: called with a line while a computer is thinking.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self._write = say
        self.last_line = ""
        """The last line printed while a computer was thinking."""
        self._runner: asyncio.Runner | None = None

    def say(self, line: str) -> None:
        self.last_line = line
        self._write(line)

    def run(self, asked: Coroutine[Any, Any, T], wait: Wait | None = None) -> T:
        """Return the result of a request; if it takes long, say what is being waited for, and now and then how far."""
        self._runner = self._runner or asyncio.Runner()
        return signals.run(asked if wait is None else self._patiently(asked, wait), self._runner)

    async def _patiently(self, asked: Coroutine[Any, Any, T], wait: Wait) -> T:
        reporter = asyncio.ensure_future(self._report(wait))
        try:
            return await asked
        finally:
            reporter.cancel()

    async def _report(self, wait: Wait) -> None:
        await asyncio.sleep(_LONG)
        self.say(wait.what)
        while True:
            await asyncio.sleep(_BETWEEN)
            self.say(_("{how_far}; Ctrl+C stops.").format(how_far=wait.how_far))

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()
            self._runner = None


class News:
    """Words the events of a match, and holds the text until it is printed.

    Args:
        match: the match.
        style: how points are named.
        waiting: prints immediately what cannot wait for the end of a thought.
    """

    def __init__(self, match: Match, style: Style, waiting: Waiting) -> None:
        self._match = match
        self._style: Final = style
        self._waiting = waiting
        self._pending: list[str] = []
        """The lines that have not been printed yet."""
        self._filed: list[str] = []
        """The file of a finished game; printed after everything else."""
        self._filed_before: list[str] = []
        """What was said of it last, which marking dead stones does not repeat."""
        self._compiles = False
        """Whether it was said that something is compiled, only this once."""
        match.subscribe(self._on_event)

    def lines(self) -> Iterator[str]:
        """Print pending lines; a line that is interrupted is printed again."""
        while self._pending:
            yield self._pending[0]
            del self._pending[0]

    def filed_lines(self) -> list[str]:
        """Print where finished games were saved."""
        filed, self._filed = self._filed, []
        if not filed or filed == self._filed_before:
            return []
        self._filed_before = filed
        return filed

    def add(self, words: Iterable[str]) -> None:
        """Add a line after the pending ones."""
        self._pending += words

    def _on_event(self, event: Event) -> None:
        match event:
            case Change(kind="move" | "redo", node=node, removed=removed):
                game = self._match.game
                self._filed_before = []
                self.add(describe_made(game, node, removed, self._style))
                if game.is_over:
                    self.add([describe_turn(game), *describe_sides(game)])
            case Change(kind="resign"):
                self.add([describe_turn(self._match.game)])
            case Prepares(thought=thought) if thought.stage == "compiling" and not self._compiles:
                # It goes on during several moves.
                self._compiles = True
                self._waiting.say(sentence(thought.describe_stage()))
            case Crashed(problem=problem):
                self._waiting.say(sentence(translate(problem)))
            case NotEvaluated(problem=problem):
                self._waiting.say(sentence(describe_not_evaluated(problem)))
            case Trouble(problem=problem):
                self.add(self._describe_trouble(problem))
            case Questioned(move=evaluated):
                why = describe_why(evaluated, self._match.game.torus, self._style)
                self.add([why, _("Type undo to choose another move, or go to keep this one.")])
            case Filed(path=path, problem=problem, unrated=unrated):
                if problem is not None:
                    self._filed.append(sentence(describe_no_library(problem)))
                elif path is not None:
                    if self._match.rated is not None:
                        self._filed.append(sentence(self._match.rated.describe()))
                    name = plain_line(path.name)
                    self._filed.append(_("The game is saved in the library as {file}.").format(file=name))
                if unrated is not None:
                    self._filed.append(sentence(describe_no_rating(unrated)))

    def _describe_trouble(self, problem: PlayerError | IllegalMove) -> Iterator[str]:
        text = translate(problem)
        if isinstance(problem, IllegalMove):
            text = _("The computer's move is illegal: {reason}").format(reason=text)
        side = "black" if self._match.game.to_move == BLACK else "white"
        if self._waiting.last_line != sentence(text):
            yield sentence(text)
        yield _("Type go to ask again, or {side} person to play that side yourself.").format(side=side)


class AtBoard(ABC):
    """Somebody with a board before them, of a game here or of an online game, who may have it described.

    Attributes:
        style: how points are named.
    """

    style: Style

    @property
    @abstractmethod
    def game(self) -> Game:
        """What is on the board."""

    def name(self, point: int) -> str:
        return self.game.torus.name(point, self.style)

    def example(self) -> str:
        """Name the point in the middle, as an example of coordinates."""
        middle = self.game.torus.size // 2
        return self.name(self.game.torus.point(middle, middle))


class PlainGame(AtBoard):
    """A game in text mode, in which nothing happens while a line is waited for.

    Args:
        session: the game to continue, and its players.
        style: of coordinates.
        keeper: saves the game; None saves nothing.
        players: makes the table of players other than humans.
        say: called with a line while a player thinks.
        teach: the points lost from which teach mode warns about a move; 0 for never.
        ponders: returns whether the computer ponders while a line is typed in a terminal.

    Attributes:
        teach: the same, as last typed.
        match: the current game; nothing happens in it while waiting for a line.
        keeper: keeps what is played.
        waiting: waits for players.
        news: events to be printed.
        corner: row and column of the point that is drawn at the top left.
        saved: the record when the user last saved the game as a file.
        warned: whether the user was just warned that the typed command loses the game.
        replaces: the file that saving overwrites if it is typed again.
        over: whether the user has left.
        hinted: the position and the clarity of the last hint.
    """

    def __init__(
        self,
        session: Session,
        style: Style = "daoqi",
        keeper: PlainKeeper | None = None,
        players: Callable[[], PlayerTable] = PlayerTable,
        say: Callable[[str], object] = lambda _line: None,
        *,
        teach: int = 0,
        review: Budget = REVIEW,
        ponders: Callable[[], bool] = lambda: False,
    ) -> None:
        self.teach = teach
        self.review: Final = review
        kept_by = None if keeper is None else keeper.keeper
        self.match: Final = Match(session, players, kept_by, teach=lambda: self.teach, ponders=ponders)
        self.style = style
        self.keeper: Final = keeper
        self.waiting: Final = Waiting(say)
        self.news: Final = News(self.match, style, self.waiting)
        self.practice: Practice | None = None
        """The problems being solved, None while a game is played."""
        self.guessing: Guessing | None = None
        """The game whose moves are guessed."""
        self.over = False
        self.last_command = ""
        """The name of the command that was typed last; empty if it was a point."""
        self._sit_down()

    def close(self) -> None:
        if self.match.turns.has_players:
            self.waiting.run(self.match.close())
        self.waiting.close()

    @property
    def session(self) -> Session:
        return self.match.session

    @property
    def game(self) -> Game:
        """The game being played, or the problem being solved, or the game whose moves are guessed."""
        if self.guessing is not None:
            return self.guessing.game
        return self.match.game if self.practice is None else self.practice.attempt.game

    @property
    def is_studying(self) -> bool:
        """True while the game that is played waits, since a problem is solved or moves are guessed."""
        return self.practice is not None or self.guessing is not None

    # Beginning and leaving

    def begin(self, session: Session) -> None:
        self.match.begin(session)
        if self.match.turns.has_players:
            self.waiting.run(self.match.turns.release_absent())
        self._sit_down()

    def _sit_down(self) -> None:
        """Begin to play a game from its current position."""
        self.match.start()
        self.corner = 0, 0
        self.hinted: tuple[BestMoves | None, Clarity] = None, Clarity.NOTHING
        self.saved: bytes | None = None
        self._begun_as = self.session.record()
        """The record of the game at its beginning, if it was opened from a file."""
        self.warned = False
        self.replaces: Path | None = None

    def greeting(self) -> Iterator[str]:
        """Yield the lines printed at the start."""
        if self.keeper is not None and (due := due_mistakes(date.today())):
            text = _("{due}: type {command}")
            yield sentence(text.format(due=describe_due(due), command=f"problem {kind_word('mistake')}"))
        yield _("Daoqi, {size} by {size}, komi {komi}. Type a point such as {point}, or help.").format(
            size=self.game.torus.size, komi=f"{self.game.komi:g}", point=self.example()
        )
        if self.keeper is not None:
            yield from self.keeper.offers(OFFERED)
        yield from self.describe_game()

    def describe_game(self) -> Iterator[str]:
        """Describe a session that was just begun."""
        session, rules = self.session, self.game.rules
        if session.games > 1:
            text = _("Game {number} of {count} in the file")
            yield sentence(text.format(number=session.index + 1, count=session.games))
        if str(rules) != str(DAOQI):
            yield _("The rules: {rules}.").format(rules=describe_rules(rules))
        for colour in session.seats:
            if colour not in session.persons:
                yield self.describe_seat(colour)
        colours = self.game.board.colours
        if any(colours):
            yield _("Stones on the board: Black {black}, White {white}. Type stones to list them.").format(
                black=sum(colour == BLACK for colour in colours), white=sum(colour == WHITE for colour in colours)
            )
        if session.clock is not None:
            yield _("Clocks do not run in text mode.")
        yield from describe_repairs(session.problems, session.more_problems)
        if session.ask_torus is not None:
            yield _("The record does not say whether it was played on a torus. Use --torus or --flat to say so.")
        yield describe_turn(self.game)
        if self.game.node is self.game.root and self.game.root.children:
            black, white = (session.player(colour) or colour_word(colour) for colour in (BLACK, WHITE))
            count = self.game.root.line()[-1].number
            text = _("{black} against {white}, {moves}. Type forward to step through it.")
            yield filled(text, black=black, white=white, moves=plural("{count} move", "{count} moves", count))

    @property
    def is_saved(self) -> bool:
        """True if the file that the game was saved as contains all of it."""
        return self.saved is not None and self.saved == self.session.record()

    def check_left(self, command: str) -> None:
        """Check that this game can be left: it is saved, has no new moves, or the user has been warned already.

        Raises:
            Unable: it cannot, until the command is typed again.
        """
        kept = self.is_saved or (self.keeper is not None and self.keeper.works)
        if kept or self.warned or not self.session.start.children or self.session.record() == self._begun_as:
            return
        self.warned = True
        raise Unable(
            _("The game is not saved. Type save FILE to save it, or {command} again to leave without saving."),
            command=command,
        )

    def leave(self) -> Iterator[str]:
        """Say goodbye, and where the game is kept."""
        self.over = True
        if self.keeper is not None:
            yield from self.keeper.leave(saved=self.is_saved)
        yield _("Goodbye.")

    # Computers

    def wait_for_line(self, terminal: int) -> None:
        """Let the computer ponder until a line has been typed in a terminal; elsewhere return immediately.

        Args:
            terminal: its file descriptor.
        """
        if not self.is_studying and can_watch_terminals() and self.match.turns.may_ponder:
            self.waiting.run(self.match.turns.ponder_until(_readable(terminal)))

    def describe_kept(self) -> list[str]:
        if self.is_studying:
            return []
        state = list(self.keeper.describe_state()) if self.keeper is not None and not self.over else []
        return state + self.news.filed_lines()

    def replies(self) -> Iterator[str]:
        """Let computers move as long as it is their turn, announcing each move when it is on disk."""
        while not self.over and (seat := self.match.turns.due) is not None:
            self.waiting.last_line = ""
            looking = _("Looking at your move, at most {seconds} s.").format(seconds=f"{TEACH_SECONDS:g}")
            evaluated = self.waiting.run(self.match.turns.judge(), Wait(looking, most=TEACH_SECONDS))
            if evaluated is not None:
                self.match.turns.question(evaluated)
                yield from self.news.lines()
                return
            thinking = filled(_("{name} is thinking."), name=seat_name(seat))
            answer = self.waiting.run(self.match.turns.ask(), Wait(thinking))
            with held_interrupts():
                self.match.turns.make(answer)
                if self.match.turns.trouble is None:
                    if not self.game.is_over:
                        self.news.add(self.next_turn())
                    self.news.add(self.describe_kept())
            yield from self.news.lines()

    def stopped(self) -> Iterator[str]:
        """Pause the computers, and announce their pending moves."""
        self.match.pause()
        yield from self.news.lines()
        seat = self.session.seats[self.game.to_move]
        if seat == PERSON or self.game.is_over:
            yield _("Stopped.")
        else:
            text = _("Stopped: {name} is waiting. Type go to let it move, or undo.")
            yield filled(text, name=plain_line(seat_name(seat)))

    # Words

    def next_turn(self) -> Iterator[str]:
        """Say who is to move, unless it is a computer, whose move will show it."""
        if self.match.turns.due is None:
            yield describe_turn(self.game)

    def describe_seat(self, colour: Colour) -> str:
        """Say who plays a side."""
        seat = self.session.seats[colour]
        if seat == PERSON:
            return _("You play {colour}.").format(colour=colour_word(colour))
        name = plain_line(seat_name(seat))
        return filled(_("{name} plays {colour}."), name=name, colour=colour_word(colour))


def can_watch_terminals() -> bool:
    """Return whether this system can wait for a line typed in a terminal while other work continues."""
    return os.name == "posix"


async def _readable(file: int) -> None:
    """Return once a line can be read from a terminal."""
    loop = asyncio.get_running_loop()
    typed = asyncio.Event()
    loop.add_reader(file, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(file)

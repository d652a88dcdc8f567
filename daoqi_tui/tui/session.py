"""What is being played: the game, who plays it, and their clock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from daoqi_tui.engine import (
    BLACK,
    STANDARD_KOMI,
    STANDARD_SIZE,
    WHITE,
    Colour,
    Ending,
    Game,
    Node,
    OutOfTime,
    points_text,
)
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.tui.opponents import PERSON, Seat, seat_name

if TYPE_CHECKING:
    from daoqi_tui.record.info import Info


class GameSetup(NamedTuple):
    """What is agreed before a game begins.

    Attributes:
        black, white: names, empty where none were given.
        black_seat, white_seat: who plays; other players may take the seats later, see :attr:`Session.seats`.
        resigns: whether a computer may give up when it has long had no hope.
    """

    size: int = STANDARD_SIZE
    komi: float = STANDARD_KOMI
    handicap: int = 0
    black: str = ""
    white: str = ""
    time: TimeControl | None = None
    black_seat: Seat = PERSON
    white_seat: Seat = PERSON
    resigns: bool = True


class Session:
    """A game with its players and clock.

    Attributes:
        setup: what was agreed.
        game: the game; made from ``setup`` when none is given.
        seats: who plays each colour now.
        resigns: whether a computer may give up.
        clock: the players' time, None without clocks.
        front: where the game goes on, whatever is looked at; None until it is known.
        info: what the record the game came from says about it, None for a game begun here.
        source: the file the game was opened from.
        problems: what could not be read of that file, each a sentence.
        ask_torus: the bytes of that file when a person should be asked whether it was played on a torus.
    """

    front: Node | None = None
    info: Info | None = None
    source: Path | None = None
    problems: tuple[str, ...] = ()
    ask_torus: bytes | None = None
    _end: tuple[Node, Ending | None, bool] | None = None
    """How the main line of the record ended."""

    def __init__(self, setup: GameSetup | None = None, game: Game | None = None, clock: Clock | None = None) -> None:
        self.setup = setup or GameSetup()
        self.game = game or Game(self.setup.size, self.setup.komi, self.setup.handicap)
        self.clock = clock or (Clock(self.setup.time) if self.setup.time else None)
        self.seats: dict[Colour, Seat] = {BLACK: self.setup.black_seat, WHITE: self.setup.white_seat}
        self.resigns = self.setup.resigns

    def sit(self, black: Seat | None, white: Seat | None) -> None:
        """Let others play; None leaves a side to whoever plays it."""
        self.setup = self.setup._replace(
            black_seat=black or self.setup.black_seat, white_seat=white or self.setup.white_seat
        )
        self.seats = {BLACK: self.setup.black_seat, WHITE: self.setup.white_seat}

    @classmethod
    def opened(cls, data: bytes, torus: bool | None = None, source: Path | None = None) -> Session:
        """Open a record.

        Raises:
            SgfError: it cannot be read.
        """
        from daoqi_tui.record.sgf import load  # noqa: PLC0415 (a new game needs no reader)
        from daoqi_tui.record.text import plain_line  # noqa: PLC0415

        loaded = load(data, torus)
        game, info = loaded.game, loaded.info
        game.goto(game.root)
        setup = GameSetup(game.torus.size, game.komi, info.handicap, plain_line(info.black), plain_line(info.white))
        session = cls(setup, game)
        session.info, session.source = info, source
        session.trust_result()
        session.problems = tuple(plain_line(str(problem)) for problem in loaded.problems)
        session.ask_torus = data if loaded.ask else None
        return session

    def record(self) -> bytes:
        """Write the game as SGF."""
        from daoqi_tui.record.sgf import dump  # noqa: PLC0415

        return dump(self.game, self.record_info())

    def record_info(self) -> Info:
        """Return what the record says about the game."""
        from datetime import datetime  # noqa: PLC0415

        from daoqi_tui.record.info import Info  # noqa: PLC0415

        if self.info is not None:
            info = replace(self.info, result="") if self.info.result and self.result_is_outdated else self.info
            if all(seat == PERSON for seat in self.seats.values()):
                return info
            black, white = (seat_name(self.seats[colour]) for colour in (BLACK, WHITE))
            return replace(info, black=info.black or black, white=info.white or white)
        setup, time = self.setup, self.setup.time
        overtime = ""
        if time is not None and time.periods:
            overtime = f"{time.periods}x{points_text(time.period)} byo-yomi"
        elif time is not None and time.increment:
            overtime = f"{points_text(time.increment)} fischer"
        return Info(
            black=self.player(BLACK),
            white=self.player(WHITE),
            handicap=setup.handicap,
            date=f"{datetime.now().astimezone():%Y-%m-%d}",
            time=points_text(time.main) if time else "",
            overtime=overtime,
        )

    @property
    def start(self) -> Node:
        """The node the first move is played from: the root, or the handicap stones below it."""
        root = self.game.root
        return root.children[0] if self.game.handicap and root.children else root

    @property
    def touched(self) -> bool:
        """Whether a move has been played that leaving would lose."""
        return bool(self.start.children) and not self.game.is_over

    @property
    def persons(self) -> tuple[Colour, ...]:
        """The colours that persons play."""
        return tuple(colour for colour in (BLACK, WHITE) if self.seats[colour] == PERSON)

    def trust_result(self) -> None:
        """Take the result that the record came with for true as long as its main line ends as it does now."""
        self._end = self._main_end()

    @property
    def result_is_outdated(self) -> bool:
        """Whether play went on from where the record ended, or it ends in another way now; the game itself knows."""
        return self._end is not None and self._end != self._main_end()

    def _main_end(self) -> tuple[Node, Ending | None, bool]:
        from daoqi_tui.record.result import last_of  # noqa: PLC0415 (a new game needs no records)

        last = last_of(self.game)
        return last, last.ending, last.is_over

    def resume(self) -> None:
        """Play on after the end; without clocks where time has run out, for it would end the game again at once."""
        if isinstance(self.game.ending, OutOfTime):
            self.clock = None
        self.game.resume()

    def take_back_turn(self, person: Colour) -> bool:
        """Take back the last move of a person with what was answered; returns False where there is none.

        An end that is no move, as giving up is, counts as one when it is this person's turn.
        """
        game = self.game
        node, gone = game.node, game.node.ending is not None
        while not gone or node.to_move != person:
            if node is self.start or node.parent is None:
                return False
            node, gone = node.parent, True
        if game.node.ending is not None:
            self.resume()
        game.goto(node)
        return True

    def player(self, colour: Colour) -> str:
        """Name a player as entered, or as the seat is called; an empty string for a person without a name."""
        name = self.setup.black if colour == BLACK else self.setup.white
        return name or seat_name(self.seats[colour])

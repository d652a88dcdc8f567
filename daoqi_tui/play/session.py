"""A session: the game, who plays it and their clock, and the line of the game that is viewed.

Who plays is said by values, the seats; the players themselves are in :mod:`~daoqi_tui.play.players`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from time import strftime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    STANDARD_KOMI,
    STANDARD_SIZE,
    WHITE,
    Colour,
    Ending,
    Game,
    Node,
    OutOfTime,
    Resignation,
    Rules,
    points_text,
)
from daoqi_tui.engine.clock import Clock, Press, TimeControl
from daoqi_tui.engine.rules import Value
from daoqi_tui.i18n import computer_name, name_in_language
from daoqi_tui.message import Message
from daoqi_tui.text import plain_line
from daoqi_tui.typed import (
    MOST_SECONDS,
    PlayerText,
    check_level,
    check_seconds,
    checked_style,
    command_words,
)

if TYPE_CHECKING:
    from daoqi_tui.record.sgf.info import Info

USUAL_LEVEL: Final = 3
"""The level for who has chosen none: a first game should be one to win."""


class Person(Value):
    """A human at this keyboard."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Computer(Value):
    """Our own player.

    Attributes:
        level: one of :data:`~daoqi_tui.typed.LEVEL_NUMBERS`.
        seconds: the time limit of a move, None for that of the level.
        style: of play, one of :data:`~daoqi_tui.typed.STYLES`; empty for none.
        mine: whether the level was chosen by the human's rating, as it will be in the next game.
    """

    level: float = USUAL_LEVEL
    seconds: float | None = None
    style: str = ""
    mine: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_level(self.level)
        check_seconds(self.seconds, MOST_SECONDS)
        if self.style:
            checked_style(self.style)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EngineSeat(Value):
    """A GTP engine.

    Attributes:
        command: program and arguments, quoted as for a shell.
        seconds: the time limit of a move, None to leave it to the engine.
    """

    command: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        command_words(self.command)
        check_seconds(self.seconds, MOST_SECONDS)

    @property
    def program(self) -> str:
        """The file name of the program, without its folder."""
        return re.split(r"[/\\]", command_words(self.command)[0])[-1]


Seat: TypeAlias = Person | Computer | EngineSeat

PERSON: Final = Person()


def seat_name(seat: Seat) -> str:
    """Return the default name of the player in a seat; empty for a human."""
    match seat:
        case Computer(level=level, style=style):
            return computer_name(level, style)
        case EngineSeat():
            return seat.program
    return ""


def is_seat_name(name: str, seat: Seat) -> bool:
    """Return whether a name is the default one of the player in a seat, in any language."""
    return name_in_language(name) == seat_name(seat)


def seat_text(seat: Seat) -> str:
    """Return a seat as text for the journal, read by :func:`parse_seat`: ``time:3 level:5``, ``engine:gnugo -x``."""
    match seat:
        case Computer(level=level, seconds=seconds, style=style):
            return str(PlayerText(level=level, seconds=seconds, style=style))
        case EngineSeat(command=command, seconds=seconds):
            return str(PlayerText(command=command, seconds=seconds))
    return str(PlayerText())


def parse_seat(text: str) -> Seat:
    """Parse what :func:`seat_text` wrote.

    Raises:
        ValueError: the text is not a seat.
    """
    level, command, seconds, style = PlayerText.parse(text)
    if level is not None:
        return Computer(level, seconds, style)
    return EngineSeat(command, seconds) if command is not None else PERSON


# A game


class GameSetup(NamedTuple):
    """The settings of a new game.

    Attributes:
        black, white: names, empty if none were given.
        black_seat, white_seat: the first players; others may take the seats later, see :attr:`Session.seats`.
        resigns: whether a computer may resign after several hopeless moves.
        rules: what is legal, what a pass costs, and who wins a tie.
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
    rules: Rules = DAOQI


class GameDetails(NamedTuple):
    """What a session says of its game as a whole, which can be edited.

    Attributes:
        info: as :attr:`Session.info`.
        black, white: the names of the players.
        komi, rules: of the game.
        end: the end of the main line for which the result in ``info`` holds.
    """

    info: "Info | None"
    black: str
    white: str
    komi: float
    rules: Rules
    end: tuple[Node, Ending | None, bool] | None

    @property
    def counts(self) -> tuple[float, Rules]:
        """Komi and rules, on which every evaluation depends."""
        return self.komi, self.rules


class Session:
    """A game with its players and clock.

    Attributes:
        setup: its settings.
        game: the game; created from ``setup`` if not given.
        seats: who plays each colour now.
        resigns: whether a computer may resign.
        clock: the players' time, None without clocks.
        presses: what moves brought on the clock, as it was when the game was taken up.
        front: the node from which the game continues, whichever node is viewed; None until it is known.
        helped: whether the user undid moves or started a variation, changed the players, saw best moves, had a computer
            make a move or hurried it, or moves came from a record; the game is then not rated.
        info: the game information of the record the game came from, None for a game started here.
        source: the file the game was opened from.
        saved_as: the file the game was last saved as by the user.
        problems: the parts of that file that could not be read, a sentence each.
        more_problems: the number of further ones.
        ask_torus: the bytes of that file if the user should be asked whether it was played on a torus, else None.
        encoding: the encoding that the user chose for that file.
        index, games: the index of this game in that file, from 0, and the number of its games.
    """

    presses: Mapping[Node, Press] = MappingProxyType({})
    front: Node | None = None
    helped = False
    info: "Info | None" = None
    source: Path | None = None
    saved_as: Path | None = None
    problems: tuple[Message, ...] = ()
    more_problems: int = 0
    ask_torus: bytes | None = None
    encoding: str | None = None
    index: int = 0
    games: int = 1
    _end: tuple[Node, Ending | None, bool] | None = None
    """The last node of the record's main line, its ending, and whether it was over."""

    def __init__(self, setup: GameSetup | None = None, game: Game | None = None, clock: Clock | None = None) -> None:
        self.setup = setup or GameSetup()
        self.game = game or Game(self.setup.size, self.setup.komi, self.setup.handicap, self.setup.rules)
        self.clock = clock or (Clock(self.setup.time) if self.setup.time else None)
        self.seats: dict[Colour, Seat] = {BLACK: self.setup.black_seat, WHITE: self.setup.white_seat}
        self.resigns = self.setup.resigns
        self.begun = strftime("%Y-%m-%d")

    @property
    def is_record(self) -> bool:
        """True if it was opened from a file, so that a file can hold all of it again.

        A game that was started here, or resumed, has a clock and players that only its journal contains.
        """
        return self.source is not None

    def sit(self, black: Seat | None, white: Seat | None) -> None:
        self.setup = self.setup._replace(
            black_seat=black or self.setup.black_seat, white_seat=white or self.setup.white_seat
        )
        self.seats = {BLACK: self.setup.black_seat, WHITE: self.setup.white_seat}

    @classmethod
    def opened(
        cls,
        data: bytes,
        torus: bool | None = None,
        source: Path | None = None,
        encoding: str | None = None,
        *,
        index: int = 0,
    ) -> "Session":
        """Open the game number ``index`` of a file, in ``encoding`` if given, regardless of the record.

        Raises:
            SgfError: it cannot be read.
        """
        from daoqi_tui.record.sgf.read import load  # noqa: PLC0415 (a new game needs no reader)

        loaded = load(data, torus, index, encoding=encoding)
        game, info = loaded.game, loaded.info
        game.goto(game.root)
        setup = GameSetup(
            game.torus.size,
            game.komi,
            info.handicap,
            plain_line(info.black),
            plain_line(info.white),
            rules=game.rules,
        )
        session = cls(setup, game)
        session.info, session.source, session.helped = info, source, True
        session.trust_result()
        session.problems = tuple(problem.as_message() for problem in loaded.problems)
        session.more_problems = loaded.more_problems
        session.ask_torus = data if loaded.ask else None
        session.encoding = encoding
        session.index, session.games = index, loaded.games
        return session

    def rename(self, black: str | None, white: str | None) -> None:
        """Rename the players; None keeps a name, as does the name that the record already has."""
        written = self.record_info()
        if black is not None and black != written.black:
            self.setup = self.setup._replace(black=plain_line(black))
            self.info = self.info and replace(self.info, black=black)
        if white is not None and white != written.white:
            self.setup = self.setup._replace(white=plain_line(white))
            self.info = self.info and replace(self.info, white=white)

    @property
    def details(self) -> GameDetails:
        """What is said of the game as a whole; it may be set."""
        game, setup = self.game, self.setup
        return GameDetails(self.info, setup.black, setup.white, game.komi, game.rules, self._end)

    @details.setter
    def details(self, details: GameDetails) -> None:
        self.info, black, white, komi, rules, self._end = details
        self.setup = self.setup._replace(black=black, white=white, komi=komi, rules=rules)
        self.game.komi = komi
        if rules != self.game.rules:
            self.game.change_rules(rules)

    def copied(self, node: Node) -> Game:
        """Return a copy of the game, as its record has it, with the cursor at the copy of a node."""
        from daoqi_tui.record.sgf.read import load  # noqa: PLC0415 (few need a copy)

        game = load(self.record()).game
        copy = game.root
        for before, after in pairwise(node.path()):
            copy = copy.children[before.children.index(after)]
        game.goto(copy)
        return game

    def record(self) -> bytes:
        from daoqi_tui.record.sgf.write import dump  # noqa: PLC0415

        return dump(self.game, self.record_info())

    def record_info(self) -> "Info":
        from daoqi_tui.record.sgf.info import Info  # noqa: PLC0415

        if self.info is not None:
            info = replace(self.info, result=None) if self.result_is_outdated else self.info
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
            black=setup.black or seat_name(self.seats[BLACK]),
            white=setup.white or seat_name(self.seats[WHITE]),
            handicap=setup.handicap,
            date=self.begun,
            time=points_text(time.main) if time else "",
            overtime=overtime,
        )

    def described(self) -> "Info":
        """Return the game information as it was entered, without the default names of computers."""
        said = self.info or self.setup
        return replace(self.record_info(), black=said.black, white=said.white)

    @property
    def start(self) -> Node:
        """The node before the first move: the root, or its child with the handicap stones."""
        root = self.game.root
        return root.children[0] if self.game.handicap and root.children else root

    @property
    def touched(self) -> bool:
        return bool(self.start.children) and not self.is_over

    @property
    def is_over(self) -> bool:
        """True if the game has ended, whichever node is viewed."""
        return has_ended(self.game, self.front)

    @property
    def persons(self) -> tuple[Colour, ...]:
        return tuple(colour for colour in (BLACK, WHITE) if self.seats[colour] == PERSON)

    def trust_result(self) -> None:
        """Trust the result in the record until the end of its main line changes."""
        self._end = self._main_end()

    @property
    def result_is_outdated(self) -> bool:
        """True if the end of the main line has changed since :meth:`trust_result` was called."""
        return self._end is not None and self._end != self._main_end()

    def _main_end(self) -> tuple[Node, Ending | None, bool]:
        from daoqi_tui.record.sgf.info import last_of  # noqa: PLC0415 (a new game needs no records)

        last = last_of(self.game)
        return last, last.ending, last.is_over

    def undo_end(self) -> None:
        self._drop_clock_that_ran_out(self.game.node)
        self.game.resume()

    def resume(self) -> None:
        """Resume the game after its end.

        A resignation or a loss on time stays in the record: play continues in a variation that starts with the same
            move.
        """
        game, ended = self.game, self.game.node
        if not self.ended_uncounted or ended.move is None:
            self.undo_end()
            return
        self._drop_clock_that_ran_out(ended)
        game.undo()
        for known in game.node.children:
            if known.action == ended.action and known.ending is None:
                game.goto(known)
                return
        game.record(ended.move).properties = ended.properties

    def go_on_here(self) -> None:
        """Make the viewed node the front of the game, for which the clock runs."""
        if self.clock is not None and self.front is not None and self.front is not self.game.node:
            self._drop_clock_that_ran_out(self.front)
        self.front = self.game.node

    def _drop_clock_that_ran_out(self, ended: Node) -> None:
        """Continue without the clock after a loss on time, since it would end the game again immediately."""
        if isinstance(ended.ending, OutOfTime):
            self.clock = None

    @property
    def ended_uncounted(self) -> bool:
        """True if a resignation or a loss on time has ended the game at the node viewed."""
        return isinstance(self.game.ending, Resignation | OutOfTime)

    def take_back_turn(self, person: Colour) -> bool:
        """Undo the last move of a human and the answers to it; return False if there is none.

        A resignation or loss on time counts as a move if it is the human's turn.
        """
        game = self.game
        node, gone = game.node, game.node.ending is not None
        while not gone or node.to_move != person:
            if node is self.start or node.parent is None:
                return False
            node, gone = node.parent, True
        if game.node.ending is not None:
            self.undo_end()
        game.goto(node)
        return True

    def player(self, colour: Colour) -> str:
        """Return the name of a player to show: as entered, or that of the seat; empty for a human without a name."""
        name = self.setup.black if colour == BLACK else self.setup.white
        return name_in_language(name) if name else seat_name(self.seats[colour])


def is_on(line: Sequence[Node], node: Node) -> bool:
    """Return whether a node is on a line that begins at the root."""
    return node.depth < len(line) and line[node.depth] is node


def has_ended(game: Game, front: Node | None) -> bool:
    """Return whether a game has ended at its front, regardless of the viewed node.

    Args:
        game: the game.
        front: the node from which it continues; None means the viewed node and the end of its line.
    """
    if front is not None:
        return front.is_over
    node = game.node
    return node.is_over or (node.line() or [node])[-1].is_over


class Variations:
    """The nodes before, after and next to the viewed one; does not view any itself.

    Args:
        session: the game.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._viewed: dict[Node, Node] = {}
        """The last viewed child of each node."""
        self._line: tuple[Node, ...] = (session.game.root,)
        self.remember()

    def remember(self) -> None:
        """Remember the line through the viewed node; call it after every step."""
        node, further = self._session.game.node, []
        while not is_on(self._line, node):
            assert node.parent is not None
            self._viewed[node.parent] = node
            further.append(node)
            node = node.parent
        if further:
            self._line = (*self._line[: node.depth + 1], *reversed(further))

    def forget_deleted(self) -> None:
        """Forget what was viewed below nodes that are no longer there."""
        self._viewed = {node: child for node, child in self._viewed.items() if child in node.children}
        self._line = (self._session.game.root,)
        self.remember()

    @property
    def line(self) -> Sequence[Node]:
        """The line viewed last from the root to its end; the same object until it changes."""
        further = [self._line[-1]]
        while (following := self.next_node(further[-1])) is not None:
            further.append(following)
        if len(further) > 1:
            self._line += tuple(further[1:])
        return self._line

    def next_node(self, node: Node) -> Node | None:
        """Return the child of ``node`` that was viewed last, or the first one; None at the end of a line."""
        return self._viewed.get(node) or next(iter(node.children), None)

    def earlier(self, moves: int) -> Node:
        """Return the node some moves earlier, but not before the start of the game."""
        node = self._session.game.node
        for _move in range(moves):
            if node.parent is None or node is self._session.start:
                break
            node = node.parent
        return node

    def later(self, moves: int) -> Node:
        """Return the node some moves later on the line viewed last, up to its end."""
        node = self._session.game.node
        for _move in range(moves):
            following = self.next_node(node)
            if following is None:
                break
            node = following
        return node

    def sibling(self) -> Node:
        """Return the next variation of this move, cyclically; the move itself if it has none."""
        node = self._session.game.node
        siblings = node.parent.children if node.parent is not None else (node,)
        return siblings[(siblings.index(node) + 1) % len(siblings)]

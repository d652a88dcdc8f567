"""A ladder as it is shown on the board: numbered stones along its line, played forward and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from daoqi_tui.analysis.ladder import Ladder, LadderPoints
from daoqi_tui.analysis.reading_board import ReadingBoard
from daoqi_tui.engine import PASS, Board, Colour, Style, Torus, opponent
from daoqi_tui.i18n import _, plural
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.words import colour_word, no_ladder_words


@dataclass(frozen=True)
class LadderView:
    """A reading and how far its line is played out.

    Attributes:
        ladder: the reading.
        boards: the stones before each ply, and after the last.
        step: plies shown; a capture shows when the next ply is, so that the last one leaves the whole line standing.
        points: where one more stone would change the answer; None while that is being read.
    """

    ladder: Ladder
    boards: tuple[bytes, ...]
    step: int
    points: LadderPoints | None = None

    @classmethod
    def of(cls, board: Board, ladder: Ladder) -> LadderView:
        """The view of a reading of ``board``, its whole line played."""
        trial = ReadingBoard(board, ladder.to_move)
        boards = [bytes(trial.colours)]
        for point in ladder.line:
            trial.make(point)
            boards.append(bytes(trial.colours))
        return cls(ladder, tuple(boards), ladder.plies)

    def at(self, step: int) -> LadderView:
        """The same reading with another number of plies shown, as near to it as there are."""
        return replace(self, step=max(0, min(step, self.ladder.plies)))

    def colour_of(self, ply: int) -> Colour:
        """Who makes a ply, counted from 1."""
        first = self.ladder.to_move
        return first if ply % 2 else opponent(first)

    @cached_property
    def stones(self) -> bytes:
        """The stones to show."""
        if self.step == 0:
            return self.boards[0]
        point = self.ladder.line[self.step - 1]
        stones = bytearray(self.boards[self.step - 1])
        if point != PASS:
            stones[point] = self.colour_of(self.step)
        return bytes(stones)

    @cached_property
    def numbers(self) -> dict[int, str]:
        """The number of the ply on each of its stones that still stands."""
        numbers = {}
        for ply, point in enumerate(self.ladder.line[: self.step], 1):
            if point != PASS and self.stones[point] == self.colour_of(ply):
                numbers[point] = str(ply)
        return numbers

    @cached_property
    def marks(self) -> dict[int, str]:
        """The colour of the stone that would change the answer, by point."""
        if self.points is None:
            return {}
        black, white = set(self.points.black), set(self.points.white)
        return {
            point: "both" if point in black & white else "black" if point in black else "white"
            for point in black | white
            if not self.stones[point]
        }

    def shown_on(self, picture: Picture) -> Picture:
        """The picture of the game with this line laid over it."""
        last = self.ladder.line[self.step - 1] if self.step else None
        return picture._replace(
            stones=self.stones,
            last=None if last == PASS else last,
            ghost=None,
            chain=frozenset(),
            liberties=frozenset(),
            owners=None,
            strength=None,
            dead=frozenset(),
            labels=self.numbers,
            marks=self.marks,
            badges={},
        )

    def words(self, torus: Torus, style: Style) -> str:
        """The answer in words."""
        ladder = self.ladder
        name = torus.name(ladder.target.stones[0], style)
        chain = f"{colour_word(ladder.target.colour)} {name}"
        if len(ladder.target.liberties) > 2:
            return no_ladder_words(ladder.target, name)
        first = _("{colour} first").format(colour=colour_word(ladder.to_move))
        plies = plural("{count} ply", "{count} plies", ladder.plies)
        if ladder.result == "captured":
            answer = _("{chain} is captured in {plies}").format(chain=chain, plies=plies)
        elif ladder.line:
            answer = _("{chain} escapes in {plies}").format(chain=chain, plies=plies)
        else:
            answer = _("{chain} escapes: no atari works").format(chain=chain)
        parts = [f"{answer}, {first}"]
        if self.points is not None:
            count = len(self.points.black) + len(self.points.white)
            if ladder.result == "captured":
                parts.append(plural("{count} breaker", "{count} breakers", count))
            else:
                parts.append(plural("{count} maker", "{count} makers", count))
        return "  ·  ".join(parts)

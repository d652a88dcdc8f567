"""The result of reading a ladder, as shown on the board and in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from daoqi_tui.engine import EMPTY, PASS, Board, Colour, Style, Torus, opponent
from daoqi_tui.i18n import _, plural
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.wording import colour_word, describe_no_ladder

if TYPE_CHECKING:
    from daoqi_tui.reading.ladder import Ladder, LadderPoints


@dataclass(frozen=True)
class LadderView:
    """The result of reading a ladder, and the number of plies of its line that are shown.

    Attributes:
        ladder: the result.
        boards: the stones before each ply, and after the last.
        step: plies shown; a capture is shown with the next ply, so that at the last one the whole line is still on the
            board.
        points: ladder breakers and makers; None while they are being read.
    """

    ladder: Ladder
    boards: tuple[bytes, ...]
    step: int
    points: LadderPoints | None = None

    @classmethod
    def of(cls, board: Board, ladder: Ladder) -> LadderView:
        """Return the view of a ladder read on ``board`` with its whole line shown."""
        from daoqi_tui.reading.ladder import ReadingBoard  # noqa: PLC0415

        trial = ReadingBoard(board, ladder.to_move)
        boards = [bytes(trial.colours)]
        for point in ladder.line:
            trial.make(point)
            boards.append(bytes(trial.colours))
        return cls(ladder, tuple(boards), ladder.plies)

    def at(self, step: int) -> LadderView:
        """Return the same ladder with another number of plies shown, clamped to the line."""
        return replace(self, step=max(0, min(step, self.ladder.plies)))

    def colour_of(self, ply: int) -> Colour:
        """Return the colour that plays a ply, counted from 1."""
        first = self.ladder.to_move
        return first if ply % 2 else opponent(first)

    @cached_property
    def stones(self) -> bytes:
        """Return the colours of all points after the plies shown."""
        if self.step == 0:
            return self.boards[0]
        point = self.ladder.line[self.step - 1]
        stones = bytearray(self.boards[self.step - 1])
        if point != PASS:
            stones[point] = self.colour_of(self.step)
        return bytes(stones)

    @cached_property
    def numbers(self) -> dict[int, str]:
        """Return the ply number of each stone of the line that is still on the board."""
        numbers = {}
        for ply, point in enumerate(self.ladder.line[: self.step], 1):
            if point != PASS and self.stones[point] == self.colour_of(ply):
                numbers[point] = str(ply)
        return numbers

    @cached_property
    def marks(self) -> dict[int, str]:
        """Return the colour of the ladder breaker or maker, by point."""
        if self.points is None:
            return {}
        black, white = set(self.points.black), set(self.points.white)
        return {
            point: "both" if point in black & white else "black" if point in black else "white"
            for point in black | white
            if not self.stones[point]
        }

    def shown_on(self, picture: Picture) -> Picture:
        """Return the picture of the game with the line drawn on it."""
        played = self.boards[0]
        proposed = {
            point: colour for point, colour in enumerate(self.stones) if colour != EMPTY and colour != played[point]
        }
        return picture._replace(
            stones=bytes(EMPTY if point in proposed else colour for point, colour in enumerate(self.stones)),
            proposed=proposed,
            last=None,
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
        """Word the result of the reading."""
        ladder = self.ladder
        name = torus.name(ladder.target.stones[0], style)
        chain = f"{colour_word(ladder.target.colour)} {name}"
        if len(ladder.target.liberties) > 2:
            return describe_no_ladder(ladder.target, name)
        first = _("{colour} first").format(colour=colour_word(ladder.to_move))
        plies = plural("{count} move", "{count} moves", ladder.plies)
        if ladder.result == "captured":
            answer = _("{chain} is captured in {plies}").format(chain=chain, plies=plies)
        elif ladder.line:
            answer = _("{chain} escapes in {plies}").format(chain=chain, plies=plies)
        else:
            answer = _("{chain} escapes: no atari works").format(chain=chain)
        parts = [_(", ").join((answer, first))]
        if self.points is not None:
            count = len(self.points.black) + len(self.points.white)
            if ladder.result == "captured":
                parts.append(plural("{count} breaker", "{count} breakers", count))
            else:
                parts.append(plural("{count} maker", "{count} makers", count))
        return "  ·  ".join(parts)

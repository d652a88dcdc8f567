"""The best moves of a position and the result of reading a ladder, on the board and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.engine import BLACK, EMPTY, PASS, Board, Colour, Game, Node, Style, Torus, opponent
from daoqi_tui.i18n import N_, _, listed, plural
from daoqi_tui.pictures.picture import Chip, Picture
from daoqi_tui.play.evaluation import Clarity, Evaluation, describe_lead, describe_lost, grade_of
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_no_ladder,
    describe_points,
    describe_refusal,
    fitting,
    move_name,
    with_keys,
)

if TYPE_CHECKING:
    from daoqi_tui.ai import Candidate
    from daoqi_tui.reading.ladder import Ladder, LadderPoints

PLIES: Final = 8
"""The number of plies of a principal variation that are drawn."""
TOO_FEW: Final = N_("Nothing is found yet: ask again")
"""The message for a finished search without best moves."""
_NOTHING_LOST: Final = 0.5
"""The points by which a short search cannot tell two moves apart."""
_FOLLOWING: Final = 3
"""The number of moves that are named after a best move."""
POINTS_NAMED: Final = 3
"""The number of moves that a hint names without saying which is best."""


class BestMoves(NamedTuple):
    """The best moves of a position.

    Attributes:
        node: the position.
        mover: the side to move.
        evaluation: of the position, with its lines.
    """

    node: Node
    mover: Colour
    evaluation: Evaluation

    @property
    def lines(self) -> tuple[Candidate, ...]:
        return self.evaluation.lines

    def lead(self, candidate: Candidate) -> float:
        return candidate.margin if self.mover == BLACK else -candidate.margin

    def lost(self, candidate: Candidate) -> float:
        """Return the points that a move loses against the best one."""
        return max(0.0, self.lead(self.lines[0]) - self.lead(candidate))

    def at(self, point: int) -> Candidate | None:
        return next((line for line in self.lines if line.move == point), None)

    def region(self, torus: Torus) -> frozenset[int]:
        """Return a part of the board that holds the best move; it does not tell where."""
        best = self.lines[0].move
        if best == PASS:
            return frozenset()
        side = max(3, torus.size // 4)
        row, column = (place // side * side for place in torus.position(best))
        return frozenset(torus.point(row + down, column + right) for down in range(side) for right in range(side))

    # On the board

    def shown_on(self, picture: Picture, torus: Torus, clarity: Clarity, point: int) -> Picture:
        """Return the picture with as much as ``clarity`` says, and the line of the move at ``point`` if all shows."""
        match clarity:
            case Clarity.NOTHING:
                return picture
            case Clarity.REGION:
                return picture._replace(chain=self.region(torus), liberties=frozenset(), badges={})
            case Clarity.POINTS:
                moves = sorted(line.move for line in self.lines[:POINTS_NAMED] if line.move != PASS)
                return _plain(picture)._replace(labels=dict(zip(moves, "ABC", strict=False)))
            case Clarity.MOVE:
                return self._with_line(picture, self.lines[0], {})
        chips = {
            candidate.move: self._chip(candidate, rank)
            for rank, candidate in enumerate(self.lines, 1)
            if candidate.move != PASS and not picture.stones[candidate.move]
        }
        pointed = self.at(point)
        if pointed is None:
            return _plain(picture)._replace(chips=chips)
        return self._with_line(picture, pointed, chips)

    def _chip(self, candidate: Candidate, rank: int) -> Chip:
        rows = (
            f"{min(99, round(100 * candidate.win))}%",
            describe_lost(self.lost(candidate)),
            short_count(candidate.visits),
        )
        return Chip(grade_of(self.lost(candidate)), rows, rank)

    def _with_line(self, picture: Picture, candidate: Candidate, chips: dict[int, Chip]) -> Picture:
        """Return the picture with the stones of a line, numbered from 1; other moves keep their chips."""
        proposed: dict[int, Colour] = {}
        labels: dict[int, str] = {}
        colour = self.mover
        for ply, move in enumerate(candidate.line[:PLIES], 1):
            if move != PASS and not picture.stones[move] and move not in proposed and (ply == 1 or move not in chips):
                proposed[move] = colour
                labels[move] = str(ply)
            colour = opponent(colour)
        left = {move: chip for move, chip in chips.items() if move not in proposed}
        return _plain(picture)._replace(proposed=proposed, labels=labels, chips=left)

    # In words

    def describe(
        self, torus: Torus, style: Style, clarity: Clarity, point: int, room: int, *, searched: str = ""
    ) -> str:
        """Word as much as ``clarity`` says in at most ``room`` cells; ``searched`` says how far a search is."""
        match clarity:
            case Clarity.REGION:
                text = _("The best move is a pass") if self.lines[0].move == PASS else _("Look in the highlighted area")
                return fitting([text, searched, with_keys(_("{hint} says more, {clear} clears"))], room)
            case Clarity.POINTS:
                text = _("One of these moves is best")
                return fitting([text, searched, with_keys(_("{hint} says more, {clear} clears"))], room)
            case Clarity.MOVE:
                verdict, sequel = (said(self.lines[0], torus, style) for said in (self.verdict, self.sequel))
                ends = with_keys(_("{clear} stops") if searched else _("{clear} clears"))
                return fitting([verdict, searched, sequel, ends], room)
        pointed = self.at(point)
        if pointed is not None:
            return fitting([self.verdict(pointed, torus, style), self.sequel(pointed, torus, style)], room)
        return fitting(
            [
                self.verdict(self.lines[0], torus, style),
                with_keys(_("{next_move} steps through the moves, {analysis} stops")),
            ],
            room,
        )

    def verdict(self, candidate: Candidate, torus: Torus, style: Style) -> str:
        """Say how good a move is: the best one with the balance after it, another with what it loses."""
        best, move = self.lines[0], move_name(candidate.move, torus, style)
        if candidate is best:
            return _("Best: {move}. {balance}").format(move=move, balance=describe_balance(best.win, self.mover))
        text = _("{move} loses {lost} compared with {best}")
        lost = self.lost(candidate)
        if lost < _NOTHING_LOST:
            text = _("{move} is about as good as {best}")
        return text.format(move=move, best=move_name(best.move, torus, style), lost=describe_points(lost))

    def sequel(self, candidate: Candidate, torus: Torus, style: Style) -> str:
        """Say what follows a move; empty if that is not known."""
        named = [move_name(move, torus, style) for move in candidate.line[1 : 1 + _FOLLOWING]]
        if not named:
            return ""
        text = _("Then {moves} …") if len(candidate.line) > 1 + _FOLLOWING else _("Then {moves}")
        return text.format(moves=listed(named))

    def describe_move(self, candidate: Candidate, torus: Torus, style: Style) -> str:
        text = _("{move}: win rate {share}, score lead {lead}, points lost {lost}, {count} visits")
        return text.format(
            move=move_name(candidate.move, torus, style),
            share=f"{candidate.win:.0%}",
            lead=describe_lead(candidate.margin),
            lost=f"{self.lost(candidate):.1f}",
            count=f"{candidate.visits:,}",
        )


def all_equal(node: Node, stones: Sequence[int]) -> str:
    """Say that no move is better than another, empty if one may be: at the start of a game from the empty board."""
    if node.number or any(stones):
        return ""
    return _("All first moves are equal: this board has no corners, no edges and no centre")


def check_searchable(game: Game, style: Style) -> None:
    """Check that the best moves of a position can be looked for.

    Raises:
        Unable: they cannot.
    """
    if game.is_over:
        raise Unable(_("The game is over: go back to a move and ask again"))
    if refusal := game.board.no_liberties():
        raise Unable(describe_refusal(refusal, game.torus, style))
    if equal := all_equal(game.node, game.board.colours):
        raise Unable(equal)


SLIGHTLY_AHEAD: Final = 0.55
_BALANCES: Final = (
    (0.9, N_("{colour} is winning")),
    (0.7, N_("{colour} is ahead")),
    (SLIGHTLY_AHEAD, N_("{colour} is slightly ahead")),
)
"""The least win rates of the side that is better, and how a player says it."""


def describe_balance(share: float, mover: Colour) -> str:
    """Say who is better, by the win rate of the side to move."""
    leader, share = (mover, share) if share >= 0.5 else (opponent(mover), 1 - share)
    text = next((text for least, text in _BALANCES if share >= least), N_("About even"))
    return _(text).format(colour=colour_word(leader))


def _plain(picture: Picture) -> Picture:
    return picture._replace(ghost=None, chain=frozenset(), liberties=frozenset(), badges={}, labels={})


def short_count(count: int) -> str:
    """Word a count, rounded down, in at most four characters: ``812``, ``1.2k``, ``34k``."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if count >= unit:
            return f"{count * 10 // unit / 10}{sign}" if count < 10 * unit else f"{count // unit}{sign}"
    return str(count)


# Ladders


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
        from daoqi_tui.reading.ladder import ReadingBoard  # noqa: PLC0415

        trial = ReadingBoard(board, ladder.to_move)
        boards = [bytes(trial.colours)]
        for point in ladder.line:
            trial.make(point)
            boards.append(bytes(trial.colours))
        return cls(ladder, tuple(boards), ladder.plies)

    def at(self, step: int) -> LadderView:
        return replace(self, step=max(0, min(step, self.ladder.plies)))

    def colour_of(self, ply: int) -> Colour:
        first = self.ladder.to_move
        return first if ply % 2 else opponent(first)

    @cached_property
    def stones(self) -> bytes:
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
            mistakes={},
        )

    def describe(self, torus: Torus, style: Style) -> str:
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

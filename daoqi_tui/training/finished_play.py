"""Games by a network's policy alone that are played until nothing is left to settle, so that their end tells the truth.

A teacher that knew only boards with edges takes stones for dead that live on a torus, and so does who learns its
judgement. The end of a game says who owned what; but only where nobody passes while stones that are thought dead are
still on the board, since they count as alive there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.katago_features import bits
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import Judge
from daoqi_tui.engine import BLACK, WHITE, area
from daoqi_tui.training.endings import End, Lesson, Seen
from daoqi_tui.training.raw_play import RawGame, RawPlay, legal_policy
from daoqi_tui.training.settings import Finishing

SLACK = 2.0
"""Points by which the count may fall short of the lead that is thought, and a pass is still in order."""


class FinishedGame(RawGame):
    """A game under way: first it goes astray, then it is played as well as the network can, to the end.

    Args:
        size: points along a side.
        play: its opening, komi, and how it goes astray.
        finishing: how far it goes astray, and its length.
        rng: where chance is from.

    Attributes:
        astray: how many moves are played as ``play`` says.
        seen: positions to be learnt from.
    """

    def __init__(self, size: int, play: RawPlay, finishing: Finishing, rng: np.random.Generator) -> None:
        super().__init__(size, replace(play, longest=finishing.longest), rng)
        points = self.board.torus.points
        self.astray = int(rng.integers(0, 1 + round(finishing.astray * points)))
        self.seen: list[Seen] = []
        self._passes_before: float | None = None

    @property
    def is_serious(self) -> bool:
        """Whether it is played as well as the network can."""
        return len(self.recent) >= self.astray

    def serious_policy(self, policy: Floats, lead: float) -> Floats:
        """A policy of legal moves without a pass that would leave things unsettled; ``lead`` is what is thought."""
        if not likes_pass(policy) or self._is_settled(lead):
            return policy
        torus, board = self.board.torus, self.board
        # Points amid one's own stones are eyes, mostly; to fill them settles nothing.
        free = bits(torus.dilate(torus.full & ~board.stones(board.to_move)), torus.points)
        plays = policy[:-1] * free
        total = float(plays.sum())
        return np.append(plays / np.float32(total), np.float32(0.0)) if total > 0.0 else policy

    def heed(self, policy: Floats) -> None:
        """Take note of a policy of legal moves before a move in earnest."""
        if self._passes_before is None and likes_pass(policy):
            self._passes_before = self._passes_lead()

    def _is_settled(self, lead: float) -> bool:
        """Whether the side to move gets, by the count as it stands, what it is thought to get."""
        margin = area(self.board, self.komi).margin
        return (margin if self.board.to_move == BLACK else -margin) >= lead - SLACK

    def _passes_lead(self) -> float:
        """What passes are worth to Black so far."""
        return float(self.board.passes[WHITE] - self.board.passes[BLACK])

    def end(self) -> End:
        """How it ended, without the passes made while stones were taken off.

        Who waits for that passes, but would not have to: one may fill one's own points, or commit suicide with a
        single stone, for nothing.
        """
        end = End.of(self.board, self.komi)
        if self._passes_before is None:
            return end
        return replace(end, margin=end.margin - self._passes_lead() + self._passes_before)


def likes_pass(policy: Floats) -> bool:
    """Whether a pass, the last entry, is the likeliest move."""
    return int(policy.argmax()) == len(policy) - 1


def finished_games(
    judge: Judge,
    teacher: Judge | None,
    size: int,
    play: RawPlay,
    finishing: Finishing,
    *,
    rng: np.random.Generator,
    boards: int = 32,
) -> Iterator[list[Lesson]]:
    """Play games without end.

    Args:
        judge: the network that plays.
        teacher: whose policy is to be learnt; none to learn that of the network itself.
        size: points along a side.
        play: openings, komi, and how games go astray.
        finishing: how they are played from then on, and what is learnt from them.
        rng: where chance is from.
        boards: games under way at a time.

    Yields:
        What there is to learn from each game, when it is over; games that find no end yield nothing.
    """
    games = [FinishedGame(size, play, finishing, rng) for _ in range(boards)]
    while True:
        looks = [game.look(judge) for game in games]
        judged = judge.judge(looks, size)
        policies = [legal_policy(found.policy, game.board) for game, found in zip(games, judged, strict=True)]
        noted = [place for place, game in enumerate(games) if game.is_serious and rng.random() < finishing.noted]
        taught = [policies[place] for place in noted]
        if teacher is not None and noted:
            found = teacher.judge([games[place].look(teacher) for place in noted], size)
            taught = [legal_policy(one.policy, games[place].board) for place, one in zip(noted, found, strict=True)]
        for place, policy in zip(noted, taught, strict=True):
            game = games[place]
            wanted = game.serious_policy(policy, judged[place].lead)
            game.seen.append(Seen(looks[place], game.board.to_move, wanted, judged[place].win))
        for place, (game, policy) in enumerate(zip(games, policies, strict=True)):
            if game.is_serious:
                game.heed(policy)
                serious = game.serious_policy(policy, judged[place].lead)
                game.make(game.move_at(drawn(serious, finishing.temperature, rng)))
            else:
                game.make(game.choose(policy, play, rng))
            if game.over:
                if game.passes == 2 and game.seen:
                    yield game.end().lessons(game.seen, finishing.outcome)
                games[place] = FinishedGame(size, play, finishing, rng)

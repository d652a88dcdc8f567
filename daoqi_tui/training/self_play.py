"""Plays games for training; every decision about a self-play game is made here.

The games are a :class:`~daoqi_tui.training.game_batch.GameBatch`, on the engine's boards or in tensors; the same random
numbers give the same games on either.

Games are played in three ways. Those for teaching go by a policy alone, the teacher's or another network's, and the
teacher labels their positions. In settled games the network first explores, then plays by its policy until nothing is
left to settle, so that the result gives true targets. In searched games it searches then; as in the KataGo paper (Wu
2019) some moves get a full search, which is learnt from, the others a quick one or none (playout cap randomisation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.self_play import DECIDED, SLACK
from daoqi_tui.engine import BLACK
from daoqi_tui.training.batch_evaluator import BatchEvaluation, legal_policies, sample_moves
from daoqi_tui.training.game_batch import GameBatch, PositionBatch
from daoqi_tui.training.gumbel import GumbelRoots
from daoqi_tui.training.positions import Positions
from daoqi_tui.training.samples import GameResults, RecordedPositions, packed, positions_from
from daoqi_tui.training.settings import Finishing, PolicyPlay, Searching, Teaching


def generator_on(device: torch.device, rng: np.random.Generator) -> torch.Generator:
    """Return a torch generator on a device, seeded from ``rng``."""
    return torch.Generator(device).manual_seed(int(rng.integers(2**62)))


class GameParameters:
    """The komi and the opening length of each of many games, drawn before play.

    Args:
        games: how many.
        size: points along a side.
        play: the distributions.
        generator: the source of random numbers.

    Attributes:
        komi: points for White, ``(games,)``, float32.
        opening: moves played at the opening's temperature, ``(games,)``.
    """

    def __init__(self, games: int, size: int, play: PolicyPlay, generator: torch.Generator) -> None:
        points, device = size * size, generator.device
        varied = torch.rand(games, generator=generator, device=device) < play.komi_varied
        more = torch.randn(games, generator=generator, device=device) * play.komi_spread * points
        self.komi = play.komi + torch.round(more * 2) / 2 * varied
        self.opening = torch.randint(1 + round(play.opening * points), (games,), generator=generator, device=device)

    def renew(self, others: GameParameters, where: Tensor) -> None:
        """Take the parameters of ``others`` for the games ``where``."""
        self.komi = others.komi.where(where, self.komi)
        self.opening = others.opening.where(where, self.opening)

    def keep(self, indices: Tensor) -> None:
        """Go on with the games at ``indices`` alone."""
        self.komi, self.opening = self.komi[indices], self.opening[indices]


# Games by the policy alone


def policy_positions(
    games: GameBatch, play: PolicyPlay, teaching: Teaching, generator: torch.Generator
) -> Iterator[Positions]:
    """Play games without end by the policy; before each move yield positions and what is to be learnt of them.

    Args:
        games: newly begun. Where they have a teacher, it labels the positions, else the network that plays does.
        play: komi, openings, temperatures and the greatest length.
        teaching: how many positions are yielded, and who judges them.
        generator: the source of random numbers.
    """
    parameters = GameParameters(len(games), games.size, play, generator)
    longest = play.max_moves(games.size**2)
    _stagger(games, generator)
    while True:
        positions = games.positions(parameters.komi)
        found = games.evaluate(positions)
        policy = legal_policies(found.policy, positions.plays)
        noted = torch.rand(len(games), generator=generator, device=games.device) < teaching.noted
        chosen = noted.nonzero()[:, 0]
        if len(chosen):
            yield _labelled(games, positions.taken(chosen), found.taken(chosen), chosen, teaching)
        opening = games.plies < parameters.opening
        games.play(sample_moves(*exploration_policies(policy, positions.plays, opening, play, generator), generator))
        ended = games.over | (games.plies >= longest)
        games.restart(ended)
        parameters.renew(GameParameters(len(games), games.size, play, generator), ended)


def _labelled(
    games: GameBatch, positions: PositionBatch, found: BatchEvaluation, chosen: Tensor, teaching: Teaching
) -> Positions:
    """Return the positions of the games at ``chosen`` for training; ``found`` is the network's evaluation of them."""
    taught = games.teach(positions, chosen)
    if taught is None:
        taught = found
    judged = taught if teaching.values == "teacher" else found
    value = torch.stack((judged.win, judged.lead, judged.spread), dim=1)
    policy = legal_policies(taught.policy, positions.plays)
    return positions_from(packed(positions.inputs), policy, value, judged.owner)


def exploration_policies(
    policy: Tensor, plays: Tensor, opening: Tensor, play: PolicyPlay, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return the policies that moves are drawn from, some of them uniform over the legal plays, and the temperatures.

    Args:
        policy: of legal moves, ``(games, points + 1)``.
        plays: the legal plays, ``(games, points)``.
        opening: which games are in their opening, ``(games,)``.
        play: the temperatures and the share of random moves.
        generator: the source of random numbers.
    """
    is_random = torch.rand(len(policy), generator=generator, device=policy.device) < play.random
    uniform = legal_policies(functional.pad(plays.float(), (0, 1)), plays)
    chosen = torch.where(is_random[:, None], uniform, policy)
    return chosen, torch.where(opening, play.opening_temperature, play.temperature)


def _stagger(games: GameBatch, generator: torch.Generator) -> None:
    """Make up to a board's side of random moves: games that began together would all be in the same stage."""
    count, size, device = len(games), games.size, games.device
    moves = torch.randint(size, (count,), generator=generator, device=device)
    uniform = torch.ones((count, size * size + 1), device=device)
    temperature = torch.ones(count, device=device)
    for made in range(size - 1):
        policy = legal_policies(uniform, games.legal_plays())
        games.play(sample_moves(policy, temperature, generator), moves > made)
        games.forget_passes()


# Games played until nothing is left to settle


def likes_pass(policy: Tensor) -> Tensor:
    """Return whether a pass, the last entry, is the most likely move of each policy; ``(games,)``."""
    return policy.argmax(1) == policy.shape[1] - 1


def without_early_passes(policy: Tensor, positions: PositionBatch, lead: Tensor) -> Tensor:
    """Return policies without a pass where it is liked best but the score falls short of the expected lead.

    A teacher that knew only boards with edges takes stones for dead that live on a torus, and so does who learns from
    it. The end of a game tells who owned what; but only where nobody passes while stones that are thought dead are
    still on the board, since they count as alive there.

    Args:
        policy: of legal moves, ``(games, points + 1)``.
        positions: of these games.
        lead: the expected lead of the side to move, ``(games,)``.
    """
    settled = positions.margin.where(positions.to_move == BLACK, -positions.margin) >= lead - SLACK
    # Points enclosed by one's own stones are eyes, mostly; to fill them settles nothing.
    plays = functional.pad(policy[:, :-1] * ~positions.enclosed, (0, 1))
    total = plays.sum(1, keepdim=True)
    refused = (likes_pass(policy) & ~settled)[:, None] & (total > 0)
    return torch.where(refused, plays / total, policy)


def is_decided(win: Tensor) -> Tensor:
    """Return whether win rates are so near to 0 or 1 that the game counts as decided."""
    return (win - 0.5).abs() > DECIDED - 0.5


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """A set of games that were played to their end.

    Attributes:
        positions: the training positions; None if none was recorded in a game with a result.
        game: the number of each position's game; within a game in the order of play. ``(positions,)``.
        komi: points for White in each game, ``(games,)``.
        moves: of each game, the number of points for a pass, and −1 after the end; ``(games, moves)``, int16.
    """

    positions: Positions | None
    game: Tensor
    komi: Tensor
    moves: Tensor


def settled_games(games: GameBatch, play: PolicyPlay, finishing: Finishing, generator: torch.Generator) -> PlayedGames:
    """Play games by the policy to a settled end; the policy to learn is the teacher's, where there is one.

    Args:
        games: newly begun.
        play: komi, and how the first moves are explored.
        finishing: how many these are, how games go on, and what is learnt from them.
        generator: the source of random numbers.
    """
    run = _GameSet(games, play, finishing, generator)
    while run.is_going:
        run.move_by_policy()
    return run.played(finishing.outcome)


def searched_games(
    games: GameBatch, searching: Searching, play: PolicyPlay, finishing: Finishing, generator: torch.Generator
) -> PlayedGames:
    """Play games by search to a settled end; the policy to learn is what a full search found.

    Args:
        games: newly begun.
        searching: how moves are searched, and what is learnt.
        play: komi, and how the first moves are explored.
        finishing: how many these are, the temperature of moves that are not searched, and the greatest length.
        generator: the source of random numbers.
    """
    run = _GameSet(games, play, finishing, generator)
    while run.is_going:
        run.move_by_search(searching)
    return run.played(searching.outcome)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The positions of all games before a move.

    Attributes:
        positions: the positions.
        found: the network's evaluation.
        policy: the network's, of legal moves.
        serious: which games are past their exploration.
    """

    positions: PositionBatch
    found: BatchEvaluation
    policy: Tensor
    serious: Tensor


class _GameSet:
    """A set of games that explore first and are then played as well as the network can; those that end are dropped.

    Numbers count the games of the set, indices those still under way.
    """

    def __init__(self, games: GameBatch, play: PolicyPlay, finishing: Finishing, generator: torch.Generator) -> None:
        self._games = games
        self._play = play
        self._finishing = finishing
        self._generator = generator
        count, points, device = len(games), games.size**2, games.device
        self._longest = round(finishing.longest * points)
        self._parameters = GameParameters(count, games.size, play, generator)
        self._exploration = torch.randint(
            1 + round(finishing.astray * points), (count,), generator=generator, device=device
        )
        self._numbers = torch.arange(count, device=device)
        self._komi = self._parameters.komi
        self._moves = torch.full((count, self._longest), -1, dtype=torch.int16, device=device)
        # What passes were worth to Black when the network first liked one best; not a number where it never did.
        self._first_balance = torch.full((count,), torch.nan, device=device)
        self._margin = torch.zeros(count, device=device)
        self._black = torch.zeros((count, points), device=device)
        self._settled = torch.zeros(count, dtype=torch.bool, device=device)
        self._recorded: list[RecordedPositions] = []

    @property
    def is_going(self) -> bool:
        """True if any game has not ended."""
        return len(self._numbers) > 0

    def move_by_policy(self) -> None:
        """Make a move by the policy in each game, and record a share of the positions."""
        turn = self._turn()
        indices = (turn.serious & self._happens(self._finishing.noted)).nonzero()[:, 0]
        if len(indices):
            positions, policy, found = turn.positions.taken(indices), turn.policy[indices], turn.found.taken(indices)
            taught = self._games.teach(positions, indices)
            if taught is not None:
                policy = legal_policies(taught.policy, positions.plays)
            # Whether a pass is early depends on the lead that the network itself expects.
            self._record(indices, positions, without_early_passes(policy, positions, found.lead), found.win)
        self._make(turn, self._policy_moves(turn))

    def move_by_search(self, searching: Searching) -> None:
        """Make a move in each game by a full search, a quick one or none, and record what full searches found.

        All games get a full search in the same turns, since evaluations are the faster the more games wait for them.
        """
        turn = self._turn()
        moves = self._policy_moves(turn)
        full = torch.zeros_like(turn.serious)
        if torch.rand((), generator=self._generator, device=full.device) < searching.full:
            kept = torch.where(is_decided(turn.found.win), searching.decided, 1.0)
            full = turn.serious & self._happens(kept)
        for chosen, visits, is_full in (
            (full, searching.visits, True),
            (turn.serious & ~full, searching.quick_visits, False),
        ):
            indices = chosen.nonzero()[:, 0]
            if not visits or not len(indices):
                continue
            positions, found = turn.positions.taken(indices), turn.found.taken(indices)
            trees = self._games.trees(positions, indices, found, visits)
            gumbel = GumbelRoots(trees, visits, searching.considered, self._generator if is_full else None)
            gumbel.search()
            best, policy = gumbel.best(), without_early_passes(gumbel.policy(), positions, found.lead)
            if is_full:
                self._record(indices, positions, policy, gumbel.win_rates(best))
            # Where the search would pass too early, the most likely other move is played.
            passes_early = (best == policy.shape[1] - 1) & (policy[:, -1] == 0)
            moves[indices] = torch.where(passes_early, policy.argmax(1), best)
        self._make(turn, moves)

    def played(self, outcome: float) -> PlayedGames:
        """Return the games, now that all have ended; ``outcome`` is its share in the win target."""
        results = GameResults(self._margin, self._black, self._settled)
        positions, game = results.samples(self._recorded, outcome)
        return PlayedGames(positions, game, self._komi, self._moves)

    def _happens(self, chance: float | Tensor) -> Tensor:
        """Draw for each game whether something of this chance happens."""
        return torch.rand(len(self._numbers), generator=self._generator, device=self._games.device) < chance

    def _turn(self) -> _Turn:
        """Evaluate the positions."""
        positions = self._games.positions(self._parameters.komi)
        found = self._games.evaluate(positions)
        serious = self._games.plies >= self._exploration[self._numbers]
        return _Turn(positions, found, legal_policies(found.policy, positions.plays), serious)

    def _policy_moves(self, turn: _Turn) -> Tensor:
        """Draw a move of each game by the policy, in exploration or in earnest; ``(games,)``."""
        opening = self._games.plies < self._parameters.opening
        explored, heat = exploration_policies(turn.policy, turn.positions.plays, opening, self._play, self._generator)
        earnest = without_early_passes(turn.policy, turn.positions, turn.found.lead)
        chosen = torch.where(turn.serious[:, None], earnest, explored)
        return sample_moves(chosen, torch.where(turn.serious, self._finishing.temperature, heat), self._generator)

    def _record(self, indices: Tensor, positions: PositionBatch, policy: Tensor, win: Tensor) -> None:
        """Record the positions of the games at ``indices``."""
        numbers = self._numbers[indices]
        self._recorded.append(RecordedPositions(numbers, packed(positions.inputs), positions.to_move, policy, win))

    def _make(self, turn: _Turn, moves: Tensor) -> None:
        """Make a move in each game, and score and drop those that end."""
        games, numbers, first = self._games, self._numbers, self._first_balance[self._numbers]
        begins = turn.serious & likes_pass(turn.policy) & first.isnan()
        self._first_balance[numbers] = torch.where(begins, turn.positions.pass_balance, first)
        self._moves[numbers, games.plies] = moves.to(torch.int16)
        games.play(moves)
        over = games.over
        ended = over | (games.plies >= self._longest)
        if not ended.any():
            return
        indices, left = ended.nonzero()[:, 0], (~ended).nonzero()[:, 0]
        done = numbers[indices]
        scores = games.scores(self._parameters.komi[indices], indices)
        # Passes made while the opponent takes dead stones off would not be made without that: one may fill one's own
        # points, or commit suicide with a single stone, for nothing.
        refund = (self._first_balance[done] - scores.pass_balance).nan_to_num(0.0)
        self._margin[done] = scores.margin + refund
        self._black[done], self._settled[done] = scores.black, over[indices]
        self._numbers = numbers[left]
        games.keep(left)
        self._parameters.keep(left)

"""Plays games for training; all decisions about self-play games are made here.

The games are a :class:`~daoqi_tui.lab.training.game_batch.GameBatch`, on the engine's boards or in tensors; the same
random numbers give the same games on either.

Games are played in three ways. Teaching games are policy-only games of the teacher or another network, and the teacher
labels their positions. In settled games the network first explores, then plays by its policy until nothing is left to
settle, so that the result is a ground truth for the targets. In searched games it searches after the exploration; as in
the KataGo paper (Wu 2019), some moves get a full search, which is learnt from, the others a quick one or none (playout
cap randomisation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.lab.openings.games import DECIDED, SLACK
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation, legal_policies, sample_moves
from daoqi_tui.lab.training.game_batch import CurrentScore, GameBatch, PositionBatch
from daoqi_tui.lab.training.gumbel import GumbelRoots
from daoqi_tui.lab.training.labels import LabelledPositions
from daoqi_tui.lab.training.positions import Positions
from daoqi_tui.lab.training.samples import GameResults, RecordedPositions, packed, positions_from
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay, Searching, Teaching


def generator_on(device: torch.device, rng: np.random.Generator) -> torch.Generator:
    """Return a torch generator on a device, seeded from ``rng``."""
    return torch.Generator(device).manual_seed(int(rng.integers(2**62)))


class GameParameters:
    """The komi and the opening length of each of many games, drawn before play.

    Args:
        games: their number.
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
        """Replace the parameters of the games ``where`` by those of ``others``."""
        self.komi = others.komi.where(where, self.komi)
        self.opening = others.opening.where(where, self.opening)

    def keep(self, indices: Tensor) -> None:
        """Keep only the games at ``indices``."""
        self.komi, self.opening = self.komi[indices], self.opening[indices]


# Policy-only games


def policy_positions(
    games: GameBatch, play: PolicyPlay, teaching: Teaching, generator: torch.Generator, turns: int
) -> Iterator[LabelledPositions]:
    """Play policy-only games, new ones after those that end; before a share of the moves yield labelled positions.

    Args:
        games: new ones. If they have a teacher, it labels the positions, else the playing network does.
        play: komi, openings, temperatures and the maximum length.
        teaching: the share of positions that are labelled.
        generator: the source of random numbers.
        turns: the number of moves in each game, or in the games that follow it.
    """
    count = len(games)
    parameters = GameParameters(count, games.size, play, generator)
    longest = play.max_moves(games.size**2)
    _stagger(games, generator)
    stretches = torch.arange(count, device=games.device)
    for _ in range(turns):
        positions = games.positions(parameters.komi)
        found = games.evaluate(positions)
        policy = legal_policies(found.policy, positions.plays)
        # All games in the same turns, since larger batches are evaluated faster.
        if torch.rand((), generator=generator, device=games.device) < teaching.labelled:
            taught = games.teach(positions)
            labelled = _labelled(positions, found, taught, stretches, games.plies, share=teaching.player_policy)
            yield labelled
            if teaching.siblings:
                teachers = policy if taught is None else legal_policies(taught.policy, positions.plays)
                yield from _siblings(
                    games, stretches, parameters.komi, teachers + policy, teaching=teaching, generator=generator
                )
        opening = games.plies < parameters.opening
        exploration = explore(policy, positions.plays, opening, play, generator)
        games.play(sample_moves(exploration.policy, exploration.temperature, generator))
        ended = games.over | (games.plies >= longest)
        games.restart(ended)
        parameters.renew(GameParameters(count, games.size, play, generator), ended)
        # Unique, since each game has its own remainder.
        stretches = stretches + count * (exploration.is_random | opening | ended)


def _siblings(
    games: GameBatch, stretches: Tensor, komi: Tensor, policy: Tensor, *, teaching: Teaching, generator: torch.Generator
) -> Iterator[LabelledPositions]:
    """Yield the labelled positions after different plays of each game that has as many.

    Args:
        games: which stay as they are.
        stretches: the numbers of their stretches.
        komi: points for White in each.
        policy: from which the plays are drawn, ``(games, points + 1)``.
        teaching: their number, and whose policy is learnt.
        generator: the source of random numbers.
    """
    plays, count = policy[:, :-1], teaching.siblings
    enough = ((plays > 0).sum(1) >= count).nonzero()[:, 0]
    if not len(enough):
        return
    parents = enough.repeat_interleave(count)
    moves = torch.multinomial(plays[enough], count, generator=generator).flatten()
    reached = games.positions_after(parents, moves, komi[parents])
    found, taught = games.evaluate(reached), games.teach(reached)
    plies = games.plies[parents] + 1
    labelled = _labelled(reached, found, taught, stretches[parents], plies, share=teaching.player_policy)
    yield labelled._replace(siblings=count, is_played=False)


def _labelled(
    positions: PositionBatch,
    found: BatchEvaluation,
    taught: BatchEvaluation | None,
    stretches: Tensor,
    plies: Tensor,
    *,
    share: float,
) -> LabelledPositions:
    """Return positions with their evaluations by the player and by the teacher; without one it is the player.

    ``share`` is that of the player's policy in the one to be learnt; the rest is the teacher's.
    """
    inputs = packed(positions.inputs)
    policy = legal_policies((taught or found).policy, positions.plays)
    if taught is not None and share:
        policy = torch.lerp(policy, legal_policies(found.policy, positions.plays), share)

    def judged_by(evaluation: BatchEvaluation) -> Positions:
        value = torch.stack((evaluation.win, evaluation.lead, evaluation.spread), dim=1)
        return positions_from(inputs, policy, value, evaluation.owner)

    by_player = judged_by(found)
    by_teacher = by_player if taught is None else judged_by(taught)
    return LabelledPositions(by_player, by_teacher, stretches.cpu().numpy(), plies.cpu().numpy())


class Exploration(NamedTuple):
    """How to draw the next move of each game.

    Attributes:
        policy: to sample it from, ``(games, points + 1)``.
        temperature: of the sampling, ``(games,)``.
        is_random: mask of the games whose move is drawn uniformly from the legal plays, ``(games,)``.
    """

    policy: Tensor
    temperature: Tensor
    is_random: Tensor


def explore(
    policy: Tensor, plays: Tensor, opening: Tensor, play: PolicyPlay, generator: torch.Generator
) -> Exploration:
    """Return the policies to sample moves from, some of them uniform over the legal plays, and the temperatures.

    Args:
        policy: of legal moves, ``(games, points + 1)``.
        plays: the legal plays, ``(games, points)``.
        opening: mask of the games in their opening, ``(games,)``.
        play: the temperatures and the share of random moves.
        generator: the source of random numbers.
    """
    is_random = torch.rand(len(policy), generator=generator, device=policy.device) < play.random
    uniform = legal_policies(functional.pad(plays.float(), (0, 1)), plays)
    chosen = torch.where(is_random[:, None], uniform, policy)
    return Exploration(chosen, torch.where(opening, play.opening_temperature, play.temperature), is_random)


def _stagger(games: GameBatch, generator: torch.Generator) -> None:
    """Make up to a board's side of random moves, so that games that start together are not all in the same stage."""
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


def without_early_passes(policy: Tensor, current_score: CurrentScore, lead: Tensor) -> Tensor:
    """Return policies without the pass where it is the most likely move but the score falls short of the expected lead.

    A teacher trained only on boards with edges takes living stones on a torus for dead, and so does its student. The
    end of a game is the ground truth for ownership, but only if neither side passes while stones it considers dead are
    still on the board, since they count as alive.

    Args:
        policy: of legal moves, ``(games, points + 1)``.
        current_score: of these games.
        lead: the expected lead of the side to move, ``(games,)``.
    """
    settled = current_score.margin >= lead - SLACK
    # Points enclosed by one's own stones are mostly eyes; filling them settles nothing.
    plays = functional.pad(policy[:, :-1] * ~current_score.enclosed, (0, 1))
    total = plays.sum(1, keepdim=True)
    refused = (likes_pass(policy) & ~settled)[:, None] & (total > 0)
    return torch.where(refused, plays / total, policy)


def is_decided(win: Tensor) -> Tensor:
    """Return whether win rates are so close to 0 or 1 that the game counts as decided."""
    return (win - 0.5).abs() > DECIDED - 0.5


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """A set of finished games.

    Attributes:
        positions: the training positions; None if none was recorded in a game with a result.
        game: the index of each position's game; positions of a game are in order. ``(positions,)``.
        komi: points for White in each game, ``(games,)``.
        moves: of each game, with the number of points for a pass, and −1 after the end; ``(games, moves)``, int16.
    """

    positions: Positions | None
    game: Tensor
    komi: Tensor
    moves: Tensor


def settled_games(games: GameBatch, play: PolicyPlay, finishing: Finishing, generator: torch.Generator) -> PlayedGames:
    """Play policy-only games to a settled end; the policy target is the teacher's, if there is one.

    Args:
        games: new ones.
        play: komi, and the exploration of the first moves.
        finishing: the length of the exploration, later play, and the targets.
        generator: the source of random numbers.
    """
    run = _GameSet(games, play, finishing, generator)
    while run.is_going:
        run.move_by_policy()
    return run.played(finishing.outcome)


def searched_games(
    games: GameBatch, searching: Searching, play: PolicyPlay, finishing: Finishing, generator: torch.Generator
) -> PlayedGames:
    """Play searched games to a settled end; the policy target is the policy of a full search.

    Args:
        games: new ones.
        searching: the searches and the targets.
        play: komi, and the exploration of the first moves.
        finishing: the length of the exploration, the temperature of unsearched moves, and the maximum length.
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
        current_score: how far their boards are settled.
        found: the network's evaluation.
        policy: the network's policy, masked to legal moves.
        serious: mask of the games past their exploration.
    """

    positions: PositionBatch
    current_score: CurrentScore
    found: BatchEvaluation
    policy: Tensor
    serious: Tensor


class _GameSet:
    """A set of games with exploration first and then the network's best play; finished games are dropped.

    Numbers refer to the games of the set, indices to those still in progress.
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
            1 + round(finishing.exploratory * points), (count,), generator=generator, device=device
        )
        self._numbers = torch.arange(count, device=device)
        self._komi = self._parameters.komi
        self._moves = torch.full((count, self._longest), -1, dtype=torch.int16, device=device)
        # The balance of passes when a pass was first the network's most likely move; NaN if it never was.
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
        """Make a policy move in each game, and record a share of the positions."""
        turn = self._turn()
        indices = (turn.serious & self._happens(self._finishing.recorded)).nonzero()[:, 0]
        if len(indices):
            positions, policy, found = turn.positions.taken(indices), turn.policy[indices], turn.found.taken(indices)
            taught = self._games.teach(positions)
            if taught is not None:
                policy = legal_policies(taught.policy, positions.plays)
            # Whether a pass is early depends on the network's own expected lead.
            policy = without_early_passes(policy, turn.current_score.taken(indices), found.lead)
            self._record(indices, positions, policy, found.win)
        self._make(turn, self._policy_moves(turn))

    def move_by_search(self, searching: Searching) -> None:
        """Make a move in each game by a full search, a quick one or none, and record the results of full searches.

        All games get a full search in the same turns, since larger batches are evaluated faster.
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
            best = gumbel.best()
            policy = without_early_passes(gumbel.policy(), turn.current_score.taken(indices), found.lead)
            if is_full:
                self._record(indices, positions, policy, gumbel.win_rates(best))
            # If the search would pass too early, the most likely other move is played.
            passes_early = (best == policy.shape[1] - 1) & (policy[:, -1] == 0)
            moves[indices] = torch.where(passes_early, policy.argmax(1), best)
        self._make(turn, moves)

    def played(self, outcome: float) -> PlayedGames:
        """Return the games, now that all have ended; ``outcome`` is its share in the win target."""
        results = GameResults(self._margin, self._black, self._settled, self._games.rules)
        positions, game = results.samples(self._recorded, outcome)
        return PlayedGames(positions, game, self._komi, self._moves)

    def _happens(self, chance: float | Tensor) -> Tensor:
        """Draw for each game whether an event of this probability happens."""
        return torch.rand(len(self._numbers), generator=self._generator, device=self._games.device) < chance

    def _turn(self) -> _Turn:
        """Evaluate the positions."""
        komi = self._parameters.komi
        positions, current_score = self._games.positions(komi), self._games.current_score(komi)
        found = self._games.evaluate(positions)
        serious = self._games.plies >= self._exploration[self._numbers]
        return _Turn(positions, current_score, found, legal_policies(found.policy, positions.plays), serious)

    def _policy_moves(self, turn: _Turn) -> Tensor:
        """Sample a move of each game from the policy, for exploration or in earnest; ``(games,)``."""
        opening = self._games.plies < self._parameters.opening
        explored, heat, _ = explore(turn.policy, turn.positions.plays, opening, self._play, self._generator)
        earnest = without_early_passes(turn.policy, turn.current_score, turn.found.lead)
        chosen = torch.where(turn.serious[:, None], earnest, explored)
        return sample_moves(chosen, torch.where(turn.serious, self._finishing.temperature, heat), self._generator)

    def _record(self, indices: Tensor, positions: PositionBatch, policy: Tensor, win: Tensor) -> None:
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
        # Refund passes made while the opponent removes dead stones: instead of passing, one could fill one's own points
        # or play single-stone suicide, which costs nothing.
        refund = (self._first_balance[done] - scores.pass_balance).nan_to_num(0.0)
        self._margin[done] = scores.margin + refund
        self._black[done], self._settled[done] = scores.black, over[indices]
        self._numbers = numbers[left]
        games.keep(left)
        self._parameters.keep(left)

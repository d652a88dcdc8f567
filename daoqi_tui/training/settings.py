"""Everything that can be set for a training, and what it is by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from daoqi_tui.training.raw_play import RawPlay


class Kind(StrEnum):
    """How games are played for positions."""

    RAW = "by the policy alone"
    SEARCHED = "by search"
    FINISHED = "by the policy alone, to a settled end"


@dataclass(frozen=True, slots=True)
class Shape:
    """The network's architecture.

    Attributes:
        blocks: residual blocks.
        channels: of the trunk.
        pooling: which blocks, counted from 0, pool over the whole board.
        pooled: channels that are pooled in such a block, taken from those of its first convolution.
        head: channels of the policy head and of the value head.
        hidden: width of the hidden layer of the value head.
    """

    blocks: int = 6
    channels: int = 64
    pooling: tuple[int, ...] = (1, 3)
    pooled: int = 16
    head: int = 32
    hidden: int = 48


@dataclass(frozen=True, slots=True)
class Teaching:
    """Positions from games that a teacher plays by its policy alone.

    Attributes:
        positions: how many; 0 for a training from nothing.
    """

    positions: int = 500_000


@dataclass(frozen=True, slots=True)
class Finishing:
    """Games of the policy alone that are played to a settled end, from which value, lead and ownership are learnt.

    Attributes:
        positions: how many to play for; 0 for none.
        astray: up to so many moves, as a share of the points, are played as ``play`` says; none is learnt from.
        temperature: for the moves after these.
        noted: the share of positions, after these, that are learnt from; those of one game resemble each other.
        outcome: how much of the chance to win to be learnt is the game's outcome; the rest is what was thought.
        longest: moves after which a game is given up, as a multiple of the points.
        samples: positions learnt from, those of the teacher's games included, of which the policy alone is learnt.
        rate: the highest learning rate of convolutions.
        share: of the weights after this stage in what is kept; the rest are those before it. Half way between, the
            network has gained nearly all there is to gain and lost nothing (Wortsman et al. 2022 on robust tuning).
    """

    positions: int = 0
    astray: float = 0.6
    temperature: float = 0.4
    noted: float = 0.25
    outcome: float = 1.0
    longest: float = 2.0
    samples: int = 1_000_000
    rate: float = 1.5e-2
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Searching:
    """Improvement by games in which the network searches.

    Attributes:
        rounds: how often games are played, and learnt from; 0 for none.
        positions: to play for in each round.
        visits: evaluations a move in a full search.
        quick_visits: evaluations a move in the other searches, which are played but not learnt from; 0 for moves by
            the policy alone.
        full: the share of full searches (playout cap randomisation, Wu 2019).
        decided: the share of these in positions that the network thinks decided.
        considered: moves that the root of a full search considers (Gumbel, Danihelka et al. 2022).
        outcome: how much of the value to be learnt is the game's outcome; the rest is what the search found.
        samples: positions learnt from after each round.
        kept: the rounds before from which positions are still learnt.
        share: how many of these are of searched games; the others are of the stages before.
        rate: the highest learning rate of convolutions.
    """

    rounds: int = 0
    positions: int = 10_000
    visits: int = 32
    quick_visits: int = 0
    full: float = 0.5
    decided: float = 0.25
    considered: int = 8
    outcome: float = 0.7
    samples: int = 100_000
    kept: int = 4
    share: float = 0.6
    rate: float = 5e-3


@dataclass(frozen=True, slots=True)
class Learning:
    """How the network learns.

    Attributes:
        samples: positions learnt from, those met again included.
        batch: positions a step.
        rate: the highest learning rate of convolutions, by Muon; it rises at first and falls to a hundredth.
        others: that of all other weights, by AdamW, as a share of it.
        warm: the share of the samples in which it rises.
        decay: weight decay of convolutions.
        fixed: the share of the samples, the last ones, in which normalisation goes by all batches so far, no longer by
            the one that is learnt from.
        average: the share of a step that the average of the weights, which is what is kept, keeps of itself.
        policy, value, lead, spread, owner: the weights of what is learnt.
        save_minutes: how often the state is saved.
    """

    samples: int = 1_500_000
    batch: int = 256
    rate: float = 2.5e-2
    others: float = 0.1
    warm: float = 0.03
    decay: float = 1e-3
    fixed: float = 0.4
    average: float = 0.998
    policy: float = 1.0
    value: float = 1.0
    lead: float = 0.3
    spread: float = 0.05
    owner: float = 0.5
    save_minutes: float = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole training.

    Attributes:
        name: what the network is called.
        seed: of all chance.
        threads: processor cores used.
        boards: games under way at a time, on each core or, where they are batched, on the device; there thousands pay.
        device: ``auto``, ``cpu`` or ``cuda``.
        batched: whether games are played all at once in tensors, ``yes``, ``no`` or ``auto``: on any device but a
            processor. One process plays; ladders are not read, and a teacher that is used to them plays the worse.
        ladders: whether ladders are read for the network's inputs. The network's file says so, for it must be played
            as it learnt. Batched games have it false.
        sizes: board sizes, with how often each is played.
        teacher: a network's file, empty for a training from nothing.
        begin: a file of a network of the same shape whose weights are learnt on with, ``auto`` for the one that comes
            along; empty for none.
    """

    name: str = "daoqi"
    seed: int = 1
    threads: int = 2
    boards: int = 32
    device: str = "auto"
    batched: str = "auto"
    ladders: bool = True
    teacher: str = ""
    begin: str = ""
    sizes: dict[str, float] = field(
        default_factory=lambda: {
            **{str(size): 1.0 for size in (7, 8, 10, 11, 14, 17, 18)},
            "9": 9.0,
            "12": 2.0,
            "13": 8.0,
            "15": 2.0,
            "16": 60.0,
            "19": 4.0,
        }
    )
    shape: Shape = field(default_factory=Shape)
    play: RawPlay = field(default_factory=RawPlay)
    teaching: Teaching = field(default_factory=Teaching)
    learning: Learning = field(default_factory=Learning)
    finishing: Finishing = field(default_factory=Finishing)
    searching: Searching = field(default_factory=Searching)

    @property
    def teacher_file(self) -> Path | None:
        """The teacher's file; None for a training from nothing."""
        return Path(self.teacher).expanduser() if self.teacher else None

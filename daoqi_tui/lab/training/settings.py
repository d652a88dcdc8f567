"""The settings of a training with their defaults, and their TOML file, which is stored with the result."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, Final, TypeVar

from daoqi_tui.config import parse, read_text, shown
from daoqi_tui.lab.training.network_file import Storage
from daoqi_tui.paths import typed_path

BATCHED: Final = ("auto", "yes", "no")
CORRECTED: Final = "corrected"
VALUES: Final = ("teacher", "player", "both", CORRECTED)
_Table = TypeVar("_Table")


class SettingsError(ValueError):
    """Settings that cannot be used; the text is one sentence."""


class PlayKind(Enum):
    """The ways to play games for training positions."""

    POLICY = auto()
    """Policy-only, with each position a sample."""
    SEARCHED = auto()
    """With searches, to a settled end."""
    SETTLED = auto()
    """Policy-only, to a settled end."""


@dataclass(frozen=True, slots=True)
class PolicyPlay:
    """Parameters of play by the policy; searched games and those played to a settled end begin like this.

    Opening moves are sampled at a higher temperature and a few moves are uniformly random, so that the training set
    covers positions that good play does not reach but a search visits.

    Attributes:
        opening: the maximum number of moves, as a share of the points, played at ``opening_temperature``.
        opening_temperature: the temperature of the policy for these.
        temperature: for the moves after these.
        random: the share of moves that are drawn uniformly from the legal ones.
        komi: for White.
        komi_spread: standard deviation of komi, as a share of the points, in games with varied komi.
        komi_varied: the share of games with varied komi.
        longest: moves after which a game is cut off, as a multiple of the points.
    """

    opening: float = 0.06
    opening_temperature: float = 1.8
    temperature: float = 0.8
    random: float = 0.04
    komi: float = 4.0
    komi_spread: float = 0.05
    komi_varied: float = 0.4
    longest: float = 1.1

    def max_moves(self, points: int) -> int:
        """Return the number of moves after which a game on a board with this many points is cut off."""
        return round(self.longest * points)


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """The network's architecture.

    Attributes:
        blocks: residual blocks.
        channels: of the trunk.
        pooling: the blocks, counted from 0, with global pooling.
        pooled: the number of pooled channels in such a block, taken from those of its first convolution unless
            ``middle`` is set.
        head: channels of the policy head and of the value head.
        hidden: width of the hidden layer of the value head.
        kernel: width of the first convolution; the others are 3 wide.
        bottleneck: the channels of nested residual blocks, which convolutions of width 1 narrow the trunk to, as in
            KataGo's networks whose names have nbt; 0 for plain blocks. The first of the nested blocks has the pooling.
        nested: the number of residual blocks in each bottleneck.
        middle: the number of channels between the two convolutions of a block; 0 for as many as the block has around
            them.
    """

    blocks: int = 6
    channels: int = 64
    pooling: tuple[int, ...] = (1, 3)
    pooled: int = 16
    head: int = 32
    hidden: int = 48
    kernel: int = 3
    bottleneck: int = 0
    nested: int = 2
    middle: int = 0


@dataclass(frozen=True, slots=True)
class Teaching:
    """Positions labelled by a teacher, from policy-only games.

    Attributes:
        positions: their number; 0 for none.
        player: the network that plays the games: a file, ``auto`` for the smaller built-in one; empty for the teacher
            itself. A network learns most from the positions its own play reaches.
        teacher_plays: with a ``player``, the share of the games that the teacher plays itself.
        labelled: the share of positions that are labelled: those of one game are similar, and a large teacher costs
            more than a small player.
        siblings: the number of plays from each labelled position after which the position is labelled as well, so that
            the network learns to tell moves apart; drawn from the policies of player and teacher. They count, too.
        values: the source of the value targets (win, lead, ownership): ``teacher``, ``player``, ``both``, a mixture
            with less of the teacher as the board fills, or ``corrected``, a teacher whose values the smaller built-in
            network corrects, as with ``--net katrain``; that is not for batched games. A teacher that was never trained
            on a torus takes living stones for dead there, but tells moves apart better than a weak player.
        player_policy: the share of the player's policy in the policy target; the rest is the teacher's.
        ahead: the mean number of moves by which win and lead look ahead: they are averages of the values from the
            position on, up to the next random move or the end of the game; 0 for the position's own values.
    """

    positions: int = 500_000
    player: str = ""
    teacher_plays: float = 0.0
    labelled: float = 1.0
    siblings: int = 0
    values: str = "teacher"
    player_policy: float = 0.0
    ahead: float = 0.0


@dataclass(frozen=True, slots=True)
class Finishing:
    """Policy-only games to a settled end, from which value, lead and ownership are learnt.

    Attributes:
        positions: the number to play for; 0 for none.
        exploratory: the maximum number of exploratory moves, as a share of the points, played as in ``play``; not
            learnt from.
        temperature: of the policy for the moves after these.
        recorded: the share of positions, after these, that are recorded; those of one game are similar.
        outcome: the share of the game's outcome in the win target; the rest is the network's win rate.
        longest: moves after which a game is cut off and dropped, as a multiple of the points.
        samples: positions learnt from, including those of the teacher's games, of which only the policy is learnt.
        rate: the peak learning rate of convolutions.
        share: of this stage's weights in the average with those before it, which is kept. At one half the network has
            gained nearly everything and lost nothing (Wortsman et al. 2022, robust fine-tuning).
    """

    positions: int = 0
    exploratory: float = 0.6
    temperature: float = 0.4
    recorded: float = 0.25
    outcome: float = 1.0
    longest: float = 2.0
    samples: int = 1_000_000
    rate: float = 1.5e-2
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Searching:
    """Self-play with search.

    Attributes:
        rounds: the number of rounds of playing games and learning from them; 0 for none.
        positions: to play for in each round.
        visits: evaluations per move in a full search.
        quick_visits: evaluations per move in the other searches, which are not learnt from; 0 for policy moves.
        full: the share of full searches (playout cap randomisation, Wu 2019).
        decided: the share of these that remain full searches in positions with a win rate close to 0 or 1.
        considered: moves that the root of a search considers (Gumbel, Danihelka et al. 2022).
        outcome: the share of the game's outcome in the win target; the rest is the search's win rate.
        samples: positions learnt from after each round.
        kept: the number of earlier rounds whose positions are still learnt from.
        share: of positions from searched games among those learnt from; the others are from earlier stages.
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
    """The parameters of learning.

    Attributes:
        samples: positions learnt from, repetitions included.
        batch: positions per step.
        rate: the peak learning rate of convolutions, with Muon; after a warm-up it decays to a hundredth.
        adamw_rate: the learning rate of all other weights, with AdamW, as a share of that.
        warmup: the share of the samples in the warm-up.
        weight_decay: of convolutions.
        frozen_norm: the final share of the samples for which batch normalisation is frozen at its running statistics.
        ema_decay: the decay of the exponential moving average of the weights, which becomes the network.
        policy, value, lead, spread, ownership: the weights of the losses.
        compiled: board sizes for which the network is compiled before training on a CPU; this takes a minute each and a
            C++ compiler. Training is then 1.5 to 2 times as fast. Ignored on other devices.
        save_minutes: the time between checkpoints.
    """

    samples: int = 1_500_000
    batch: int = 256
    rate: float = 2.5e-2
    adamw_rate: float = 0.1
    warmup: float = 0.03
    weight_decay: float = 1e-3
    frozen_norm: float = 0.4
    ema_decay: float = 0.998
    policy: float = 1.0
    value: float = 1.0
    lead: float = 0.3
    spread: float = 0.05
    ownership: float = 0.5
    compiled: tuple[int, ...] = ()
    save_minutes: float = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole training.

    Attributes:
        name: of the network.
        seed: of all random numbers.
        threads: processor cores used.
        boards: simultaneous games, per core or, if batched, on the device; a GPU plays thousands.
        device: ``auto``, ``cpu`` or ``cuda``.
        batched: whether games are played in tensors, ``yes``, ``no`` or ``auto``, which means on any device but a CPU.
            A single process plays; ladders are not read, so a teacher trained with them plays worse.
        ladders: whether ladders are read for the network's inputs. The network's file records it, since the inputs must
            be those it was trained with. False for batched games.
        sizes: board sizes, with their relative frequencies.
        teacher: a network's file, empty for training from scratch.
        begin: the file of a network of the same shape with the initial weights, ``auto`` for the smaller built-in one;
            empty for none.
        storage: the kind of numbers for the weights in the network's file: ``float16``, ``float32`` or ``int8``, which
            takes a third of the space of ``float16`` and rounds the convolutions.
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
    storage: str = Storage.FLOAT16.value
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
    shape: NetworkShape = field(default_factory=NetworkShape)
    play: PolicyPlay = field(default_factory=PolicyPlay)
    teaching: Teaching = field(default_factory=Teaching)
    learning: Learning = field(default_factory=Learning)
    finishing: Finishing = field(default_factory=Finishing)
    searching: Searching = field(default_factory=Searching)

    @property
    def teacher_file(self) -> Path | None:
        """The teacher's file; None for training from scratch."""
        return typed_path(self.teacher) if self.teacher else None


def read_settings(path: Path) -> Settings:
    """Return the settings in a TOML file, with defaults for those it does not name.

    Raises:
        SettingsError: it cannot be read, names something unknown or has a value of the wrong kind.
    """
    try:
        content = parse(read_text(path))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise SettingsError(f"{path.name} is not TOML: {error}") from error
    try:
        settings = _filled(Settings(), content, path.name, "")
    except OverflowError as error:
        raise SettingsError(f"{path.name} holds a number that is too large") from error
    if settings.batched not in BATCHED:
        raise SettingsError(f"{path.name}: batched is {settings.batched!r}; {', '.join(BATCHED)} are known")
    if settings.storage not in list(Storage):
        raise SettingsError(f"{path.name}: storage is {settings.storage!r}; {', '.join(Storage)} are known")
    if settings.teaching.values == CORRECTED and settings.batched == "yes":
        raise SettingsError(f'{path.name}: values are corrected in games that are not batched; set batched = "no"')
    if settings.teaching.values not in VALUES:
        raise SettingsError(
            f"{path.name}: teaching.values is {settings.teaching.values!r}; {', '.join(VALUES)} are known"
        )
    recorded = {"teaching.labelled": settings.teaching.labelled, "finishing.recorded": settings.finishing.recorded}
    for name, share in recorded.items():
        if not 0 < share <= 1:
            raise SettingsError(f"{path.name}: {name} is {share:g}, which is no share: more than 0, at most 1")
    if not 0 <= settings.learning.warmup < 1:
        warmup = f"{settings.learning.warmup:g}"
        raise SettingsError(f"{path.name}: learning.warmup is {warmup}, which is no share: at least 0, less than 1")
    parts = {
        "play.random": settings.play.random,
        "play.komi_varied": settings.play.komi_varied,
        "teaching.teacher_plays": settings.teaching.teacher_plays,
        "teaching.player_policy": settings.teaching.player_policy,
        "learning.frozen_norm": settings.learning.frozen_norm,
        "learning.ema_decay": settings.learning.ema_decay,
        "finishing.outcome": settings.finishing.outcome,
        "finishing.share": settings.finishing.share,
        "searching.full": settings.searching.full,
        "searching.decided": settings.searching.decided,
        "searching.outcome": settings.searching.outcome,
        "searching.share": settings.searching.share,
    }
    for name, share in parts.items():
        if not 0 <= share <= 1:
            raise SettingsError(f"{path.name}: {name} is {share:g}, which is no share: 0 to 1")
    shape = settings.shape
    counts = {
        "threads": (settings.threads, 1),
        "boards": (settings.boards, 1),
        "learning.batch": (settings.learning.batch, 1),
        "searching.visits": (settings.searching.visits, 1),
        "searching.considered": (settings.searching.considered, 1),
        "shape.blocks": (shape.blocks, 1),
        "shape.channels": (shape.channels, 1),
        "shape.head": (shape.head, 1),
        "shape.hidden": (shape.hidden, 1),
        "shape.nested": (shape.nested, 1),
        "shape.bottleneck": (shape.bottleneck, 0),
        "shape.middle": (shape.middle, 0),
        "shape.pooled": (shape.pooled, 0),
        "teaching.siblings": (settings.teaching.siblings, 0),
    }
    for name, (number, least) in counts.items():
        if number < least:
            raise SettingsError(f"{path.name}: {name} is {number}; it is at least {least}")
    if shape.kernel < 1 or shape.kernel % 2 == 0:
        raise SettingsError(f"{path.name}: shape.kernel is {shape.kernel}; it is odd and at least 1")
    around = shape.bottleneck or shape.channels
    if shape.pooling and not shape.middle and shape.pooled >= around:
        raise SettingsError(
            f"{path.name}: shape.pooled is {shape.pooled}; it is less than the {around} channels of a block"
        )
    if not settings.teaching.ahead >= 0:
        raise SettingsError(f"{path.name}: teaching.ahead is {settings.teaching.ahead:g}; it is at least 0")
    temperatures = {
        "play.opening_temperature": settings.play.opening_temperature,
        "play.temperature": settings.play.temperature,
        "finishing.temperature": settings.finishing.temperature,
    }
    for name, temperature in temperatures.items():
        if not temperature > 0:
            raise SettingsError(f"{path.name}: {name} is {temperature:g}, which is no temperature: more than 0")
    for size in settings.sizes:
        if not (size.isdecimal() and len(size) <= 2 and 2 <= int(size) <= 25):
            raise SettingsError(f"{path.name}: sizes has {size!r}, which is no board size from 2 to 25")
    shares = settings.sizes.values()
    if not sum(shares) > 0 or min(shares) < 0:
        raise SettingsError(f"{path.name}: sizes says how often each size is played; one at least is more than 0")
    return settings


def _filled(default: _Table, content: dict[str, Any], file: str, table: str) -> _Table:
    """Return a copy of ``default`` with the values in ``content``."""
    known = {entry.name for entry in fields(default)}  # type: ignore[arg-type]  # it is a dataclass
    values = {entry: getattr(default, entry) for entry in known}
    for name, value in content.items():
        key = f"{table}{name}"
        if name not in known:
            raise SettingsError(f"{file} names {key!r}; known are {', '.join(sorted(known))}")
        was = values[name]
        if is_dataclass(was):
            if not isinstance(value, dict):
                raise SettingsError(f"{file}: {key} is a table")
            values[name] = _filled(was, value, file, f"{key}.")
        elif isinstance(was, dict):
            if not isinstance(value, dict) or not all(isinstance(share, int | float) for share in value.values()):
                raise SettingsError(f"{file}: {key} is a table of numbers")
            values[name] = {entry: float(share) for entry, share in value.items()}
        elif isinstance(was, tuple):
            if not isinstance(value, list) or not all(isinstance(part, int) for part in value):
                raise SettingsError(f"{file}: {key} is a list of whole numbers")
            values[name] = tuple(value)
        elif isinstance(was, float) and isinstance(value, int) and not isinstance(value, bool):
            values[name] = float(value)
        elif type(value) is not type(was):
            raise SettingsError(f"{file}: {key} is like {was!r}, not {shown(value)}")
        else:
            values[name] = value
    return type(default)(**values)


def toml_of(settings: Settings) -> str:
    """Return all settings as the text of a TOML file."""
    return "\n".join(_lines(asdict(settings), "")) + "\n"


def _lines(table: dict[str, Any], name: str) -> list[str]:
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    if name:
        lines = ["", f"[{name}]", *lines]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _lines(value, f"{name}.{key}" if name else key)
    return lines


def _value(value: object) -> str:
    if isinstance(value, str):
        # TOML escapes like JSON, except for one more character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple | list) else str(value)

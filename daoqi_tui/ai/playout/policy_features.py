"""The policy of the playout player: probabilities of moves by 3×3 pattern, tactics and distance to the last moves.

The weights below were fitted to the policy of KataGo's network g170-b6c96 (published under an MIT-style licence) in
36,000 positions of games on toruses of 9×9 to 19×19, by maximum likelihood
(``daoqi_tui.lab.training.fit_policy_features``): the probability of a move is proportional to the exponential of the
sum of its features' weights (Coulom, *Computing Elo Ratings of Move Patterns in the Game of Go*, 2007, with soft
targets). In held-out positions its first choice agrees with the network's 33 times in 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.playout import features
from daoqi_tui.ai.playout.kernel import OFF
from daoqi_tui.engine import BLACK, WHITE, Colour, Torus

Floats: TypeAlias = NDArray[np.float32]

_RING: Final = (8, 0, 10, 2, 12, 4, 14, 6)
"""The bit offsets of the eight points in a pattern code, clockwise from the upper left."""

_ALPHABET: Final = "".join(chr(code) for code in range(35, 123) if chr(code) not in '"\\{}')
"""A letter's index stands for a value in tenths, from −4 on."""
_SHAPES: Final = (
    "A)=)U1)<5?[F9^J8HCcLJ>(Y12aFCO3S:7OMKW;S?e>EN5S6R>NB4HEL]aAQX]O[]ABW0:8BD`2C817=RcAS8NR:POMR6XZHC7H_JXaUQ2<NDB"
    "B6+c25^WE_98[:8TXI^C:^D@[SHd96TJA[:4OKFYCD`QH[YX_b_Z[S_DAK39FX_N=:I6<Aa]WKFGIEVOUWQ?`>=Y[YV?<U<;PVXZ[Vb]QdVZ]:"
    "??:?=M[VEIJBGE_`R=ERCHJRS=Ga,V`C8W1FZ6CXBGY<HT7YYN6SOUYQLX;FOOMXEZXOMZE9YOH[<QR@>5V9S];O:8GKJYTEaWXX5GNcO^LEP="
    "9:?X_KC9>=@QWJ[MLTPZZEM<K_UD;HRN]idY:=NIGC97`8Wb;:U:7QVPXRFbFA__Y^;8P4LYNG^HDXZWWVTfNSe><J3<B_][8>C;?@Y[YVPSKH"
    "V]^bG@Z>?R[^]<>R=;NWWY]UdSP`R``?BB;?BZ`ZBBH=FH]`RNO_IMO[X[HFO=WP;>MB?PJRUWUW[W_VZZ<<F;POWN]VP[SXZQYda`cK]9EX?H"
    "Y<AV;?PCHWAUSHZXSH[WQXJIRNUVLHRGGJOOWO_YX][YUWRDU9HT=D[PI]?IRFI^DBTQS^M[Z;NX<LT5PIR@UP[E9OO6APAZMbWGGSMNAWFVRV"
    "NL[YYTFEHJHV>MWHHVK^_VPTWU_NSU=FTLO>IX9`K3WUDZZPGS:?F6LWT5IONVOVUMORJN[WCNB9QPTO=B>V;Qa<Q8MN]I_X6JUVMX?=O<?I^["
    "Z>K<<FVZWX]S[STcBS?NXZO;ORW[]NSRPUPUbBW@FRHMXD@Q@DLHKTH]NVVY[W]YINKOWNHKOJROX]][SPPa_Q`ObT]VJPIWRPLKKUUWVUS^TU"
    "bIUV]^VdS]@[S8RVIU^SITDIOCWZ^:SR@RMUTPRYPVVUNXMEXZXV^IM>QF6LELYWJ7OOWSWWO]"
)
"""A letter for each class of patterns under the eight symmetries, ordered by the lowest code of the class."""
_NEAR: Final = (0.97, 0.81, 0.48, 0.37, 0.0, -0.13, -0.32, -0.44, -0.53, -0.6, -0.66, -0.86)
"""By distance from the last move, see :func:`distances`; the last entry is for all larger distances."""
_NEAR_BEFORE: Final = (0.65, 0.46, 0.45, 0.22, 0.03, -0.06, -0.19, -0.21, -0.26, -0.32, -0.33, -0.48)
"""By distance from the move before the last."""


@dataclass(frozen=True, slots=True)
class Tactics:
    """The weights of tactical features; ``several`` from two stones at stake on, ``many`` from four."""

    capture: float = -0.57
    capture_several: float = -0.35
    capture_many: float = -0.34
    rescue: float = 0.71
    rescue_several: float = 1.23
    rescue_many: float = 2.10
    capture_to_rescue: float = 0.16
    cramped: float = -3.09
    lone_suicide: float = -3.53
    atari: float = 0.32
    cramped_atari: float = 0.80
    two: float = 0.06
    cramped_two: float = 0.57
    two_with_atari: float = 0.21


_WEIGHTS: Final = Tactics()
STAKES: Final = 3
"""The number of classes of stones at stake: up to one, two or three, more."""


def stake_classes(amount: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the class, 0 to 2, of each number of stones at stake."""
    return (amount >> 1).clip(0, STAKES - 1)


def tactical_terms(stake: int, marks: int) -> Iterator[str]:
    """Yield the fields of :class:`Tactics` that are added for a move with these marks of ``features.move_features``."""
    capture, rescue, atari, two, cramped, alone = (
        bool(marks & mark)
        for mark in (
            features.F_CAPTURE,
            features.F_RESCUE,
            features.F_ATARI,
            features.F_TWO,
            features.F_CRAMPED,
            features.F_SUICIDE,
        )
    )
    size = ("", "_several", "_many")[stake]
    if capture:
        yield f"capture{size}"
    if rescue:
        yield f"rescue{size}"
    if capture and rescue:
        yield "capture_to_rescue"
    if cramped and not capture:
        yield "cramped"
        if alone:
            yield "lone_suicide"
    if atari:
        yield "cramped_atari" if cramped else "atari"
    if two:
        yield "cramped_two" if cramped else "two"
        if atari and not cramped:
            yield "two_with_atari"


@lru_cache(maxsize=1)
def tactical_weights() -> Floats:
    """Return the weights of tactical features, by :func:`stake_classes` and marks of ``features.move_features``."""
    table = np.zeros((STAKES, features.F_ALL + 1), dtype=np.float32)
    for stake, marks in np.ndindex(table.shape):
        table[stake, marks] = sum(getattr(_WEIGHTS, name) for name in tactical_terms(stake, marks))
    return table


@lru_cache(maxsize=1)
def pattern_weights() -> dict[int, Floats]:
    """Return for each colour the weight of a play by its pattern code, shape ``(65536,)``."""
    values = (np.array([_ALPHABET.index(letter) for letter in _SHAPES]) / 10 - 4).astype(np.float32)
    return {colour: values[pattern_classes(colour)] for colour in (BLACK, WHITE)}


def encode_weights(values: Floats) -> str:
    """Encode the weights of pattern classes as letters."""
    return "".join(_ALPHABET[place] for place in np.rint(values * 10 + 40).astype(int).clip(0, len(_ALPHABET) - 1))


def pattern_classes(colour: Colour) -> NDArray[np.intp]:
    """Return for a play by ``colour`` the class of each pattern code: one for all eight symmetries.

    On a board with edges, points off the board count as empty: the weights were fitted without edges.
    """
    codes = np.arange(1 << 16)
    swapped = np.array((0, 1, 2, 0) if colour == BLACK else (0, 2, 1, 0))
    places = [swapped[(codes >> shift) & OFF] for shift in range(0, 16, 2)]
    least = np.full(len(codes), len(codes))
    around = [places[shift // 2] for shift in _RING]
    for direction in (around, around[:1] + around[:0:-1]):
        for turn in range(0, 8, 2):
            turned = direction[turn:] + direction[:turn]
            code = sum(place << shift for place, shift in zip(turned, _RING, strict=True))
            least = np.minimum(least, code)
    return np.unique(least, return_inverse=True)[1]


@lru_cache(maxsize=8)
def distances(torus: Torus) -> NDArray[np.intp]:
    """Return the distance of each pair of points: orthogonal steps plus king's steps, minus 2."""
    king = [(*near, *diagonal) for near, diagonal in zip(torus.neighbours, torus.diagonals, strict=True)]
    return _steps(torus.neighbours, 4) + _steps(king, 8) - 2


def _steps(table: Sequence[Sequence[int]], most: int) -> NDArray[np.intp]:
    """Return the number of steps between each pair of points; ``table`` has the up to ``most`` points of one step."""
    beside = np.array([(*near, *[point] * most)[:most] for point, near in enumerate(table)])
    reached = np.eye(len(table), dtype=np.bool_)
    steps = np.zeros(reached.shape, dtype=np.intp)
    while not reached.all():
        steps += ~reached
        reached = reached | reached[:, beside].any(axis=2)
    return steps


@lru_cache(maxsize=8)
def distance_weights(torus: Torus) -> tuple[Floats, Floats]:
    """Return the weights of the distance from the last move, and from the move before it, for each pair of points."""
    apart = distances(torus)
    near, before = (np.array(values, dtype=np.float32) for values in (_NEAR, _NEAR_BEFORE))
    farthest = len(near) - 1
    return near[apart.clip(0, farthest)], before[apart.clip(0, farthest)]

"""The colours, and the rules of a game as a value: repetition, suicide, the cost of a pass, komi and who wins a tie.

Everything that depends on the rules asks this value: :class:`~daoqi_tui.engine.board.Board` for legality and the cost
of passes, :func:`~daoqi_tui.engine.result.area` for the winner of a tie, :class:`~daoqi_tui.engine.game.Game` for the
default komi.

>>> str(DAOQI), str(TROMP_TAYLOR)
('Daoqi', 'Tromp-Taylor')
>>> parse_rules("tromp-taylor, pass_cost=1")
Rules(superko='positional', suicide=True, pass_cost=1, komi=4, tie=None)
>>> str(Rules(superko="simple", tie=None))
'superko=simple, tie=none'
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.message import Message

Colour: TypeAlias = int
"""Of a point or a player: a small integer, so that a board is a flat list of them."""

EMPTY: Final[Colour] = 0
BLACK: Final[Colour] = 1
WHITE: Final[Colour] = 2


def opponent(colour: Colour) -> Colour:
    return 3 - colour


def name_of(colour: Colour) -> str:
    """Return ``Black`` or ``White``, for messages to programmers."""
    return ("Empty", "Black", "White")[colour]


def colour_message(colour: Colour) -> Message:
    """Return ``Black`` or ``White``, for messages to a person."""
    return Message("Black") if colour == BLACK else Message("White")


Superko: TypeAlias = Literal["situational", "positional", "simple"]

SITUATIONAL: Final[Superko] = "situational"
"""No play may repeat a board with the same side to move."""
POSITIONAL: Final[Superko] = "positional"
"""No play may repeat a board, whoever is to move."""
SIMPLE: Final[Superko] = "simple"
"""No play may recreate the board before the opponent's last play; longer cycles are allowed."""

MOST_PASS_COST: Final = 100


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game on the torus. The defaults are the rules of Daoqi.

    Attributes:
        superko: which repetitions are illegal.
        suicide: whether a play may remove its own chain; one stone is treated like many.
        pass_cost: points that each pass costs the passer.
        komi: points for White in an even game, unless the players agree on others.
        tie: the colour that wins when the totals are equal, None for a drawn game.
    """

    superko: Superko = SITUATIONAL
    suicide: bool = True
    pass_cost: int = 1
    komi: float = 4
    tie: Colour | None = WHITE

    def __post_init__(self) -> None:
        if self.superko not in (SITUATIONAL, POSITIONAL, SIMPLE):
            raise ValueError(
                Message("superko is situational, positional or simple, not {superko}", superko=repr(self.superko))
            )
        if self.suicide.__class__ is not bool:
            raise TypeError(f"suicide is True or False, not {self.suicide!r}")
        if self.pass_cost.__class__ is not int:
            raise TypeError(f"the cost of a pass is a whole number, not {self.pass_cost!r}")
        if not 0 <= self.pass_cost <= MOST_PASS_COST:
            raise ValueError(
                Message(
                    "the cost of a pass is out of range: {cost}; 0 to {most}", cost=self.pass_cost, most=MOST_PASS_COST
                )
            )
        if self.tie is not None and (self.tie.__class__ is not int or self.tie not in (BLACK, WHITE)):
            raise ValueError(
                Message(
                    "a tie is won by {black} (Black) or {white} (White), or by None, not {tie}",
                    black=BLACK,
                    white=WHITE,
                    tie=repr(self.tie),
                )
            )

    def winner(self, margin: float) -> Colour:
        """Return who wins with Black ``margin`` points ahead; EMPTY stands for a draw."""
        if margin:
            return BLACK if margin > 0 else WHITE
        return EMPTY if self.tie is None else self.tie

    def as_message(self) -> Message:
        """Return the rules' name, or their fields, as a message."""
        name = str(self)
        return Message("Daoqi") if name == "Daoqi" else Message("{rules}", rules=name)

    def value(self, margin: float) -> float:
        """Return what a game is worth to Black with Black ``margin`` points ahead: 1 won, 0.5 drawn, 0 lost."""
        return {BLACK: 1.0, WHITE: 0.0, EMPTY: 0.5}[self.winner(margin)]

    def __str__(self) -> str:
        """Return the name of a preset, or the fields that differ from Daoqi's; komi is not included."""
        for name, preset in PRESETS.items():
            if replace(self, komi=preset.komi) == preset:
                return name
        return ", ".join(
            f"{name}={field.word(getattr(self, name))}"
            for name, field in RULE_FIELDS.items()
            if getattr(self, name) != getattr(DAOQI, name)
        )


DAOQI: Final = Rules()
TROMP_TAYLOR: Final = Rules(superko=POSITIONAL, pass_cost=0, tie=None)
"""Free passes, positional superko and drawn games; the komi is Daoqi's, like the size and the topology."""

PRESETS: Final = {"Daoqi": DAOQI, "Tromp-Taylor": TROMP_TAYLOR}
"""The rules that have a name, by the name that records (SGF's RU) and people use."""


def parse_rules(text: str) -> Rules:
    """Return the rules that ``text`` names, in any case.

    The text is the name of a preset, fields as ``superko=simple, suicide=no, pass_cost=0, tie=none``, or both, the
    name first. Fields that are not named are those of the preset, or of Daoqi.

    Raises:
        ValueError: a name, a field or a value is unknown.
    """
    rules = DAOQI
    for place, part in enumerate(text.split(",")):
        name, equals, value = (word.strip().lower() for word in part.partition("="))
        if not equals:
            known = {preset.lower().replace("-", " "): found for preset, found in PRESETS.items()}
            found = known.get(name.replace("-", " "))
            if found is None or place:
                raise ValueError(
                    Message(
                        "{name} is not a set of rules: {presets}, or a field such as suicide=no",
                        name=repr(part.strip()),
                        presets=", ".join(PRESETS),
                    )
                )
            rules = found
            continue
        field = RULE_FIELDS.get(name)
        if field is None:
            raise ValueError(
                Message("{name} is not a field of the rules: {fields}", name=repr(name), fields=", ".join(RULE_FIELDS))
            )
        try:
            rules = replace(rules, **{name: field.read(value)})
        except (KeyError, ValueError) as error:
            raise ValueError(Message("{field}: {wanted}", field=f"{name}={value}", wanted=field.wanted)) from error
    return rules


class RuleField(NamedTuple):
    """A field of :class:`Rules` as text: what ``--rules``, records and GTP write and read follows from this alone.

    Attributes:
        wanted: what its values are, for messages.
        words: the values by their words, the first word of a value being the usual one; None for whole numbers.
    """

    wanted: Message
    words: Mapping[str, Any] | None = None

    def read(self, word: str) -> Any:  # noqa: ANN401 - each field has its own type
        """Return the value that a word in lower case stands for.

        Raises:
            KeyError, ValueError: it stands for none.
        """
        if self.words is not None:
            return self.words[word]
        # int alone would also accept underscores and the digits of other scripts.
        if not (word.isascii() and word.isdecimal()):
            raise ValueError
        return int(word)

    def word(self, value: object) -> str:
        if self.words is None:
            return str(value)
        return next(word for word, meant in self.words.items() if meant == value)


RULE_FIELDS: Final = {
    "superko": RuleField(
        Message("situational, positional or simple"), {kind: kind for kind in (SITUATIONAL, POSITIONAL, SIMPLE)}
    ),
    "suicide": RuleField(Message("yes or no"), {"yes": True, "true": True, "no": False, "false": False}),
    "pass_cost": RuleField(Message("a whole number from {least} to {most}", least=0, most=MOST_PASS_COST)),
    "tie": RuleField(Message("white, black or none"), {"white": WHITE, "black": BLACK, "none": None}),
}
"""All fields but the komi, which records and GTP have for themselves."""
assert [field.name for field in fields(Rules) if field.name != "komi"] == list(RULE_FIELDS)


# Refusals


class Value:
    """A value, equal to others of its class with equal fields, which are its `__match_args__`.

    For a dataclass the same is generated and compiled, which takes a thousandth of a start, but is faster for values
    that are compared often, as rules are in a search.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    def _fields(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Value):
            return self is other
        return self.__class__ is other.__class__ and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((self.__class__, self._fields()))

    def __repr__(self) -> str:
        fields = zip(self.__match_args__, self._fields(), strict=True)
        return f"{self.__class__.__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"


class _AtPoint(Value):
    """A refusal at a point."""

    __slots__ = __match_args__ = ("point",)

    def __init__(self, point: int) -> None:
        self.point: Final = point


class Occupied(_AtPoint):
    """A stone stands on the point."""

    __slots__ = ()

    def as_message(self) -> Message:
        return Message("that point is occupied; play on an empty point")


class Repeats(NamedTuple):
    """The play would repeat a state, which the rules forbid (superko or ko).

    Attributes:
        point: of the play.
        move: the number of the move after which the state first occurred; 0 is the start.
        to_move: the colour that was to move in that state; unless superko is positional, it would be again.
    """

    point: int
    move: int
    to_move: Colour

    def as_message(self) -> Message:
        return Message(
            "the move would repeat the position after move {move} with {colour} to move; play elsewhere",
            move=self.move,
            colour=colour_message(self.to_move),
        )


class Suicide(_AtPoint):
    """The play would remove its own chain, which the rules forbid."""

    __slots__ = ()

    def as_message(self) -> Message:
        return Message("the move would be suicide, which these rules forbid; play elsewhere")


class GameOver(Value):
    """The game has ended."""

    __slots__ = ()

    def as_message(self) -> Message:
        return Message("the game is over; resume it to play on")


class NoLiberties(_AtPoint):
    """A chain stands without liberties, as a record may show it and play never leaves it.

    Attributes:
        point: of one of its stones.
    """

    __slots__ = ()

    def as_message(self) -> Message:
        return Message(
            "a chain stands here without liberties, as the record shows it; play and scoring need another position"
        )


Refusal: TypeAlias = Occupied | Repeats | Suicide | GameOver | NoLiberties


class IllegalMove(ValueError):
    """A move that the rules forbid; :attr:`refusal` says why. The game is as it was before."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        return str(self.refusal.as_message())

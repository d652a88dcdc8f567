"""Classes of values behave like those of the standard library, and are compiled late."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import typing
from collections.abc import Callable
from functools import cached_property
from threading import Barrier, Thread
from typing import Any

import pytest

from daoqi_tui import values
from daoqi_tui.engine import TROMP_TAYLOR, Rules
from daoqi_tui.engine.rules import Occupied, Suicide
from daoqi_tui.engine.tree import Move
from daoqi_tui.pictures.picture import Chip


def _kinds(dataclass: Any, tuple_class: Any) -> list[Any]:
    """Return the same classes, of the standard library or of ours."""

    @dataclass(frozen=True, slots=True)
    class Slotted:
        """Some fields."""

        first: int
        second: tuple[str, ...] = ()
        third: dict[str, int] = dataclasses.field(default_factory=dict)
        fourth: str = dataclasses.field(default="", compare=False, repr=False)

        def __post_init__(self) -> None:
            if self.first < 0:
                raise ValueError(self.first)

    @dataclass(frozen=True)
    class Cached:
        """A total."""

        first: int
        second: int = 2

        @cached_property
        def total(self) -> int:
            return self.first + self.second

    class Pair(tuple_class):  # type: ignore[misc]
        """Two fields."""

        first: int
        second: str = "two"

        @property
        def both(self) -> str:
            return f"{self.first}{self.second}"

    return [Slotted, Cached, Pair]


OURS = _kinds(values.dataclass, values.NamedTuple)
THEIRS = _kinds(dataclasses.dataclass, typing.NamedTuple)


def _answer(question: Callable[[Any], object], kind: type) -> object:
    try:
        return question(kind)
    except Exception as error:
        return type(error)


SAME: tuple[Callable[[Any], object], ...] = (
    lambda kind: repr(kind(1)),
    lambda kind: repr(kind(1, second=3)),
    lambda kind: kind(),
    lambda kind: kind(1, 2, 3, 4, 5),
    lambda kind: kind(1, other=2),
    lambda kind: kind(-1).first,
    lambda kind: kind(1) == kind(1),
    lambda kind: kind(1) == kind(2),
    lambda kind: kind(1) == (1, "two"),
    lambda kind: kind(1, fourth="x") == kind(1),
    lambda kind: hash(kind(1, 3)),
    lambda kind: {kind(1, 2): 3}[kind(1, 2)],
    lambda kind: setattr(kind(1), "first", 2),
    lambda kind: delattr(kind(1), "first"),
    lambda kind: [(each.name, each.type, each.default, each.compare) for each in dataclasses.fields(kind)],
    lambda kind: repr(dataclasses.replace(kind(1), second=5)),
    lambda kind: dataclasses.asdict(kind(1)),
    dataclasses.is_dataclass,
    lambda kind: kind.__match_args__ if kind(1) else None,
    lambda kind: repr(copy.copy(kind(1, 7))),
    lambda kind: repr(copy.deepcopy(kind(1, 7))),
    lambda kind: copy.copy(kind(1, 7)) == kind(1, 7),
    lambda kind: hasattr(kind(1), "__dict__"),
    lambda kind: (kind.__name__, kind.__qualname__, kind.__module__, kind.__doc__),
    typing.get_type_hints,
    lambda kind: kind(1).total,
    lambda kind: kind(1).both,
    lambda kind: kind(1)._replace(first=4),
    lambda kind: kind(1)._replace(fifth=4),
    lambda kind: (kind._fields, kind._field_defaults, kind(3)._asdict(), kind._make([1, 2])),
    lambda kind: [*kind(1)],
    lambda kind: kind(1)[0],
    lambda kind: kind(1) < kind(2),
)


@pytest.mark.parametrize("place", range(len(OURS)), ids=("slotted", "cached", "pair"))
def test_classes_answer_as_those_of_the_standard_library(place: int) -> None:
    for number, question in enumerate(SAME):
        assert _answer(question, OURS[place]) == _answer(question, THEIRS[place]), number


def test_a_class_that_was_asked_nothing_before_answers_each_question_the_same() -> None:
    for place, theirs in enumerate(THEIRS):
        for number, question in enumerate(SAME):
            fresh = _kinds(values.dataclass, values.NamedTuple)[place]
            assert _answer(question, fresh) == _answer(question, theirs), number


def test_refusals_of_one_field_differ_by_their_class() -> None:
    assert Occupied(3) == Occupied(3) != Suicide(3)
    assert Occupied(3).point == 3


@pytest.mark.parametrize("value", [Move(1, 30), TROMP_TAYLOR, Chip((1, 2, 3), "", (4, 5, 6))])
def test_values_cross_to_another_process_that_has_made_none(value: object) -> None:
    code = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps(pickle.load(sys.stdin.buffer)))"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(value), capture_output=True, check=True)
    assert pickle.loads(done.stdout) == value


def test_threads_that_make_the_first_values_at_once_all_get_them_whole() -> None:
    for _attempt in range(50):
        slotted = _kinds(values.dataclass, values.NamedTuple)[0]
        together, made = Barrier(4), []

        def make(first: int, kind: Any = slotted, together: Barrier = together, made: list[Any] = made) -> None:
            together.wait()
            made.append((first, kind(first, ("x",))))

        threads = [Thread(target=make, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted((first, value.first, value.second) for first, value in made) == [
            (number, number, ("x",)) for number in range(4)
        ]


def test_a_class_is_compiled_with_its_first_value() -> None:
    slotted, _cached, pair = _kinds(values.dataclass, values.NamedTuple)
    for kind, method in ((slotted, "__eq__"), (pair, "__new__")):
        assert method not in vars(kind)
        kind(1)
        assert method in vars(kind)


def test_rules_are_checked_also_when_they_are_the_first() -> None:
    with pytest.raises(ValueError, match="superko"):
        Rules(superko="none")  # type: ignore[arg-type]

"""Many cases of a cheap property in one test.

As a test of its own, a case costs six milliseconds in two workers, which is more than most of those that only compute.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import repeat
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def every(
    names: str | Sequence[str],
    values: Iterable[Any] | Callable[[], Iterable[Any]],
    ids: Iterable[str] | Callable[[Any], object] = repr,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for all values, as ``pytest.mark.parametrize`` does, but as one test; a failure names its case.

    Not for tests that are coroutines, nor where a fixture, such as a folder, has to be new for each case. A function
    makes the values when the test runs.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]

    def over_all(test: Callable[..., None]) -> Callable[..., None]:
        assert not inspect.iscoroutinefunction(test)

        @wraps(test)
        def run(*instance: object, **given: object) -> None:
            cases = [*(values() if callable(values) else values)]
            assert cases, "there is no case"
            for case, name in zip(cases, repeat(None) if callable(ids) else ids, strict=False):
                parts = case.values if isinstance(case, ParameterSet) else case if len(listed) > 1 else (case,)
                try:
                    test(*instance, **given, **dict(zip(listed, parts, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:
                    told = name or ", ".join(str(ids(part)) if callable(ids) else repr(part) for part in parts)
                    failure.add_note(f"{'/'.join(listed)}: {told}")
                    raise

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in listed]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return over_all

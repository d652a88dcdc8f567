"""The program: what ``daoqi-tui`` and ``python -m daoqi_tui`` run.

A start is mostly imports. These compile hundreds of annotations and named tuples, and most of them have been compiled
before, but for the names of fields.
"""

import collections
import gc
import typing
from functools import cache
from types import CodeType, FunctionType

# What modules make lives on: while they are imported, garbage is looked for in vain. A command collects it again.
gc.disable()

_constructors: dict[int, CodeType] = {}
"""The code of the constructor of a named tuple, by the number of its parameters."""


def _evaluate(source: str, names: dict[str, object]) -> object:
    """Evaluate the constructor of a named tuple for :mod:`collections`."""
    fields = source.removeprefix("lambda _cls, ").partition(":")[0]
    parameters = "_cls", *fields.rstrip(",").split(", ")
    if not fields or source != f"lambda _cls, {fields}: _tuple_new(_cls, ({fields}))":
        return eval(source, names)
    if (code := _constructors.get(len(parameters))) is None:
        code = _constructors[len(parameters)] = eval(source, names).__code__
    return FunctionType(code.replace(co_varnames=parameters), names)


vars(collections)["eval"] = _evaluate
vars(typing)["compile"] = cache(compile)

from daoqi_tui.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()

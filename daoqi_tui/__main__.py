"""The program: what ``daoqi-tui`` and ``python -m daoqi_tui`` run.

A start is mostly imports, which compile annotations and constructors of named tuples by the hundred. Most of these have
been compiled before, but for the names of fields: not to do it again saves 2.5 % of the instructions of all imports for
named tuples, and 1 % for annotations.
"""

import collections
import gc
import typing
from functools import cache
from types import CodeType, FunctionType

# What modules make lives on: while they are imported, garbage is looked for in vain. A command collects it again.
gc.disable()


@cache
def _constructor(count: int) -> CodeType:
    """Return the code that constructs a named tuple of so many fields."""
    fields = "".join(f"field{number}, " for number in range(count))
    constructor: FunctionType = eval(f"lambda _cls, {fields}: _tuple_new(_cls, ({fields}))")
    return constructor.__code__


def _evaluate(source: str, names: dict[str, object]) -> object:
    """Evaluate the constructor of a named tuple for :mod:`collections`: that of as many fields, with their names."""
    fields = source.removeprefix("lambda _cls, ").partition(":")[0]
    if source != f"lambda _cls, {fields}: _tuple_new(_cls, ({fields}))":
        # Another version of Python may construct it in another way.
        return eval(source, names)
    parameters = "_cls", *fields.replace(",", "").split()
    return FunctionType(_constructor(len(parameters) - 1).replace(co_varnames=parameters), names)


vars(collections)["eval"] = _evaluate
vars(typing)["compile"] = cache(compile)

from daoqi_tui.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()

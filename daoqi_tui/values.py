"""``dataclass`` and ``NamedTuple`` of the standard library, for modules that every start imports.

There, the definition of a class compiles its methods, and that of a named tuple the types of its fields: for a hundred
classes, a fifteenth of the time to the first frame. Here the first value of a class does. All else is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 (it is exported)
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414
else:
    import dataclasses
    from collections import _tuplegetter, namedtuple
    from collections.abc import Callable
    from functools import partial
    from threading import RLock
    from typing import Any, Self

    _lock = RLock()

    def dataclass(*, frozen: bool, slots: bool = False) -> Callable[[type], type]:
        assert frozen
        return partial(_late_dataclass, slots=slots)

    def _late_dataclass(plain: type, *, slots: bool) -> type:
        """Return a class that becomes a dataclass with its first value, or when its fields are asked for.

        No dataclass with fields of its own inherits from it.
        """
        space = dict(vars(plain))
        names = tuple(space.get("__annotations__", ()))

        def finish() -> None:
            with _lock:
                if "__init__" in vars(cls):
                    return
                dataclasses.dataclass(frozen=True)(plain)
                for name in vars(plain).keys() - space.keys() - vars(_Late).keys() - {"__dataclass_fields__"}:
                    setattr(cls, name, getattr(plain, name))
                # Without these two, other threads wait here.
                cls.__init__ = plain.__init__
                cls.__dataclass_fields__ = plain.__dataclass_fields__

        left_out = "__dict__", "__weakref__", *names * slots
        late = {name: value for name, value in space.items() if name not in left_out}
        late |= {"__qualname__": plain.__qualname__, "__dataclass_fields__": _Fields(finish)}
        if slots:
            late["__slots__"] = names
        cls = type(plain)(plain.__name__, (*(base for base in plain.__bases__ if base is not object), _Late), late)
        return cls

    class _Late:
        __slots__ = ()

        def __init__(self, *values: object, **named: object) -> None:
            dataclasses.fields(type(self))
            self.__init__(*values, **named)

        def __setattr__(self, name: str, value: object) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

        def __reduce__(self) -> tuple[type, tuple[object, ...]]:
            return type(self), tuple(getattr(self, each.name) for each in dataclasses.fields(self))

    class _Fields:
        """The fields of a class that is no dataclass yet."""

        def __init__(self, finish: Callable[[], None]) -> None:
            self._finish = finish

        def __get__(self, value: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
            self._finish()
            return owner.__dataclass_fields__

    _plain = namedtuple("_plain", "")

    class _Tuple(tuple):
        """What named tuples have in common; `_make` takes as many values as there are fields, without a check."""

        __slots__ = ()
        _fields = ()

        def __new__(cls, /, *values: object, **named: object) -> Self:
            owner = next(base for base in cls.__mro__ if "_fields" in vars(base))
            names = ", ".join(owner._fields)
            made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})
            made.__name__, made.__defaults__ = "__new__", tuple(owner._field_defaults.values())
            owner.__new__ = staticmethod(made)
            return made(cls, *values, **named)

        _make = classmethod(tuple.__new__)
        _asdict = _plain._asdict
        __getnewargs__ = _plain.__getnewargs__

        def _replace(self, /, **changes: object) -> Self:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        __replace__ = _replace

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    class _TupleType(type):
        def __new__(cls, name: str, _bases: tuple[type, ...], space: dict[str, Any]) -> type:
            fields = tuple(space.get("__annotations__", ()))
            defaults = {field: space[field] for field in fields if field in space}
            space |= {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            space |= {"__slots__": (), "__match_args__": fields, "_fields": fields, "_field_defaults": defaults}
            return type(name, (_Tuple,), space)

    NamedTuple = type.__new__(_TupleType, "NamedTuple", (), {})

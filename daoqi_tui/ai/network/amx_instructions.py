"""The processor's instructions for tiles of matrices (AMX), as functions that a compiled kernel may call.

There are eight tiles, by number, of up to 16 rows of 64 bytes: 16 floats or 32-bit whole numbers, 64 bytes, or 32
numbers of 16 bits in the format bfloat16, which is a 32-bit float without the lower half of its bits. The functions
here do in numpy what an instruction does, or a few for 16 numbers; :func:`compiled` has those that are such
instructions. Numbers of tiles are constants, since they are a part of the instruction. An array is flat, and an index
counts its elements.

Intel, "Architecture Instruction Set Extensions Programming Reference", chapter 3.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.layout import Floats

Halves = NDArray[np.uint16]
"""Numbers in bfloat16."""
ROWS: Final = 16
"""The most rows of a tile."""
_NEEDED: Final = {"amx_tile", "amx_bf16", "amx_int8"}
_CPUS: Final = Path("/proc/cpuinfo")
_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA = 158, 0x1023, 18
"""Linux' numbers of a system call and its arguments, by which a process asks for the use of tiles."""

_tiles: Final[list[NDArray[np.uint8]]] = [np.zeros((0, 64), np.uint8)] * 8


def allowed() -> bool:
    """Return whether the processor has the instructions and the system lets this process use them."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        with _CPUS.open(encoding="utf-8") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "")
        return set(flags.split()) >= _NEEDED and (
            ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA) == 0
        )
    except (OSError, AttributeError):
        return False


def rounded(numbers: Floats) -> Halves:
    """Return numbers in bfloat16, rounded to the nearest, ties to even."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def widened(halves: Halves) -> Floats:
    return (halves.astype(np.uint32) << 16).view(np.float32)


def shape_of_tiles(rows: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return what :func:`configure` takes, for the rows of each of the eight tiles."""
    shape = np.zeros(64, np.uint8)
    shape[0] = 1
    shape[16:32:2] = 64
    shape[48:56] = rows
    return shape


def configure(shape: NDArray[np.uint8]) -> None:
    """Begin to use tiles of these shapes."""
    for tile, rows in enumerate(shape[48:56]):
        _tiles[tile] = np.zeros((rows, 64), np.uint8)


def release() -> None:
    """End the use of tiles."""
    _tiles[:] = [np.zeros((0, 64), np.uint8)] * 8


def load(tile: int, numbers: NDArray[Any], index: int, stride: int) -> None:
    """Load a tile from rows that begin at an index and are ``stride`` bytes apart."""
    for row, to in enumerate(_tiles[tile]):
        start = index * numbers.itemsize + row * stride
        to[:] = numbers.view(np.uint8)[start : start + 64]


def store(tile: int, numbers: NDArray[Any], index: int, stride: int) -> None:
    """Store a tile to rows that begin at an index and are ``stride`` bytes apart."""
    for row, given in enumerate(_tiles[tile]):
        start = index * numbers.itemsize + row * stride
        numbers.view(np.uint8)[start : start + 64] = given


def add_product(tile: int, left: int, right: int) -> None:
    """Add the product of two tiles in bfloat16 to one of floats; ``right`` has its rows in pairs, column by column."""
    sums = _tiles[tile].view(np.float32)
    pairs = widened(_tiles[right].view(np.uint16)).reshape(16, 16, 2)
    sums += widened(_tiles[left].view(np.uint16)) @ pairs.transpose(0, 2, 1).reshape(32, 16)


def clear(tile: int) -> None:
    _tiles[tile][:] = 0


def add_byte_product(tile: int, left: int, right: int) -> None:
    """Add the product of a tile of bytes and one of signed bytes, whose rows are in fours, to one of whole numbers."""
    sums = _tiles[tile].view(np.int32)
    fours = _tiles[right].view(np.int8).reshape(16, 16, 4).astype(np.int32)
    sums += _tiles[left].astype(np.int32) @ fours.transpose(0, 2, 1).reshape(64, 16)


def raise_most(numbers: Floats, index: int, least: Floats, first: int, most: Floats, to: int) -> None:
    """Raise 16 numbers of ``most`` to how far others are above the least ones."""
    above = numbers[index : index + 16] - least[first : first + 16]
    most[to : to + 16] = np.maximum(most[to : to + 16], above)


def put_bytes(
    numbers: Floats, index: int, least: Floats, first: int, scale: Floats, place: int, out: NDArray[np.uint8], to: int
) -> None:
    """Round how far 16 numbers are above the least ones, times a number of ``scale``, to bytes; they fit into these."""
    above = numbers[index : index + 16] - least[first : first + 16]
    out[to : to + 16] = (np.maximum(above, 0) * scale[place] + np.float32(0.5)).astype(np.int32)


def put_sums(
    sums: NDArray[np.int32], index: int, units: Floats, place: int, factors: Floats, first: int,
    start: Floats, begin: int, out: Floats, to: int,
) -> None:  # fmt: skip
    """Add 16 whole numbers, times a number of ``units`` and their factors, to those of ``start``."""
    scaled = sums[index : index + 16].astype(np.float32) * (factors[first : first + 16] * units[place])
    out[to : to + 16] = start[begin : begin + 16] + scaled


def half(number: Any) -> Any:
    """Return a 32-bit float in bfloat16."""
    return rounded(np.array([number]))[0]


def compiled() -> dict[str, Callable[..., Any]]:
    """Return the functions that a kernel calls as instructions, by name.

    Raises:
        ImportError: numba is not installed.
        NotImplementedError: its compiler does not know them; it would end the process if it met one.
    """
    from llvmlite import ir  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415
    from numba import extending, types  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415
    from numba.core import cgutils, registry  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    known = registry.cpu_target.target_context.codegen().magic_tuple()[2]
    if not {"+amx-tile", "+amx-bf16", "+amx-int8"} <= set(known.split(",")):
        raise NotImplementedError(f"the compiler knows no tiles on this machine: {known}")
    byte, upper = ir.IntType(8), ir.IntType(32)(16)

    def instruction(name: str, parts: str) -> Callable[..., Any]:
        """Return what compiles a call.

        Its arguments are numbers of tiles (t), arrays (a), indices of these (i) and whole numbers (n).
        """

        def compile_call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given: list[Any] = []
            for part, kind, value in zip(parts, signature.args, values, strict=True):
                if part == "t":
                    given.append(byte(kind.literal_value))
                elif part == "a":
                    given.append(context.make_array(kind)(context, builder, value).data)
                else:
                    number = context.cast(builder, value, kind, types.int64)
                    given.append(builder.gep(given.pop(), [number]) if part == "i" else number)
            pointed = [builder.bitcast(each, byte.as_pointer()) if each.type.is_pointer else each for each in given]
            kinds = ir.FunctionType(ir.VoidType(), [each.type for each in pointed])
            builder.call(cgutils.get_or_insert_function(builder.module, kinds, f"llvm.x86.{name}"), pointed)
            return context.get_dummy_value()

        return compile_call

    def rounded_half(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        bits = builder.bitcast(values[0], upper.type)
        is_odd = builder.and_(builder.lshr(bits, upper), upper.type(1))
        nearest = builder.add(builder.add(bits, upper.type(0x7FFF)), is_odd)
        return builder.trunc(builder.lshr(nearest, upper), ir.IntType(16))

    def vectors(compute: Callable[..., Any]) -> Callable[..., Any]:
        """Return what compiles a call of which the arguments are arrays and indices in turn.

        ``compute`` is given the builder, for each array but the last how to load 16 numbers from there or one number 16
        times, and returns 16 numbers for the last one.
        """

        def compile_call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            places: list[Any] = []
            given = tuple(zip(signature.args, values, strict=True))
            for (kind, array), (number, index) in zip(given[::2], given[1::2], strict=True):
                at = context.cast(builder, index, number, types.int64)
                places.append(builder.gep(context.make_array(kind)(context, builder, array).data, [at]))

            def sixteen(place: int) -> Any:
                kind = ir.VectorType(places[place].type.pointee, 16)
                return builder.load(builder.bitcast(places[place], kind.as_pointer()), align=1)

            def repeated(place: int) -> Any:
                kind = ir.VectorType(places[place].type.pointee, 16)
                one = builder.insert_element(
                    ir.Constant(kind, ir.Undefined), builder.load(places[place]), ir.IntType(32)(0)
                )
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), 16), [0] * 16)
                return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

            made = compute(builder, sixteen, repeated)
            builder.store(made, builder.bitcast(places[-1], made.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return compile_call

    floats = ir.VectorType(ir.FloatType(), 16)

    def above_least(builder: Any, sixteen: Any) -> Any:
        return builder.fsub(sixteen(0), sixteen(1))

    def greater(builder: Any, left: Any, right: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", left, right), left, right)

    def raised(builder: Any, sixteen: Any, _repeated: Any) -> Any:
        return greater(builder, above_least(builder, sixteen), sixteen(2))

    def bytes_of(builder: Any, sixteen: Any, repeated: Any) -> Any:
        above = greater(builder, above_least(builder, sixteen), ir.Constant(floats, [0.0] * 16))
        scaled = builder.fadd(builder.fmul(above, repeated(2)), ir.Constant(floats, [0.5] * 16))
        whole = builder.fptosi(scaled, ir.VectorType(ir.IntType(32), 16))
        return builder.trunc(whole, ir.VectorType(byte, 16))

    def scaled_sums(builder: Any, sixteen: Any, repeated: Any) -> Any:
        factors = builder.fmul(sixteen(2), repeated(1))
        return builder.fadd(sixteen(3), builder.fmul(builder.sitofp(sixteen(0), floats), factors))

    # The compiler takes the number of arguments from these.
    def configure(_context: Any, shape: Any) -> Any:
        return types.void(shape), instruction("ldtilecfg", "a")

    def release(_context: Any) -> Any:
        return types.void(), instruction("tilerelease", "")

    def load(_context: Any, tile: Any, numbers: Any, index: Any, stride: Any) -> Any:
        return types.void(tile, numbers, index, stride), instruction("tileloadd64", "tain")

    def store(_context: Any, tile: Any, numbers: Any, index: Any, stride: Any) -> Any:
        return types.void(tile, numbers, index, stride), instruction("tilestored64", "tain")

    def add_product(_context: Any, tile: Any, left: Any, right: Any) -> Any:
        return types.void(tile, left, right), instruction("tdpbf16ps", "ttt")

    def half(_context: Any, number: Any) -> Any:  # noqa: ARG001
        return types.uint16(types.float32), rounded_half

    def clear(_context: Any, tile: Any) -> Any:
        return types.void(tile), instruction("tilezero", "t")

    def add_byte_product(_context: Any, tile: Any, left: Any, right: Any) -> Any:
        return types.void(tile, left, right), instruction("tdpbusd", "ttt")

    def raise_most(_context: Any, numbers: Any, index: Any, least: Any, first: Any, most: Any, to: Any) -> Any:
        return types.void(numbers, index, least, first, most, to), vectors(raised)

    def put_bytes(
        _context: Any, numbers: Any, index: Any, least: Any, first: Any, scale: Any, place: Any, out: Any, to: Any
    ) -> Any:
        return types.void(numbers, index, least, first, scale, place, out, to), vectors(bytes_of)

    def put_sums(
        _context: Any, sums: Any, index: Any, units: Any, place: Any, factors: Any, first: Any, start: Any, begin: Any,
        out: Any, to: Any,
    ) -> Any:  # fmt: skip
        return types.void(sums, index, units, place, factors, first, start, begin, out, to), vectors(scaled_sums)

    made = configure, release, load, store, clear, add_product, add_byte_product, half, raise_most, put_bytes, put_sums
    return {each.__name__: extending.intrinsic(prefer_literal=True)(each) for each in made}

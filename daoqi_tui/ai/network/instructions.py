"""The processor's instructions for products of bytes, as functions that a compiled kernel may call.

Those for tiles of matrices (AMX) are the fastest. There are eight tiles, by number, of up to 16 rows of 64 bytes: 16
32-bit whole numbers, or 64 bytes. The functions here do in numpy what an instruction does, or a few for 16 numbers;
:func:`compiled` has those that are such instructions. Numbers of tiles are constants, since they are a part of the
instruction. An array is flat, and an index counts its elements.

Most other processors have one that adds four products of bytes to each of 16 whole numbers (AVX-512 VNNI) or of 8
(AVX-VNNI). :func:`add_dots` is a loop of these, since a compiled function would keep the sums in memory between two.

Intel, "Architecture Instruction Set Extensions Programming Reference", chapter 3; "Software Developer's Manual",
volume 2, VPDPBUSD.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.layout import Floats

ROWS: Final = 16
"""The most rows of a tile."""
Kind: TypeAlias = Literal["tiles", "dots"]
"""Which instructions there are: those for tiles of matrices, or those that add products of bytes."""
MOST_POINTS: Final = 14
"""The most points of which :func:`add_dots` has the sums in registers: 28, with weights and an input of 32."""
STEPS: Final = 4
"""Fours of channels in a turn of its loop."""
_TILES: Final = {"amx_tile", "amx_int8"}
_DOTS: Final = {"avx512_vnni", "avx_vnni"}
"""Of these one is enough."""
_CPUS: Final = Path("/proc/cpuinfo")
_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA = 158, 0x1023, 18
"""Linux' numbers of a system call and its arguments, by which a process asks for the use of tiles."""

_tiles: Final[list[NDArray[np.uint8]]] = [np.zeros((0, 64), np.uint8)] * 8


def available() -> Kind | None:
    """Return which instructions the processor has and the system lets this process use."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    try:
        with _CPUS.open(encoding="utf-8") as lines:
            flags = set(next((line for line in lines if line.startswith("flags")), "").split())
        if flags >= _TILES and ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA) == 0:
            return "tiles"
    except (OSError, AttributeError):
        return None
    return "dots" if flags & _DOTS else None


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


def clear(tile: int) -> None:
    _tiles[tile][:] = 0


def add_byte_product(tile: int, left: int, right: int) -> None:
    """Add the product of a tile of bytes and one of signed bytes, whose rows are in fours, to one of whole numbers."""
    sums = _tiles[tile].view(np.int32)
    fours = _tiles[right].view(np.int8).reshape(16, 16, 4).astype(np.int32)
    sums += _tiles[left].astype(np.int32) @ fours.transpose(0, 2, 1).reshape(64, 16)


def most_points() -> int:
    """Return the most points of :func:`add_dots`."""
    return MOST_POINTS


def add_dots(
    inputs: NDArray[np.uint8], index: int, line: int, part: int, weights: NDArray[np.int8], first: int,
    sums: NDArray[np.int32], points: int, parts: int, kernel: int,
) -> None:  # fmt: skip
    """Multiply the bytes that a row of points sees by the weights of 32 outputs.

    Args:
        inputs: bytes, 64 for each point.
        index: where what the first point sees begins in them.
        line: how far the next line of points is.
        part: how far the next 64 channels are.
        weights: two tiles of signed bytes for each place of the kernel and part.
        first: where they begin.
        sums: shape ``(points, 32)``.
        points: their number, up to :func:`most_points`.
        parts: of 64 channels.
        kernel: points along a side.
    """
    places = np.arange(parts)[:, None, None] * part + np.arange(kernel)[:, None] * line + np.arange(kernel) * 64
    at = index + places.reshape(-1, 1) + np.arange(64)
    seen = np.array([inputs[at + 64 * point].reshape(-1) for point in range(points)], np.int32)
    tiles = weights[first : first + 2048 * at.shape[0]].reshape(-1, 2, 16, 16, 4).transpose(0, 2, 4, 1, 3)
    sums[: 32 * points] = (seen @ tiles.reshape(-1, 32).astype(np.int32)).reshape(-1)


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


def compiled() -> dict[str, Callable[..., Any]]:
    """Return the functions that a kernel calls as instructions, by name.

    Those of a kind that numba's compiler does not know are left out, since it would end the process if it met one.

    Raises:
        ImportError: numba is not installed.
        NotImplementedError: the compiler knows neither kind.
    """
    from llvmlite import ir  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415
    from numba import extending, types  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415
    from numba.core import cgutils, registry  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    known = set(registry.cpu_target.target_context.codegen().magic_tuple()[2].split(","))
    # Numbers of 32 bits in a register; points of which the sums fit in registers, beside two of weights and an input.
    lanes, most = (16, MOST_POINTS) if "+avx512vnni" in known else (8, 6)
    byte, word = ir.IntType(8), ir.IntType(32)

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

    def filled(builder: Any, number: Any, count: int) -> Any:
        """Return a vector of a number, so many times."""
        none = ir.Constant(ir.VectorType(number.type, count), ir.Undefined)
        first = builder.insert_element(none, number, word(0))
        return builder.shuffle_vector(first, none, ir.Constant(ir.VectorType(word, count), [0] * count))

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
                return filled(builder, builder.load(places[place]), 16)

            made = compute(builder, sixteen, repeated)
            builder.store(made, builder.bitcast(places[-1], made.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return compile_call

    def dots(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        given = [
            builder.bitcast(context.make_array(kind)(context, builder, value).data, byte.as_pointer())
            if isinstance(kind, types.Array)
            else context.cast(builder, value, kind, types.int64)
            for kind, value in zip(signature.args, values, strict=True)
        ]
        inputs, index, line, part, weights, first, sums, points, parts, kernel = given
        seen, factors = builder.gep(inputs, [index]), builder.gep(weights, [first])
        done = builder.append_basic_block("dots.done")
        choice = builder.switch(points, done)
        # A loop for each number of points, since registers have no index.
        for count in range(1, most + 1):
            choice.add_case(count, builder.append_basic_block(f"dots.{count}"))
            builder.position_at_end(builder.function.blocks[-1])
            # Two registers of outputs at a time, of which the weights are so many bytes from the first.
            for columns in ((0, 1024),) if lanes == 16 else ((0, 32), (1024, 1056)):
                add_some_dots(builder, seen, line, part, factors, sums, count, parts, kernel, columns)
            builder.branch(done)
        builder.position_at_end(done)
        return context.get_dummy_value()

    def add_some_dots(
        builder: Any, seen: Any, line: Any, part: Any, weights: Any, sums: Any, count: int, parts: Any, kernel: Any,
        columns: tuple[int, int],
    ) -> None:  # fmt: skip
        vector, wide = ir.VectorType(word, lanes), ir.IntType(64)
        kinds = ir.FunctionType(vector, [vector] * 3)
        add = cgutils.get_or_insert_function(builder.module, kinds, f"llvm.x86.avx512.vpdpbusd.{32 * lanes}")

        def moved(pointer: Any, *steps: tuple[Any, int], kind: Any = byte) -> Any:
            """Return a pointer moved by the products of the pairs."""
            for number, size in steps:
                pointer = builder.gep(pointer, [builder.mul(number, wide(size)) if size > 1 else number])
            return builder.bitcast(pointer, kind.as_pointer())

        # The compiler keeps these in registers.
        held = {(point, column): cgutils.alloca_once(builder, vector) for point in range(count) for column in columns}
        for each in held.values():
            builder.store(ir.Constant(vector, [0] * lanes), each)
        with cgutils.for_range(builder, parts) as channels, cgutils.for_range(builder, kernel) as down:
            lines = builder.add(builder.mul(channels.index, kernel), down.index)
            row = moved(seen, (builder.mul(channels.index, part), 1), (builder.mul(down.index, line), 1))
            tiles = moved(weights, (builder.mul(lines, kernel), 2048))
            with cgutils.for_range(builder, kernel) as right, cgutils.for_range(builder, wide(16 // STEPS)) as some:
                place = moved(row, (right.index, 64), (some.index, 4 * STEPS))
                tile = moved(tiles, (right.index, 2048), (some.index, 64 * STEPS))
                for step in range(STEPS):
                    of_outputs = [
                        builder.load(moved(tile, (wide(64 * step + column), 1), kind=vector), align=1)
                        for column in columns
                    ]
                    for point in range(count):
                        four = builder.load(moved(place, (wide(64 * point + 4 * step), 1), kind=word), align=1)
                        fours = filled(builder, four, lanes)
                        for column, factors in zip(columns, of_outputs, strict=True):
                            sum_ = held[point, column]
                            builder.store(builder.call(add, [builder.load(sum_), fours, factors]), sum_)
        for (point, column), sum_ in held.items():
            to = wide(128 * point + column // 1024 * 64 + column % 1024)
            builder.store(builder.load(sum_), moved(sums, (to, 1), kind=vector), align=1)

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

    def most_points(_context: Any) -> Any:
        return types.int64(), lambda *_: ir.IntType(64)(most)

    def add_dots(
        _context: Any, inputs: Any, index: Any, line: Any, part: Any, weights: Any, first: Any, sums: Any, points: Any,
        parts: Any, kernel: Any,
    ) -> Any:  # fmt: skip
        return types.void(inputs, index, line, part, weights, first, sums, points, parts, kernel), dots

    made: list[Any] = []
    if known & {"+avx512vnni", "+avxvnni"}:
        made += most_points, add_dots
    if known >= {"+amx-tile", "+amx-int8"}:
        made += configure, release, load, store, clear, add_byte_product
    if not made:
        raise NotImplementedError("the compiler knows no instructions for products of bytes on this machine")
    made += raise_most, put_bytes, put_sums
    return {each.__name__: extending.intrinsic(prefer_literal=True)(each) for each in made}

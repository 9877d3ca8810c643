"""Layouts that a kernel may ask for: of buffers in shared memory, and of tensors in registers.

They are values of the compiler: made outside of kernels or in them, passed as compile-time arguments, compared.
"""

# ruff: noqa: N815 -- the parameters have the names that TLX gives them

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import (
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
    SwizzledSharedLayout,
)
from triton.language.core import _unwrap_if_constexpr

from ..compiler.layouts import PinnedLayout
from ..errors import InvalidLayout
from .arguments import describe, list_text

__all__ = [
    "as_register_layout",
    "as_shared_layout",
    "layout",
    "layout_encoding",
    "nv_mma_shared_layout_encoding",
    "padded_shared_layout_encoding",
    "shared_layout_encoding",
    "shared_linear_layout_encoding",
    "swizzled_layout",
    "swizzled_shared_layout_encoding",
]

WIDEST_ACCESS = 16  # bytes of one access to shared memory


def callable_in_kernels(function: Callable) -> Callable:
    """A function of layouts that kernels call as well: there its result is a compile-time value."""

    def call(*args, _semantic=None, **kwargs):
        result = function(*args, **kwargs)
        return result if _semantic is None else tl.constexpr(result)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__triton_builtin__ = True
    return call


def plain(value: Any) -> Any:
    """A compile-time value without Triton's wrappers; lists become tuples."""
    value = _unwrap_if_constexpr(value)
    if isinstance(value, list | tuple | tl.tuple):
        return tuple(plain(item) for item in value)
    return value


def is_power_of_two(value: Any) -> bool:
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def row_major(rank: int) -> tuple[int, ...]:
    """The order of axes, the contiguous one first."""
    return tuple(reversed(range(rank)))


def check_order(order: tuple[int, ...], rank: int) -> None:
    if sorted(order) != list(range(rank)):
        raise InvalidLayout(f"order is {order}, it must list the {rank} axes, the contiguous one first")


def check_one_cta(*counts: Any) -> None:
    """Raises for buffers split over the CTAs of a cluster: a buffer belongs to one CTA here."""
    if any(count not in (None, 1) for part in counts for count in (part if isinstance(part, tuple) else (part,))):
        raise InvalidLayout(f"the layout splits a buffer over CTAs: {counts}", "pass 1 for every axis")


def check_offset_bases(bases: tuple[tuple[int, ...], ...], shape: list[int]) -> None:
    """Raises unless the bits of the offset reach each element of the shape once, XOR-ed as they may be."""
    elements = prod(shape)
    if any(len(base) != len(shape) for base in bases):
        raise InvalidLayout(f"offset_bases must have {len(shape)} coordinates each for a buffer of {list_text(shape)}")
    reached: list[int] = []  # an echelon form over GF(2) of the bases as row-major indices
    for base in bases:
        index = 0
        for coordinate, size in zip(base, shape):
            if not 0 <= coordinate < size:
                raise InvalidLayout(f"offset base {base} lies outside of a buffer of {list_text(shape)}")
            index = index * size + coordinate
        for other in reached:
            index = min(index, index ^ other)
        if index:
            reached.append(index)
    if len(reached) != len(bases) or 2 ** len(bases) != elements:
        raise InvalidLayout(
            f"{len(bases)} offset bases, {len(reached)} of them independent, reach {2 ** len(reached):,} of the "
            f"{elements:,} elements of a buffer of {list_text(shape)}",
            hint="give one base for each bit of the offset, none the XOR of others",
        )


class layout_encoding:
    """Base of all layouts."""

    def mangle(self) -> str:
        """What tells it from other layouts in the name of a function that takes it."""
        return "".join(char if char.isalnum() else "_" for char in repr(self))


class shared_layout_encoding(layout_encoding):
    """Base of the layouts of buffers in shared memory."""

    def resolve(self, shape: list[int], dtype: tl.dtype) -> SharedLayout:
        """Triton's layout for a buffer of that shape; raises InvalidLayout where the two don't fit."""
        raise NotImplementedError

    def make_permute(self, dims) -> shared_layout_encoding:
        """The layout of the buffer with its axes permuted."""
        raise InvalidLayout(f"a {type(self).__name__} can't be permuted", "permute the buffer with local_trans")


@dataclass(frozen=True)
class swizzled_layout(shared_layout_encoding):
    """CuTe's `Swizzle<bits, base, shift>` over rows one behind the other.

    Bits `base + shift` and up of an element's offset are XOR-ed into its bits `base` and up, `bits` of them.

    Args:
        bits: log2 of the number of different permutations; 0 swizzles nothing.
        base: log2 of the elements that stay together.
        shift: distance between the two groups of bits.
        order: axes, the contiguous one first; None means row-major.
    """

    bits: int
    base: int = 0
    shift: int = 0
    order: tuple[int, ...] | None = None

    def __post_init__(self):
        for name in ("bits", "base", "shift", "order"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        if any(not isinstance(value, int) or value < 0 for value in (self.bits, self.base, self.shift)):
            raise InvalidLayout(f"{self}: bits, base and shift must be integers of at least 0")

    @staticmethod
    @callable_in_kernels
    def make_default(rank) -> swizzled_layout:
        """No swizzle, row-major."""
        return swizzled_layout(0, order=row_major(plain(rank)))

    def resolve(self, shape, dtype):
        order = self.order or row_major(len(shape))
        check_order(order, len(shape))
        per_phase = 1
        if self.bits:
            span, row = 1 << (self.shift + self.base), shape[order[0]]
            if span % row or row < 1 << (self.bits + self.base):
                raise InvalidLayout(
                    f"Swizzle<{self.bits}, {self.base}, {self.shift}> has periods of {span} elements and permutes "
                    f"within {1 << (self.bits + self.base)}; rows have {row} elements",
                    hint="2 ** (base + shift) must be a multiple of a row, 2 ** (base + bits) at most one row",
                )
            per_phase = span // row
        return SwizzledSharedLayout(1 << self.base, per_phase, 1 << self.bits, list(order))

    def make_permute(self, dims):
        order = self.order or row_major(len(plain(dims)))
        return swizzled_layout(self.bits, self.base, self.shift, tuple(plain(dims).index(axis) for axis in order))


@dataclass(frozen=True)
class swizzled_shared_layout_encoding(shared_layout_encoding):
    """The same swizzle in Triton's numbers: row r's groups of `vectorSize` are XOR-ed with
    `(r / perPhase) % maxPhase`.

    Args:
        vectorSize: elements that stay together.
        perPhase: rows with the same permutation.
        maxPhase: different permutations; 1 swizzles nothing.
        order: axes, the contiguous one first.
        numCTAs: 1 for each axis, as the four that follow; TLX's kernels pass them.
    """

    vectorSize: int
    perPhase: int
    maxPhase: int
    order: tuple[int, ...]
    numCTAs: tuple[int, ...] | None = None
    numCTAsPerCGA: tuple[int, ...] | None = None
    numCTASplit: tuple[int, ...] | None = None
    numCTAOrder: tuple[int, ...] | None = None

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, plain(getattr(self, name)))
        check_one_cta(self.numCTAs, self.numCTAsPerCGA, self.numCTASplit)
        sizes = (self.vectorSize, self.perPhase, self.maxPhase)
        if not all(map(is_power_of_two, sizes)):
            raise InvalidLayout(f"vectorSize, perPhase and maxPhase are {sizes}, they must be powers of two")

    @staticmethod
    @callable_in_kernels
    def make_default(rank) -> swizzled_shared_layout_encoding:
        """No swizzle, row-major."""
        return swizzled_shared_layout_encoding(1, 1, 1, row_major(plain(rank)))

    def resolve(self, shape, dtype):
        check_order(self.order, len(shape))
        return SwizzledSharedLayout(self.vectorSize, self.perPhase, self.maxPhase, list(self.order))

    def make_permute(self, dims):
        order = tuple(plain(dims).index(axis) for axis in self.order)
        return swizzled_shared_layout_encoding(self.vectorSize, self.perPhase, self.maxPhase, order)


@dataclass(frozen=True)
class nv_mma_shared_layout_encoding(shared_layout_encoding):
    """The layout that TMA writes and the tensor cores read, with the widest swizzle that the rows allow.

    Args:
        shape: of the buffer.
        order: axes, the contiguous one first.
        elemType: element type.
        numCTAsPerCGA: 1 for each axis, as `numCTASplit`; TLX's kernels pass them.
        fp4Padded: whether bytes hold two fp4 numbers padded for mixed precision; Blackwell only.
        swizzled: whether there is a swizzle at all.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    elemType: tl.dtype
    numCTAsPerCGA: tuple[int, ...] | None = None
    numCTASplit: tuple[int, ...] | None = None
    numCTAOrder: tuple[int, ...] | None = None
    fp4Padded: bool = False
    swizzled: bool = True

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, plain(getattr(self, name)))
        check_one_cta(self.numCTAsPerCGA, self.numCTASplit)
        if self.fp4Padded:
            raise InvalidLayout("fp4Padded is for the tensor cores of Blackwell")
        check_order(self.order, len(self.shape))

    @staticmethod
    @callable_in_kernels
    def make_default(shape, elemType, fp4Padded=False) -> nv_mma_shared_layout_encoding:
        """The layout of a buffer that asks for none."""
        return nv_mma_shared_layout_encoding(shape, row_major(len(plain(shape))), elemType, fp4Padded=fp4Padded)

    def resolve(self, shape, dtype):
        if (tuple(shape), dtype) != (self.shape, self.elemType):
            raise InvalidLayout(
                f"the layout is for {list_text(self.shape)} {self.elemType}, the buffer is {list_text(shape)} {dtype}"
            )
        rank = len(shape)
        transposed = rank > 1 and self.order == tuple(range(rank))
        if not transposed and self.order != row_major(rank):
            raise InvalidLayout(f"order is {self.order}, TMA's layout has rows or columns contiguous")
        stock = _unwrap_if_constexpr(NVMMASharedLayout.get_default_for(list(shape), dtype, transposed=transposed))
        if self.swizzled:
            return stock
        return NVMMASharedLayout(0, stock.element_bitwidth, rank, transposed)

    def make_permute(self, dims):
        dims = plain(dims)
        shape, order = tuple(self.shape[axis] for axis in dims), tuple(dims.index(axis) for axis in self.order)
        return nv_mma_shared_layout_encoding(shape, order, self.elemType, swizzled=self.swizzled)


@dataclass(frozen=True)
class padded_shared_layout_encoding(shared_layout_encoding):
    """Elements one behind the other, with gaps: behind every `intervals[i]` elements come `paddings[i]` unused ones.

    Args:
        intervals: elements between gaps, powers of two.
        paddings: elements of each gap, powers of two; 16 bytes or more, as Triton reads up to 16 bytes at once whatever
            gaps lie between.
        order: axes, the contiguous one first.
        shape: of the buffer.
        numCTAsPerCGA: 1 for each axis, as `numCTASplit`; TLX's kernels pass them.
        offset_bases: instead of `order`, the element to which each bit of the offset leads, gaps not counted.
        block_bases: empty.
    """

    intervals: tuple[int, ...]
    paddings: tuple[int, ...]
    order: tuple[int, ...]
    shape: tuple[int, ...]
    numCTAsPerCGA: tuple[int, ...] | None = None
    numCTASplit: tuple[int, ...] | None = None
    numCTAOrder: tuple[int, ...] | None = None
    offset_bases: tuple[tuple[int, ...], ...] | None = None
    block_bases: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, plain(getattr(self, name)))
        check_one_cta(self.numCTAsPerCGA, self.numCTASplit, len(self.block_bases or ()) + 1)
        if not self.intervals or len(self.intervals) != len(self.paddings):
            raise InvalidLayout(f"{len(self.intervals)} intervals and {len(self.paddings)} paddings: give pairs")
        if not all(map(is_power_of_two, self.intervals + self.paddings)):
            raise InvalidLayout(f"intervals {self.intervals} and paddings {self.paddings} must be powers of two")
        if len(set(self.intervals)) != len(self.intervals):
            raise InvalidLayout(f"intervals are {self.intervals}, one stands there twice")
        check_order(self.order, len(self.shape))

    @staticmethod
    @callable_in_kernels
    def with_identity_for(interval_padding_pairs, shape, order=None) -> padded_shared_layout_encoding:
        """Rows (or what `order` says) one behind the other, with gaps after every `interval` elements.

        Args:
            interval_padding_pairs: list of (interval, padding).
            shape: of the buffer.
            order: axes, the contiguous one first; None means row-major.
        """
        pairs, shape = plain(interval_padding_pairs), plain(shape)
        intervals, paddings = zip(*pairs) if pairs else ((), ())
        order = plain(order) or row_major(len(shape))
        return padded_shared_layout_encoding(intervals, paddings, order, shape)

    @staticmethod
    @callable_in_kernels
    def with_bases(interval_padding_pairs, offset_bases, shape, block_bases=None):
        """Elements in an order of their own, with gaps after every `interval` of them.

        Args:
            interval_padding_pairs: list of (interval, padding).
            offset_bases: the element to which each bit of the offset leads, gaps not counted.
            shape: of the buffer.
            block_bases: empty.
        """
        pairs, shape = plain(interval_padding_pairs), plain(shape)
        intervals, paddings = zip(*pairs) if pairs else ((), ())
        order = row_major(len(shape))
        return padded_shared_layout_encoding(
            intervals, paddings, order, shape, offset_bases=offset_bases, block_bases=block_bases
        )

    def resolve(self, shape, dtype):
        if tuple(shape) != self.shape:
            raise InvalidLayout(f"the layout is for {list_text(self.shape)}, the buffer is {list_text(shape)}")
        bases = self.offset_bases or identity_bases(self.order, self.shape)
        check_offset_bases(bases, list(shape))
        gap = min(self.paddings) * dtype.primitive_bitwidth // 8
        if gap < WIDEST_ACCESS:
            raise InvalidLayout(
                f"a padding of {min(self.paddings)} {dtype} is {gap} bytes, accesses of {WIDEST_ACCESS} bytes behind "
                "it would be misaligned",
                hint=f"pad by at least {WIDEST_ACCESS * min(self.paddings) // gap} elements",
            )
        pairs = [list(pair) for pair in zip(self.intervals, self.paddings)]
        return PaddedSharedLayout(pairs, [list(base) for base in bases], [], list(shape))

    def make_permute(self, dims):
        dims = plain(dims)
        shape, order = tuple(self.shape[axis] for axis in dims), tuple(dims.index(axis) for axis in self.order)
        bases = self.offset_bases and tuple(tuple(base[axis] for axis in dims) for base in self.offset_bases)
        return padded_shared_layout_encoding(self.intervals, self.paddings, order, shape, offset_bases=bases)


def identity_bases(order: tuple[int, ...], shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The bases of elements one behind the other, axis `order[0]` running first."""
    return tuple(
        tuple(1 << bit if axis == moving else 0 for axis in range(len(shape)))
        for moving in order
        for bit in range(shape[moving].bit_length() - 1)
    )


@dataclass(frozen=True)
class shared_linear_layout_encoding(shared_layout_encoding):
    """Any layout whose offsets are XORs of bits of the coordinates.

    Args:
        offset_bases: the element to which each bit of the offset leads.
        block_bases: empty.
        alignment: of the buffer, in bytes.
    """

    offset_bases: tuple[tuple[int, ...], ...]
    block_bases: tuple[tuple[int, ...], ...] | None = None
    alignment: int = 16

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, plain(getattr(self, name)))
        check_one_cta(len(self.block_bases or ()) + 1)
        if not is_power_of_two(self.alignment):
            raise InvalidLayout(f"alignment is {self.alignment}, it must be a power of two")

    def resolve(self, shape, dtype):
        check_offset_bases(self.offset_bases, list(shape))
        return SharedLinearLayout([list(base) for base in self.offset_bases], [], self.alignment)

    def make_permute(self, dims):
        bases = tuple(tuple(base[axis] for axis in plain(dims)) for base in self.offset_bases)
        return shared_linear_layout_encoding(bases, None, self.alignment)


@dataclass(frozen=True, init=False)
class layout(layout_encoding):
    """Which thread holds which elements of a tensor, in CuTe's form: `(thread, value)` to the row-major index.

    Each of `thread` and `value` is a tuple of modes; a mode of size s and stride d takes an index of its own, the
    first mode running first. 32 threads are a warp. A mode of stride 0 holds copies.

    Args:
        spec: a `swizzled_layout`, which is returned as it is.
        shape: (sizes of the thread modes, sizes of the value modes), powers of two.
        stride: (strides of the thread modes, strides of the value modes), powers of two or 0.

    Example:
        tlx.layout(shape=((32, 4), (2, 16)), stride=((2, 64), (1, 256)))
    """

    shape: tuple[tuple[int, ...], tuple[int, ...]]
    stride: tuple[tuple[int, ...], tuple[int, ...]]

    def __new__(cls, spec=None, *, shape=None, stride=None):
        spec = plain(spec)
        return spec if isinstance(spec, shared_layout_encoding) else super().__new__(cls)

    def __init__(self, spec=None, *, shape=None, stride=None):
        shape, stride = thread_value(shape), thread_value(stride)
        if spec is not None or not is_thread_value(shape) or not is_thread_value(stride):
            raise InvalidLayout(
                f"layout takes shape=(thread, value) and stride=(thread, value), not shape={shape}, stride={stride}"
            )
        for sizes, strides in zip(shape, stride):
            if len(sizes) != len(strides):
                raise InvalidLayout(f"modes of sizes {sizes} have strides {strides}: one for each mode")
            if not all(map(is_power_of_two, sizes)) or not all(step == 0 or is_power_of_two(step) for step in strides):
                raise InvalidLayout(
                    f"modes {sizes}:{strides}: sizes and strides must be powers of two, strides may be 0"
                )
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "stride", stride)

    def resolve(self, shape: list[int], num_warps: int, warp_size: int) -> PinnedLayout:
        """Triton's layout for a tensor of that shape in a task of `num_warps` warps.

        Raises InvalidLayout where threads or elements are missing or too many.
        """
        threads, values = prod(self.shape[0]), prod(self.shape[1])
        if threads != num_warps * warp_size:
            raise InvalidLayout(
                f"the layout is for {threads} threads, this task has {num_warps} warps x {warp_size} = "
                f"{num_warps * warp_size}",
                hint="the sizes of the thread modes multiply to the threads of the task; stride 0 makes copies",
            )
        thread_bits, value_bits = (bits(*modes) for modes in zip(self.shape, self.stride))
        steps, elements = [step for step in thread_bits + value_bits if step], prod(shape)
        if len(set(steps)) != len(steps) or 2 ** len(steps) != elements or any(step >= elements for step in steps):
            raise InvalidLayout(
                f"{threads} threads with {values} values each, strides {self.stride}, don't hold each of the "
                f"{elements:,} elements of a {list_text(shape)} tensor once",
                hint="each power of two below the number of elements must come from one mode; stride 0 makes copies",
            )
        lane_bits = warp_size.bit_length() - 1
        values_of, lanes, warps = (
            [coordinates(step, shape) for step in part]
            for part in (value_bits, thread_bits[:lane_bits], thread_bits[lane_bits:])
        )
        return PinnedLayout(values_of, lanes, warps, [], list(shape))


def thread_value(pair: Any) -> Any:
    """A pair (thread, value) in which a single mode may stand without its tuple."""
    pair = plain(pair)
    return tuple(part if isinstance(part, tuple) else (part,) for part in pair) if isinstance(pair, tuple) else pair


def is_thread_value(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, tuple) for part in pair)


def bits(sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The step of each bit of the index of these modes."""
    return [stride << bit for size, stride in zip(sizes, strides) for bit in range(size.bit_length() - 1)]


def coordinates(index: int, shape: list[int]) -> list[int]:
    """Where the element with that row-major index is."""
    place = []
    for size in reversed(shape):
        place.append(index % size)
        index //= size
    return place[::-1]


def as_shared_layout(value: Any, shape: list[int], dtype: tl.dtype) -> SharedLayout:
    """Triton's layout for a buffer; raises InvalidLayout for what is no layout of shared memory."""
    value = _unwrap_if_constexpr(value)
    if not isinstance(value, shared_layout_encoding):
        raise InvalidLayout(f"layout must be a layout of shared memory, not {describe(value)}")
    return value.resolve(shape, dtype)


def as_register_layout(value: Any, shape: list[int], semantic) -> PinnedLayout:
    """Triton's layout for a tensor of the current task; raises InvalidLayout for what is no layout of registers."""
    value = _unwrap_if_constexpr(value)
    if not isinstance(value, layout):
        raise InvalidLayout(f"layout must be a tlx.layout of registers, not {describe(value)}")
    return value.resolve(shape, semantic.task.num_warps, semantic.task.kernel.target.warp_size)

"""What the forward kernels share: the fields of a segment, the bags of a program, rows that may be loaded."""

import triton
import triton.language as tl

# The rows of packed segments: `tlx_kernels.tbe.layout.SEGMENT_FIELDS`.
FIRST_BAG = tl.constexpr(0)
BAGS = tl.constexpr(1)
WEIGHTS_OFFSET = tl.constexpr(2)
ROWS = tl.constexpr(3)
DIM = tl.constexpr(4)
OUT_BASE = tl.constexpr(5)
OUT_STRIDE = tl.constexpr(6)


@triton.jit
def aligned(number, ALIGN: tl.constexpr):
    """The number, which is a multiple of ALIGN, as the compiler knows then."""
    return number // ALIGN * ALIGN


@triton.jit
def table_of(segments, s, SEGMENTS, D: tl.constexpr, ALIGN: tl.constexpr):
    """Where a segment's table begins in the weights, how many rows it has, and of how many elements.

    Args:
        segments: packed, [fields, SEGMENTS] int64.
        s: the segment's number.
        D: the dim, if all segments have the same; else 0.
        ALIGN: a power of two that divides all that is a place of a row, in elements.
    """
    base = aligned(tl.load(segments + WEIGHTS_OFFSET * SEGMENTS + s), ALIGN)
    rows = tl.load(segments + ROWS * SEGMENTS + s)
    if D:
        dim = D
    else:
        dim = aligned(tl.load(segments + DIM * SEGMENTS + s), ALIGN).to(tl.int32)
    return base, rows, dim


@triton.jit
def output_of(segments, s, SEGMENTS, ALIGN: tl.constexpr):
    """Where the output of a segment begins, and its step from bag to bag."""
    base = aligned(tl.load(segments + OUT_BASE * SEGMENTS + s), ALIGN)
    return base, aligned(tl.load(segments + OUT_STRIDE * SEGMENTS + s), ALIGN)


@triton.jit
def lookup(indices, at, there, rows, CHECKED: tl.constexpr):
    """The rows at these positions, and which of them are looked up: if CHECKED, those outside of the table are not.

    Args:
        indices: pointer.
        at: int64 positions.
        there: which positions count.
        rows: of the table.
    """
    index = tl.load(indices + at, mask=there, other=0).to(tl.int64)
    if CHECKED:
        there = there & (index >= 0) & (index < rows)
    return index, there


@triton.jit
def last_begun(segments, offsets, low, high, at, SEGMENTS):
    """For each position the last of the segments from low to high that has begun there.

    Args:
        offsets: of all bags, never falling.
        low, high: segment numbers, scalars; the answer is `low` where none has begun.
        at: int64 positions, a scalar or a tensor.
    """
    found = (at * 0 + low).to(tl.int32)
    width = high - low + 1
    while width > 1:
        half = width // 2
        middle = found + half
        begin = tl.load(offsets + tl.load(segments + FIRST_BAG * SEGMENTS + middle))
        found = tl.where(begin <= at, middle, found)
        width -= half
    return found

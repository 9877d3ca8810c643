"""Lookups without pooling: one row of output for each lookup."""

import triton
import triton.language as tl

from .access import BAGS, FIRST_BAG, last_begun, lookup, table_of


@triton.jit
def copy_rows(
    out,
    indices,
    offsets,
    factors,
    weights,
    segments,
    SEGMENTS,
    N,
    WEIGHTED: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    DEPTH: tl.constexpr,
    TRIPS: tl.constexpr,
):
    """A program copies TRIPS tiles of DEPTH rows; a lookup that is left out, or lies in no bag, gives zeros.

    Args:
        out: [N, D].
        The others are as in `pool_tile`; all segments have the same dim.
    """
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64) * (TRIPS * DEPTH)
    last = tl.minimum(first + TRIPS * DEPTH, N)
    low = last_begun(segments, offsets, 0, SEGMENTS - 1, first, SEGMENTS)
    high = last_begun(segments, offsets, low, SEGMENTS - 1, last - 1, SEGMENTS)
    for start in range(first, last, DEPTH):
        at = start + tl.arange(0, DEPTH)
        s = last_begun(segments, offsets, low, high, at, SEGMENTS)
        base, rows, _ = table_of(segments, s, SEGMENTS, D, ALIGN)
        bag = tl.load(segments + FIRST_BAG * SEGMENTS + s)
        begin = tl.load(offsets + bag)
        end = tl.load(offsets + bag + tl.load(segments + BAGS * SEGMENTS + s))
        index, there = lookup(indices, at, (at >= begin) & (at < tl.minimum(end, N)), rows, CHECKED)
        row = weights + (base + index * D)[:, None] + columns[None, :]
        tile = tl.load(row, mask=there[:, None] & (columns < D)[None, :], other=0.0)
        if WEIGHTED:
            tile = tile.to(tl.float32) * tl.load(factors + at, mask=there, other=0.0)[:, None]
        place = out + (at * D)[:, None] + columns[None, :]
        tl.store(place, tile.to(out.dtype.element_ty), mask=(at < last)[:, None] & (columns < D)[None, :])

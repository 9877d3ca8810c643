"""Pooled lookups in plain Triton: a tile of rows, [bags, rows of each bag, columns], is in flight at a time."""

import triton
import triton.language as tl

from .access import BAGS, FIRST_BAG, lookup, output_of, table_of


@triton.jit
def pool_tile(
    out,
    indices,
    offsets,
    factors,
    weights,
    segments,
    SEGMENTS,
    BLOCKS,
    MEAN: tl.constexpr,
    WEIGHTED: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    TOGETHER: tl.constexpr,
    DEPTH: tl.constexpr,
    TRIPS: tl.constexpr,
    TABLE_MAJOR: tl.constexpr,
):
    """A program pools TRIPS * TOGETHER bags of one segment if TABLE_MAJOR, else those of every segment.

    Args:
        out: of any float type; where its rows lie is said by the segments.
        indices: [N], int32 or int64.
        offsets: of all bags, as indices; from 0 to N, never falling.
        factors: [N] float32, read if WEIGHTED.
        weights: flat.
        segments: packed; those that this launch pools.
        BLOCKS: programs for a segment.
        MEAN: whether sums are divided by the number of lookups.
        CHECKED: whether lookups outside of the table are left out; else they read what lies there.
        D, ALIGN: as `table_of` takes them.
        BLOCK: columns of a tile, a power of two; program_id(1) tells which.
        TOGETHER: bags of a tile.
        DEPTH: rows of each bag in a tile.
    """
    block = tl.program_id(0)
    if TABLE_MAJOR:
        _pool_segment(
            *(out, indices, offsets, factors, weights, segments, block // BLOCKS, SEGMENTS, block % BLOCKS),
            *(MEAN, WEIGHTED, CHECKED, D, ALIGN, BLOCK, TOGETHER, DEPTH, TRIPS),
        )
    else:
        for s in range(0, SEGMENTS):
            _pool_segment(
                *(out, indices, offsets, factors, weights, segments, s, SEGMENTS, block),
                *(MEAN, WEIGHTED, CHECKED, D, ALIGN, BLOCK, TOGETHER, DEPTH, TRIPS),
            )


@triton.jit
def _pool_segment(
    out,
    indices,
    offsets,
    factors,
    weights,
    segments,
    s,
    SEGMENTS,
    block,
    MEAN: tl.constexpr,
    WEIGHTED: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    TOGETHER: tl.constexpr,
    DEPTH: tl.constexpr,
    TRIPS: tl.constexpr,
):
    """The bags of one block of one segment."""
    base, rows, dim = table_of(segments, s, SEGMENTS, D, ALIGN)
    out_base, out_stride = output_of(segments, s, SEGMENTS, ALIGN)
    offsets += tl.load(segments + FIRST_BAG * SEGMENTS + s)
    bags = tl.load(segments + BAGS * SEGMENTS + s)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)[None, :]
    first = block.to(tl.int64) * (TRIPS * TOGETHER)
    for bag0 in range(first, tl.minimum(first + TRIPS * TOGETHER, bags), TOGETHER):
        bag = bag0 + tl.arange(0, TOGETHER)
        begin = tl.load(offsets + bag, mask=bag < bags, other=0).to(tl.int64)
        end = tl.load(offsets + bag + 1, mask=bag < bags, other=0).to(tl.int64)
        longest = tl.max(end - begin, axis=0)
        at = begin[:, None] + depth
        index, there = lookup(indices, at, at < end[:, None], rows, CHECKED)
        total = tl.zeros((TOGETHER, BLOCK), tl.float32)
        for _ in range(0, longest, DEPTH):
            mask = there[:, :, None] & (columns < dim)[None, None, :]
            row = weights + base + (index * dim)[:, :, None] + columns[None, None, :]
            tile = tl.load(row, mask=mask, other=0.0).to(tl.float32)
            if WEIGHTED:
                tile = tile * tl.load(factors + at, mask=there, other=0.0)[:, :, None]
            # The next indices are on their way while these rows arrive.
            at += DEPTH
            index, there = lookup(indices, at, at < end[:, None], rows, CHECKED)
            total += tl.sum(tile, axis=1)
        if MEAN:
            total = total / tl.maximum(end - begin, 1).to(tl.float32)[:, None]
        place = out + out_base + (bag * out_stride)[:, None] + columns[None, :]
        tl.store(place, total.to(out.dtype.element_ty), mask=(bag < bags)[:, None] & (columns < dim)[None, :])

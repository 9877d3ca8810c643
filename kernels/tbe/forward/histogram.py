"""Pooled lookups in tiny tables: how often each bag names each row, times the table."""

import triton
import triton.language as tl

from .access import BAGS, FIRST_BAG, lookup, output_of, table_of


@triton.jit
def pool_histogram(
    out,
    indices,
    offsets,
    weights,
    segments,
    SEGMENTS,
    BLOCKS,
    MEAN: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    TOGETHER: tl.constexpr,
    DEPTH: tl.constexpr,
    TABLE: tl.constexpr,
):
    """A program pools TOGETHER bags of one segment.

    A count is at most DEPTH, which the type of the weights holds exactly; products and sums are in float32.

    Args:
        TOGETHER: bags, at least 16, the fewest rows that the tensor cores take.
        DEPTH: lookups of each bag that are counted at a time; a power of two up to 256.
        TABLE: rows of a table, a power of two of at least 16 that no segment's table exceeds.
        The others are as in `pool_tile`, where nothing is weighted.
    """
    s, block = tl.program_id(0) // BLOCKS, tl.program_id(0) % BLOCKS
    base, rows, dim = table_of(segments, s, SEGMENTS, D, ALIGN)
    out_base, out_stride = output_of(segments, s, SEGMENTS, ALIGN)
    offsets += tl.load(segments + FIRST_BAG * SEGMENTS + s)
    bags = tl.load(segments + BAGS * SEGMENTS + s)
    bag = block.to(tl.int64) * TOGETHER + tl.arange(0, TOGETHER)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.arange(0, TABLE)
    place = weights + base + (row * dim)[:, None] + columns[None, :]
    table = tl.load(place, mask=(row < rows)[:, None] & (columns < dim)[None, :], other=0.0)
    begin = tl.load(offsets + bag, mask=bag < bags, other=0).to(tl.int64)
    end = tl.load(offsets + bag + 1, mask=bag < bags, other=0).to(tl.int64)
    number = tl.arange(0, TOGETHER)[:, None] * TABLE
    total = tl.zeros((TOGETHER, BLOCK), tl.float32)
    for start in range(0, tl.max(end - begin, axis=0), DEPTH):
        at = begin[:, None] + start + tl.arange(0, DEPTH)[None, :]
        index, there = lookup(indices, at, at < end[:, None], rows, CHECKED)
        bins = tl.reshape(number + tl.where(there, index, 0).to(tl.int32), TOGETHER * DEPTH)
        counts = tl.histogram(bins, TOGETHER * TABLE, mask=tl.reshape(there, TOGETHER * DEPTH))
        counts = tl.reshape(counts, TOGETHER, TABLE).to(table.dtype)
        # In float32 the table is multiplied in float32, not in TF32.
        total = tl.dot(counts, table, total, input_precision="ieee")
    if MEAN:
        total = total / tl.maximum(end - begin, 1).to(tl.float32)[:, None]
    place = out + out_base + (bag * out_stride)[:, None] + columns[None, :]
    tl.store(place, total.to(out.dtype.element_ty), mask=(bag < bags)[:, None] & (columns < dim)[None, :])

"""From lookups to sort keys: which row each lookup trains, and where the gradient of its bag lies."""

import triton
import triton.language as tl


@triton.jit
def last_at_most(sorted_numbers, count, x):
    """For each x the largest i < count with sorted_numbers[i] <= x, or 0 if there is none.

    Args:
        sorted_numbers: pointer to numbers that never fall.
        count: how many; at least 1.
        x: integer tensor.
    """
    low = (x * 0).to(tl.int64)
    width = tl.cast(count, tl.int64)
    while width > 1:
        half = width // 2
        middle = low + half
        low = tl.where(tl.load(sorted_numbers + middle).to(tl.int64) <= x, middle, low)
        width -= half
    return low


@triton.jit(do_not_specialize=["N", "BAGS", "SEGMENTS", "SKIP"])
def linearize(
    indices,
    offsets,
    per_sample_weights,
    segments,
    keys,
    sources,
    factors,
    N,
    BAGS,
    SEGMENTS,
    SKIP,
    POOLED: tl.constexpr,
    MEAN: tl.constexpr,
    WEIGHTED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Writes each lookup's key, the place of its gradient, and its factor (if MEAN or WEIGHTED).

    A lookup outside of its table, or in no bag, gets the key SKIP, which sorts behind all rows: it trains nothing.

    Args:
        indices: [N], int32 or int64.
        offsets: [BAGS + 1], bag g holds the lookups from offsets[g] to offsets[g + 1].
        segments: [5, SEGMENTS] int64: number of the first bag, key of row 0 of the table, rows of the table, where the
            gradient of the first bag begins, and the way from one bag's to the next one's; if not POOLED, to the next
            lookup's.
        keys: [N], int32 or int64.
        sources: [N], int32 or int64, where each lookup's gradient begins, in the unit of the segments; -1 for none.
        factors: [N] float32.
    """
    first = tl.program_id(0).to(tl.int64) * BLOCK
    at = first + tl.arange(0, BLOCK)
    inside = at < N
    # Where the bags of this block begin and end is searched for among all bags; each lookup then looks between them.
    low = last_at_most(offsets, BAGS + 1, first)
    high = last_at_most(offsets, BAGS + 1, tl.minimum(first + BLOCK, N) - 1)
    bag = low + last_at_most(offsets + low, high - low + 1, at)
    begin = tl.load(offsets + bag, mask=inside, other=0).to(tl.int64)
    in_a_bag = inside & (bag < BAGS) & (at >= begin)
    bag = tl.minimum(bag, BAGS - 1)
    end = tl.load(offsets + bag + 1, mask=in_a_bag, other=0).to(tl.int64)
    segment = segments + last_at_most(segments, SEGMENTS, bag)
    index = tl.load(indices + at, mask=inside, other=-1).to(tl.int64)
    trains = in_a_bag & (at < end) & (index >= 0) & (index < tl.load(segment + 2 * SEGMENTS))
    key = tl.where(trains, tl.load(segment + SEGMENTS) + index, SKIP)
    tl.store(keys + at, key.to(keys.dtype.element_ty), mask=inside)
    step = bag - tl.load(segment) if POOLED else at
    source = tl.load(segment + 3 * SEGMENTS) + step * tl.load(segment + 4 * SEGMENTS)
    tl.store(sources + at, tl.where(trains, source, -1).to(sources.dtype.element_ty), mask=inside)
    if MEAN or WEIGHTED:
        factor = tl.full((BLOCK,), 1.0, tl.float32)
        if WEIGHTED:
            factor = tl.load(per_sample_weights + at, mask=inside, other=0.0).to(tl.float32)
        if MEAN:
            factor = factor / (end - begin).to(tl.float32)
        tl.store(factors + at, tl.where(trains, factor, 0.0), mask=inside)

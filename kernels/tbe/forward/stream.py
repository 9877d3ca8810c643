"""Pooled lookups by pairs of one-warp tasks: one warp gathers rows into a ring, another adds them up.

The gathering warp follows the stream of indices and knows nothing of bags, so the ring never drains between them,
however short they are.
"""

import triton.language as tl

import tlx

from .access import FIRST_BAG, lookup, output_of, table_of
from .schedule import bag_at_cost, bags_behind, cost_before, segment_of


@tlx.jit
def pool_stream(
    out,
    indices,
    offsets,
    factors,
    weights,
    segments,
    runs,
    SEGMENTS,
    RUNS,
    MEAN: tl.constexpr,
    WEIGHTED: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    DEPTH: tl.constexpr,
    STAGES: tl.constexpr,
    CHUNK: tl.constexpr,
    BAG_COST: tl.constexpr,
    PAIRS: tl.constexpr,
    REGISTERS: tl.constexpr,
    LAYOUT: tl.constexpr,
):
    """Each pair pools every (PAIRS * num_programs)-th chunk of bags.

    Args:
        runs: [2, RUNS] int64: the first bag of each run of consecutive segments of this launch, and the bag behind it.
        The others up to BLOCK are as in `pool_tile`.
        DEPTH: rows of one stage.
        STAGES: of each pair's ring.
        CHUNK: cost of a chunk: its lookups, and BAG_COST for each bag.
        PAIRS: of warps.
        REGISTERS: of each of their threads.
        LAYOUT: of a stage in a warp's registers; without one, sums would go across lanes.
    """
    dtype: tl.constexpr = tlx.dtype_of(weights)
    rings = ()
    for _ in tl.static_range(PAIRS):
        if WEIGHTED:
            ring = tlx.ring(
                rows=((DEPTH, BLOCK), dtype),
                factors=((DEPTH,), tl.float32),
                stages=STAGES,
                filler="cp.async",
                filler_warps=1,
            )
        else:
            ring = tlx.ring(rows=((DEPTH, BLOCK), dtype), stages=STAGES, filler="cp.async", filler_warps=1)
        rings = rings + (ring,)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass  # Triton wants four warps here: they wait for the others
        with tlx.async_task(num_warps=1, registers=REGISTERS, replicate=PAIRS):
            pair: tl.constexpr = tlx.async_task_replica_id()
            worker = tl.program_id(0) * PAIRS + pair
            fill = 0
            for run in range(RUNS):
                first, last = tl.load(runs + run), tl.load(runs + RUNS + run)
                chunks = tl.cdiv(cost_before(offsets, first, last, BAG_COST), CHUNK)
                for chunk in range(worker, chunks, tl.num_programs(0) * PAIRS):
                    fill = _gather_chunk(
                        *(
                            rings[pair],
                            fill,
                            indices,
                            offsets,
                            factors,
                            weights,
                            segments,
                            SEGMENTS,
                            first,
                            last,
                            chunk,
                        ),
                        *(WEIGHTED, CHECKED, D, ALIGN, BLOCK, DEPTH, CHUNK, BAG_COST),
                    )
        with tlx.async_task(num_warps=1, registers=REGISTERS, replicate=PAIRS):
            pair: tl.constexpr = tlx.async_task_replica_id()
            worker = tl.program_id(0) * PAIRS + pair
            use = 0
            for run in range(RUNS):
                first, last = tl.load(runs + run), tl.load(runs + RUNS + run)
                chunks = tl.cdiv(cost_before(offsets, first, last, BAG_COST), CHUNK)
                for chunk in range(worker, chunks, tl.num_programs(0) * PAIRS):
                    use = _pool_chunk(
                        *(rings[pair], use, out, offsets, segments, SEGMENTS, first, last, chunk),
                        *(MEAN, WEIGHTED, D, ALIGN, BLOCK, DEPTH, CHUNK, BAG_COST, LAYOUT),
                    )


@tlx.jit
def _gather_chunk(
    ring,
    fill,
    indices,
    offsets,
    factors,
    weights,
    segments,
    SEGMENTS,
    first,
    last,
    chunk,
    WEIGHTED: tl.constexpr,
    CHECKED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    DEPTH: tl.constexpr,
    CHUNK: tl.constexpr,
    BAG_COST: tl.constexpr,
):
    """Fills the ring with the rows of a chunk, segment by segment; returns how many fills there were by then."""
    columns = tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    bag = bag_at_cost(offsets, first, last, chunk.to(tl.int64) * CHUNK, BAG_COST)
    end = bag_at_cost(offsets, first, last, (chunk.to(tl.int64) + 1) * CHUNK, BAG_COST)
    while bag < end:
        s = segment_of(segments, bag, SEGMENTS)
        behind = tl.minimum(end, bags_behind(segments, s, SEGMENTS))
        base, rows, dim = table_of(segments, s, SEGMENTS, D, ALIGN)
        stop = tl.load(offsets + behind).to(tl.int64)
        at = tl.load(offsets + bag).to(tl.int64)
        index, there = lookup(indices, at + depth, at + depth < stop, rows, CHECKED)
        for _ in range(tl.cdiv(stop - at, DEPTH).to(tl.int32)):
            with ring.fill(fill) as slot:
                row = weights + base + (index * dim)[:, None] + columns[None, :]
                tlx.async_load(row, slot.rows, mask=there[:, None] & (columns < dim)[None, :])
                if WEIGHTED:
                    tlx.async_load(factors + at + depth, slot.factors, mask=there)
            fill += 1
            # The next indices are on their way while these rows are copied.
            at += DEPTH
            index, there = lookup(indices, at + depth, at + depth < stop, rows, CHECKED)
        bag = behind
    return fill


@tlx.jit
def _pool_chunk(
    ring,
    use,
    out,
    offsets,
    segments,
    SEGMENTS,
    first,
    last,
    chunk,
    MEAN: tl.constexpr,
    WEIGHTED: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    BLOCK: tl.constexpr,
    DEPTH: tl.constexpr,
    CHUNK: tl.constexpr,
    BAG_COST: tl.constexpr,
    LAYOUT: tl.constexpr,
):
    """Adds up the rows that `_gather_chunk` brings for the same chunk; returns how many fills have been used."""
    columns = tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    none = tl.sum(tlx.zeros((DEPTH, BLOCK), tl.float32, LAYOUT), axis=0)
    bag = bag_at_cost(offsets, first, last, chunk.to(tl.int64) * CHUNK, BAG_COST)
    end = bag_at_cost(offsets, first, last, (chunk.to(tl.int64) + 1) * CHUNK, BAG_COST)
    while bag < end:
        s = segment_of(segments, bag, SEGMENTS)
        behind = tl.minimum(end, bags_behind(segments, s, SEGMENTS))
        out_base, out_stride = output_of(segments, s, SEGMENTS, ALIGN)
        _, _, dim = table_of(segments, s, SEGMENTS, D, ALIGN)
        place = out + out_base + (bag - tl.load(segments + FIRST_BAG * SEGMENTS + s)) * out_stride
        begin = tl.load(offsets + bag).to(tl.int64)
        stop = tl.load(offsets + behind).to(tl.int64)
        bag_end = tl.load(offsets + bag + 1).to(tl.int64)
        total = none
        at = begin
        for _ in range(tl.cdiv(stop - begin, DEPTH).to(tl.int32)):
            slot = ring.wait(use)
            tile = tlx.local_load(slot.rows, layout=LAYOUT).to(tl.float32)
            if WEIGHTED:
                tile = tile * tlx.local_load(slot.factors)[:, None]
            ring.release(use)
            use += 1
            # Bags that end in this stage leave; what is behind them in it is the start of the next one.
            left = 0
            while (bag_end <= at + DEPTH) & (bag < behind):
                right = (bag_end - at).to(tl.int32)
                total += tl.sum(tl.where(((depth >= left) & (depth < right))[:, None], tile, 0.0), axis=0)
                if MEAN:
                    total = total / tl.maximum(bag_end - begin, 1).to(tl.float32)
                tl.store(place + columns, total.to(out.dtype.element_ty), mask=columns < dim)
                total = none
                left = right
                place += out_stride
                begin = bag_end
                bag += 1
                bag_end = tl.load(offsets + tl.minimum(bag + 1, behind)).to(tl.int64)
            total += tl.sum(tl.where((depth >= left)[:, None], tile, 0.0), axis=0)
            at += DEPTH
        # Without any lookup there was no stage: these bags are empty.
        while bag < behind:
            tl.store(place + columns, none.to(out.dtype.element_ty), mask=columns < dim)
            place += out_stride
            bag += 1
    return use

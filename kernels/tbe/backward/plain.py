"""The backward pass in plain Triton: sums over runs of equal keys and the update of their rows, in one kernel."""

import triton
import triton.language as tl

from .chunk import chunk_bounds, finish_tile, note_cut_runs, run_borders
from .rows import place_of
from .update import rates


@triton.jit(do_not_specialize=["N", "LOW", "HIGH", "SKIP", "seed"])
def update_plain(
    grad,
    keys,
    sources,
    factors,
    weights,
    first,
    second,
    tables,
    lr,
    corrections,
    step,
    work,
    work_keys,
    work_sources,
    N,
    LOW,
    HIGH,
    SKIP,
    seed,
    clip,
    eps,
    decay,
    beta1,
    beta2,
    max_norm,
    eta,
    KIND: tl.constexpr,
    WEIGHTED: tl.constexpr,
    CLIPPED: tl.constexpr,
    STOCHASTIC: tl.constexpr,
    SORTED: tl.constexpr,
    TABLES: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    CHUNK: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program takes every num_programs-th chunk of CHUNK positions in the order of keys.

    A run of equal keys that begins and ends in the chunk is finished: its row is updated. The sums over the parts of a
    run that the chunk's borders cut go to `work`, where the next launch finds them with their keys.

    Args:
        grad: gradients; the row of position k begins at element sources[k] * ALIGN, and is none where that is negative.
        keys: [N], equal ones one behind the other; from LOW to HIGH - 1 are the rows that this launch updates.
        factors: [N] float32, multiplied to the gradients if WEIGHTED.
        weights: flat; `first` and `second`: the optimizer's state, as `updated_rows` takes them.
        tables: as `place_of` takes them, with TABLES, D and ALIGN.
        lr, corrections: as `rates` takes them; `step`: an int64 number, read if STOCHASTIC.
        work: [2 * chunks, BLOCK] float32, sums over the first and the last run of each chunk where they are cut.
        work_keys: [2 * chunks], their keys, SKIP where there is none.
        work_sources: [2 * chunks] int64, as `sources`.
        SORTED: whether the keys never fall.
        ROWS: of a tile, whose rows are loaded at a time.
        BLOCK: columns of a tile, a power of two.
    """
    rate, correction1, correction2 = rates(lr, corrections, KIND)
    now = tl.load(step) if STOCHASTIC else 0
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)[None, :]
    for chunk in tl.range(tl.program_id(0), tl.cdiv(N, CHUNK), tl.num_programs(0)):
        low, high, left, right = chunk_bounds(keys, chunk, N, CHUNK)
        some = note_cut_runs(keys, work_keys, work_sources, chunk, N, LOW, HIGH, SKIP, CHUNK, BLOCK // ALIGN)
        if some or not SORTED:
            carry = tl.zeros((BLOCK,), tl.float32)
            at = low + rows
            key = tl.load(keys + at, mask=at < high, other=-1)
            source = tl.load(sources + at, mask=at < high, other=-1)
            for start in tl.range(low, high, ROWS):
                at = start + rows
                trained = (key >= LOW) & (key < HIGH)
                element, number, dim = place_of(key, trained, tables, TABLES, D, ALIGN)
                mask = trained[:, None] & (columns < (dim if D else dim[:, None]))
                there = mask & (source >= 0)[:, None]
                x = tl.load(grad + source.to(tl.int64)[:, None] * ALIGN + columns, mask=there, other=0.0).to(tl.float32)
                starts, ends, done = run_borders(keys, key, at, low, high, left, right, LOW, HIGH)
                # The weights are on their way while the gradients are summed.
                w = tl.load(weights + element[:, None] + columns, mask=mask & done[:, None], other=0.0).to(tl.float32)
                if CLIPPED:
                    x = tl.minimum(tl.maximum(x, -clip), clip)
                if WEIGHTED:
                    x = x * tl.load(factors + at, mask=at < high, other=0.0)[:, None]
                next_key = tl.load(keys + at + ROWS, mask=at + ROWS < high, other=-1)
                source = tl.load(sources + at + ROWS, mask=at + ROWS < high, other=-1)
                carry = finish_tile(
                    x,
                    w,
                    carry,
                    key,
                    left,
                    starts,
                    ends,
                    done,
                    element,
                    number,
                    dim,
                    mask,
                    weights,
                    first,
                    second,
                    work,
                    chunk,
                    rate,
                    correction1,
                    correction2,
                    now,
                    seed,
                    eps,
                    decay,
                    beta1,
                    beta2,
                    max_norm,
                    eta,
                    KIND,
                    STOCHASTIC,
                )
                key = next_key

"""Chunks of the sorted lookups: their runs of equal keys, what their borders cut, and the update of a tile of rows."""

import triton
import triton.language as tl

from .rows import store_rows, sums_in_runs
from .update import updated_rows


@triton.jit
def chunk_bounds(keys, chunk, N, CHUNK: tl.constexpr):
    """First position and end of a chunk, and the keys before and behind it: -1, which is no key, at the ends."""
    low = chunk.to(tl.int64) * CHUNK
    high = tl.minimum(low + CHUNK, N)
    left = tl.load(keys + low - 1, mask=low > 0, other=-1)
    right = tl.load(keys + high, mask=high < N, other=-1)
    return low, high, left, right


@triton.jit
def note_cut_runs(keys, work_keys, work_sources, chunk, N, LOW, HIGH, SKIP, CHUNK: tl.constexpr, UNITS: tl.constexpr):
    """Writes which sums of a chunk's cut runs will be found in which of its two places of the workspace.

    Place 0 is of a run that began before the chunk, place 1 of one that begins in it and goes on behind it. An empty
    place lies between two parts of one run only if the run fills the chunk; then it has the run's key, so that the
    parts remain neighbours. Other empty places have the key SKIP.

    Args:
        UNITS: between two places, in the unit of the sources.

    Returns:
        whether the chunk holds a key from LOW to HIGH - 1, if its keys never fall.
    """
    low, high, left, right = chunk_bounds(keys, chunk, N, CHUNK)
    first, last = tl.load(keys + low), tl.load(keys + high - 1)
    whole = first == last
    head = (first >= LOW) & (first < HIGH) & (first == left)
    tail = (last >= LOW) & (last < HIGH) & (last == right) & (last != left)
    skip = tl.cast(SKIP, first.dtype)
    place = 2 * chunk
    tl.store(work_keys + place, tl.where(head | (whole & tail), first, skip))
    tl.store(work_keys + place + 1, tl.where(tail | (whole & head), last, skip))
    tl.store(work_sources + place, tl.where(head, place.to(tl.int64) * UNITS, -1))
    tl.store(work_sources + place + 1, tl.where(tail, (place + 1).to(tl.int64) * UNITS, -1))
    return (last >= LOW) & (first < HIGH)


@triton.jit
def run_borders(keys, key, at, low, high, left, right, LOW, HIGH):
    """Of the rows of a tile: which start a run in their chunk, which end one, and which of these are finished there.

    Args:
        key: [ROWS], the keys of the positions `at`, -1 outside of the chunk.
    """
    starts = key != tl.load(keys + at - 1, mask=(at > low) & (at < high), other=-1)
    ends = (key >= LOW) & (key < HIGH) & (key != tl.load(keys + at + 1, mask=at + 1 < high, other=-1))
    return starts, ends, ends & (key != left) & (key != right)


@triton.jit
def finish_tile(
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
    KIND: tl.constexpr,
    STOCHASTIC: tl.constexpr,
):
    """Sums a tile of gradients over its runs, updates the rows whose runs are finished, and keeps the sums of cut ones.

    Args:
        x: [ROWS, BLOCK] float32 gradients, zero where there is none.
        w: [ROWS, BLOCK] float32 weights of the rows that are `done`.
        carry: [BLOCK], the sum of the run that the tile before left open.
        mask: [ROWS, BLOCK], the elements of the tile's rows that there are.

    Returns:
        the sum of the run that this tile leaves open.
    """
    ROWS: tl.constexpr = x.shape[0]
    BLOCK: tl.constexpr = x.shape[1]
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)[None, :]
    goes_on = (rows == 0) & ~starts
    sums = sums_in_runs(tl.where(goes_on[:, None], x + carry[None, :], x), starts)
    cut = ends & ~done
    if tl.max(cut.to(tl.int32), axis=0) > 0:
        place = 2 * chunk.to(tl.int64) + tl.where(key == left, 0, 1)
        tl.store(work + place[:, None] * BLOCK + columns, sums, mask=cut[:, None])
    at = element[:, None] + columns
    mask = mask & done[:, None]
    g = tl.where(mask, sums, 0.0)
    new = updated_rows(
        w,
        g,
        dim,
        first,
        second,
        number,
        at,
        done,
        mask,
        rate,
        correction1,
        correction2,
        eps,
        decay,
        beta1,
        beta2,
        max_norm,
        eta,
        KIND,
    )
    store_rows(weights + at, new, mask, seed, number, now, STOCHASTIC)
    return tl.sum(tl.where((rows == ROWS - 1)[:, None], sums, 0.0), axis=0)

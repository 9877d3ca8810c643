"""Functions that kernels call, and values that tasks capture."""

import numpy as np
import triton
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output
from .mma import load_tile, store_tile

BLOCK = 32


@triton.jit
def slot_and_parity(count, SLOTS: tl.constexpr):
    return count % SLOTS, (count // SLOTS) & 1


@tlx.jit
def fetch(source, ring: tlx.buffered_tensor, full: tlx.mbarrier, empty, t, SLOTS: tl.constexpr):
    slot, parity = slot_and_parity(t, SLOTS)
    tlx.barrier_wait(empty[slot], parity ^ 1)
    tlx.barrier_expect_bytes(full[slot], ring.dtype.primitive_bitwidth // 8 * ring.shape[0] * ring.shape[1])
    tlx.async_descriptor_load(source, ring[slot], [t * ring.shape[0], 0], full[slot])


@triton.jit
def take(ring, full, empty, t, SLOTS: tl.constexpr):
    """Called from two tasks of different sizes; loads a slot and frees it."""
    slot, parity = slot_and_parity(t, SLOTS)
    wait_for(full[slot], parity)
    tile = tlx.local_load(ring[slot])
    tlx.barrier_arrive(empty[slot])
    return tile, slot


@triton.jit
def wait_for(bar, parity):
    tlx.barrier_wait(bar, parity)


@tlx.jit
def through_helpers(x, y, z, n, BLOCK: tl.constexpr, SLOTS: tl.constexpr):
    ring = tlx.local_alloc((BLOCK, BLOCK), tl.float16, SLOTS)
    full = tlx.alloc_barriers(SLOTS)
    empty = tlx.alloc_barriers(SLOTS, arrive_count=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, n):
                tile, slot = take(ring, full, empty, t, SLOTS)
                i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
                tl.store(y + (t * BLOCK + i) * BLOCK + j, tile + slot)
        with tlx.async_task(num_warps=2):
            for t in tl.range(0, n):
                tile, _ = take(ring, full, empty, t, SLOTS)
                i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
                tl.store(z + (t * BLOCK + i) * BLOCK + j, tile * 2)
        with tlx.async_task(num_warps=1):
            for t in tl.range(0, n):
                fetch(x, ring, full, empty, t, SLOTS)


@triton.jit
def store_one_slot(buffer, value):
    tlx.local_store(buffer, value)


@tlx.jit
def store_in_a_helper(x, y, BLOCK: tl.constexpr):
    """What a helper stored, the caller's TMA store sends."""
    buffer = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 1)
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    store_one_slot(buffer[0], tl.load(x + i * BLOCK + j))
    tlx.async_descriptor_store(y, buffer[0], [0, 0])
    tlx.async_descriptor_store_wait(0)


@triton.jit
def nothing_or_value(bias, use: tl.constexpr):
    if bias is None:
        result = 100
    else:
        result = tl.load(bias) if use else 0
    return result


@tlx.jit
def captures(x, y, sums, scale, bias, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    """Tasks use scalars, pointers, descriptors, rings, None, tuples and constants of the kernel."""
    TWICE: tl.constexpr = 2 * BLOCK
    buffer = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    pair = (scale + 3, sums)
    sum_of_scalars = scale + pair[0] - 1
    named = (y, sum_of_scalars, SHIFT)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
            tile = tlx.local_load(buffer[0]) * named[1] + nothing_or_value(bias, True) + named[2]
            tl.store(named[0] + i * BLOCK + j, tile)
        with tlx.async_task(num_warps=1):
            tlx.barrier_expect_bytes(full[0], BLOCK * TWICE)
            tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0])
        with tlx.async_task(num_warps=1):
            tl.store(pair[1], sum_of_scalars)


@tlx.jit
def nested_captures(x, y, n, BLOCK: tl.constexpr):
    """Tuples in tuples, with a ring, barriers, a scalar and a pointer in them."""
    ring = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 2)
    bars = tlx.alloc_barriers(2)
    pack = (ring, (bars, n), x)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(pack[1][0][1], 0)
            store_tile(y, tlx.local_load(pack[0][1]) + pack[1][1], BLOCK, BLOCK)
        with tlx.async_task(num_warps=4):
            tlx.local_store(pack[0][1], load_tile(pack[2], BLOCK, BLOCK))
            tlx.barrier_arrive(pack[1][0][1])


@triton.jit
def store_view(y, view, BLOCK: tl.constexpr):
    store_tile(y, tlx.local_load(view), BLOCK // 2, BLOCK)


@tlx.jit
def views_in_helpers(x, y, BLOCK: tl.constexpr):
    """A slice, and a slice of a transposed view, from tasks of different sizes."""
    ring = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 1)
    tlx.local_store(ring[0], load_tile(x, BLOCK, BLOCK))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            store_view(y, tlx.local_slice(ring[0], [BLOCK // 2, 0], [BLOCK // 2, BLOCK]), BLOCK)
        with tlx.async_task(num_warps=1):
            upper = tlx.local_slice(tlx.local_trans(ring[0]), [0, 0], [BLOCK // 2, BLOCK])
            store_view(y + BLOCK * BLOCK // 2, upper, BLOCK)


@tlx.jit
def slots_as_values(x, y, n, BLOCK: tl.constexpr):
    """A slot chosen by a branch, and one carried by a loop."""
    ring = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 2)
    for i in tl.range(0, 2):
        tlx.local_store(ring[i], load_tile(x, BLOCK, BLOCK) * (i + 1))
    if n > 3:
        chosen = ring[0]
    else:
        chosen = ring[1]
    store_tile(y, tlx.local_load(chosen), BLOCK, BLOCK)
    carried = ring[0]
    for i in tl.range(0, n):
        carried = ring[i % 2]
    store_tile(y + BLOCK * BLOCK, tlx.local_load(carried), BLOCK, BLOCK)


@tlx.jit
def closure_over_globals(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, OFFSET)
        with tlx.async_task(num_warps=1):
            tl.store(y + 1, OFFSET * 2)


OFFSET: tl.constexpr = tl.constexpr(21)
X = integers(5 * BLOCK, BLOCK, dtype=np.float16)
TILE = X[:BLOCK]
SLOT_OF_ROW = (np.arange(5 * BLOCK) // BLOCK % 2)[:, None]


def tile_out(rows: int = BLOCK) -> np.ndarray:
    return output(rows, BLOCK, dtype=np.float16)


CASES = [
    Case(
        "helpers that take rings, barriers and descriptors",
        through_helpers,
        {
            "x": TMA(X, (BLOCK, BLOCK)),
            "y": tile_out(5 * BLOCK),
            "z": tile_out(5 * BLOCK),
            "n": 5,
            "BLOCK": BLOCK,
            "SLOTS": 2,
        },
        {"y": X + SLOT_OF_ROW, "z": X * 2},
    ),
    Case(
        "a store in a helper, sent by the caller",
        store_in_a_helper,
        {"x": TILE, "y": TMA(tile_out(), (BLOCK, BLOCK)), "BLOCK": BLOCK},
        {"y": TILE},
    ),
    *[
        Case(
            f"captures, {name}",
            captures,
            {
                "x": TMA(TILE, (BLOCK, BLOCK)),
                "y": tile_out(),
                "sums": output(1, dtype=np.int32),
                "scale": 2,
                "bias": bias,
                "SHIFT": 5,
                "BLOCK": BLOCK,
            },
            {"y": TILE * 6 + added, "sums": np.array([6])},
        )
        for name, bias, added in [("None", None, 105), ("a pointer", np.array([7], np.int32), 12)]
    ],
    Case(
        "captures in nested tuples",
        nested_captures,
        {"x": TILE, "y": tile_out(), "n": 2, "BLOCK": BLOCK},
        {"y": TILE + 2},
    ),
    Case(
        "views in helpers",
        views_in_helpers,
        {"x": TILE, "y": tile_out(), "BLOCK": BLOCK},
        {"y": np.concatenate([TILE[BLOCK // 2 :], TILE.T[: BLOCK // 2]])},
    ),
    *[
        Case(
            f"slots as values, {n} trips",
            slots_as_values,
            {"x": TILE, "y": tile_out(2 * BLOCK), "n": n, "BLOCK": BLOCK},
            {"y": np.concatenate([TILE * chosen, TILE * carried])},
        )
        for n, chosen, carried in [(0, 2, 1), (2, 2, 2), (5, 1, 1)]
    ],
    Case("globals", closure_over_globals, {"y": output(2, dtype=np.int32)}, {"y": np.array([21, 42])}),
]

"""Functions that kernels call, and values that tasks capture."""

import numpy as np
import triton
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output

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
    Case("globals", closure_over_globals, {"y": output(2, dtype=np.int32)}, {"y": np.array([21, 42])}),
]

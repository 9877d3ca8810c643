"""Loops and branches whose values meet in one layout, early return."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output
from .mma import load_tile, store_tile


@tlx.jit
def branch_joins_layouts(x, w, y, multiply, D: tl.constexpr):
    """One branch gives a value as the tensor cores lay it out, the other as it was loaded."""
    b = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(b[0], load_tile(w, D, D))
    rows = load_tile(x, D, D)
    if multiply > 0:
        tile = tlx.async_dot_wait(0, tlx.async_dot(rows, b[0]))
    else:
        tile = rows.to(tl.float32)
    store_tile(y, tile + 1, D, D)


@tlx.jit
def one_armed_branch(x, w, y, multiply, D: tl.constexpr):
    b = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(b[0], load_tile(w, D, D))
    tile = load_tile(x, D, D).to(tl.float32)
    if multiply > 0:
        tile = tlx.async_dot_wait(0, tlx.async_dot(load_tile(x, D, D), b[0]))
    store_tile(y, tile, D, D)


@tlx.jit
def swapped_in_a_loop(x, w, y, n, D: tl.constexpr):
    """Two carried values with different layouts swap places: no layout suits both."""
    b = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(b[0], load_tile(w, D, D))
    loaded = load_tile(x, D, D).to(tl.float32)
    product = tlx.async_dot_wait(0, tlx.async_dot(load_tile(x, D, D), b[0]))
    for _ in tl.range(0, n):
        loaded, product = product, loaded
    store_tile(y, loaded, D, D)
    store_tile(y + D * D, product, D, D)


@tlx.jit
def carried_through_two_loops(x, w, y, n, D: tl.constexpr):
    """An accumulator carried by nested loops, and a row maximum beside it."""
    b = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(b[0], load_tile(w, D, D))
    acc = tl.zeros((D, D), tl.float32)
    top = tl.full((D,), -1000, tl.float32)
    for i in tl.range(0, n):
        for j in tl.range(0, i + 1):
            acc = tlx.async_dot_wait(0, tlx.async_dot(load_tile(x, D, D), b[0], acc))
            acc += j
        top = tl.maximum(top, tl.max(acc, axis=1))
    store_tile(y, acc, D, D)
    tl.store(y + D * D + tl.arange(0, D), top)


@tlx.jit
def counting(y, n, step):
    """Ranges: downwards, by a run-time step, without trips, unrolled; the last index lives on."""
    place = 0
    for i in tl.range(n, 0, -2):
        tl.store(y + place, i)
        place += 1
    for i in range(1, n, step):
        tl.store(y + place, i)
        place += 1
    for i in tl.range(n, n):
        tl.store(y + place, i)
        place += 1
    for i in tl.static_range(3):
        tl.static_assert(i < 3)
        tl.store(y + place, 100 + i)
        place += 1
    for i in tl.static_range(4, 0, -2):
        tl.store(y + place, 200 + i)
        place += 1
    tl.store(y + place, 300 + i)


@tlx.jit
def unrolled_by_hint(y, n):
    for i in tl.range(0, n, loop_unroll_factor=2):
        tl.store(y + i, i)


@tlx.jit
def while_with_branches(y, n):
    """Collatz: a `while` that carries two scalars and branches."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y, steps)


@tlx.jit
def early_return(x, y, n, N: tl.constexpr):
    """Programs past the end leave before the tasks, with the buffers already allocated."""
    buffer = tlx.local_alloc((N,), tl.float32, 1)
    ready = tlx.alloc_barriers(1)
    start = tl.program_id(0) * N
    if start >= n:
        return
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_store(buffer[0], tl.load(x + start + tl.arange(0, N)))
            tlx.barrier_arrive(ready[0])
        with tlx.async_task(num_warps=1):
            tlx.barrier_wait(ready[0], 0)
            tl.store(y + start + tl.arange(0, N), tlx.local_load(buffer[0]) + 1)


@tlx.jit
def conditional_expressions(y, n):
    small = 1 if n < 10 else 2
    tl.store(y, small)
    tl.store(y + 1, n if n > 3 and n < 100 else -n)
    tl.store(y + 2, 5 if not n > 9 else 6)


X, W = integers(64, 64, dtype=np.float16), integers(64, 64, low=-2, dtype=np.float16)
LOADED = X.astype(np.float32)
PRODUCT = LOADED @ W.astype(np.float32)


def matrices(rows: int = 64) -> dict:
    return {"x": X, "w": W, "y": output(rows, 64), "D": 64}


def nested(n: int) -> np.ndarray:
    acc, top = np.zeros((64, 64), np.float32), np.full(64, -1000, np.float32)
    for i in range(n):
        for j in range(i + 1):
            acc = acc + PRODUCT + j
        top = np.maximum(top, acc.max(1))
    return np.concatenate([acc, top[None]])


def ints(*values: int) -> dict[str, np.ndarray]:
    return {"y": np.array(values, np.int32)}


def y_of(count: int) -> dict[str, np.ndarray]:
    return {"y": output(count, dtype=np.int32)}


VECTOR = integers(96)
CASES = [
    *[
        Case(
            f"a branch joins layouts, {name}", branch_joins_layouts, {**matrices(), "multiply": taken}, {"y": tile + 1}
        )
        for name, taken, tile in [("MMA", 1, PRODUCT), ("loaded", 0, LOADED)]
    ],
    *[
        Case(f"a branch without else, {name}", one_armed_branch, {**matrices(), "multiply": taken}, {"y": tile})
        for name, taken, tile in [("MMA", 1, PRODUCT), ("loaded", 0, LOADED)]
    ],
    *[
        Case(f"{n} swaps in a loop", swapped_in_a_loop, {**matrices(128), "n": n}, {"y": np.concatenate(tiles)})
        for n, tiles in [(0, [LOADED, PRODUCT]), (1, [PRODUCT, LOADED]), (2, [LOADED, PRODUCT])]
    ],
    Case("nested loops", carried_through_two_loops, {**matrices(65), "n": 2}, {"y": nested(2)}),
    Case(
        "counting",
        counting,
        {**y_of(12), "n": 7, "step": 3},
        ints(7, 5, 3, 1, 1, 4, 100, 101, 102, 204, 202, 302),
    ),
    Case("an unroll hint", unrolled_by_hint, {**y_of(8), "n": 7}, ints(0, 1, 2, 3, 4, 5, 6, 77)),
    Case("`while` with branches", while_with_branches, {**y_of(1), "n": 6}, ints(8)),
    Case(
        "early return before tasks",
        early_return,
        {"x": VECTOR, "y": output(96), "n": 64, "N": 32},
        {"y": np.concatenate([VECTOR[:64] + 1, output(32)])},
        grid=3,
    ),
    Case("conditional expressions", conditional_expressions, {**y_of(3), "n": 7}, ints(1, 7, 5)),
]

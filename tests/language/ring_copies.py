"""Rings that the threads of a task fill by cp.async."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output
from .ring_uses import COLUMNS, ROWS, at


@tlx.jit(do_not_specialize=["trips"])
def sums(
    x,
    y,
    tiles,
    trips,
    limit,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STAGES: tl.constexpr,
    CONSUMERS: tl.constexpr,
    WARPS: tl.constexpr,
):
    """Each program adds up the blocks of every num_programs-th tile; every consumer does. Elements from `limit` on are
    zeros."""
    ring = tlx.ring(
        block=((ROWS, COLUMNS), tl.float16), stages=STAGES, consumers=CONSUMERS, filler="cp.async", filler_warps=WARPS
    )
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS):
            use = 0
            for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
                total = tl.zeros((ROWS, COLUMNS), tl.float32)
                for _ in tl.range(0, trips):
                    with ring.use(use) as slot:
                        total += tlx.local_load(slot.block)
                    use += 1
                tl.store(at(y, tlx.async_task_replica_id() * tiles + tile, ROWS, COLUMNS), total)
        with tlx.async_task(num_warps=WARPS):
            fill = 0
            columns = tl.arange(0, COLUMNS)[None, :]
            for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
                for t in tl.range(0, trips):
                    with ring.fill(fill) as slot:
                        source = at(x, tile * trips + t, ROWS, COLUMNS)
                        tlx.async_load(source, slot.block, mask=columns < limit)
                    fill += 1


@tlx.jit
def take(ring, t):
    slot = ring.wait(t)
    value = tlx.local_load(slot.half[0]) + tlx.local_load(slot.half[1])
    ring.release(t)
    return value


@tlx.jit
def copy_half(ring, x, t, half: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    slot = ring.acquire(t)
    tlx.async_load(at(x, 2 * t + half, ROWS, COLUMNS), slot.half[half])
    ring.commit(t)


@tlx.jit
def two_producers(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Two tasks copy half of a slot each, in helpers and `while` loops."""
    ring = tlx.ring(
        half=((ROWS, COLUMNS), tl.float16, 2), stages=STAGES, producers=2, filler="cp.async", filler_warps=2
    )
    with tlx.async_tasks():
        with tlx.async_task("default"):
            use = 0
            while use < n:
                tl.store(at(y, use, ROWS, COLUMNS), take(ring, use))
                use += 1
        with tlx.async_task(num_warps=2, replicate=2):
            producer: tl.constexpr = tlx.async_task_replica_id()
            fill = 0
            while fill < n:
                copy_half(ring, x, fill, producer, ROWS, COLUMNS)
                fill += 1


@tlx.jit(do_not_specialize=["steps"])
def product(a, b, c, steps, N: tl.constexpr, STAGES: tl.constexpr, WARPS: tl.constexpr):
    """The tensor cores read what threads copied: C = A @ B over K in steps of N, one MMA in flight."""
    ring = tlx.ring(
        a=((N, N), tl.float16), b=((N, N), tl.float16), stages=STAGES, filler="cp.async", filler_warps=WARPS
    )
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((N, N), tl.float32)
            for k in tl.range(0, steps):
                slot = ring.wait(k)
                acc = tlx.async_dot(slot.a, slot.b, acc)
                acc = tlx.async_dot_wait(1, acc)
                if k > 0:
                    ring.release(k - 1)
            acc = tlx.async_dot_wait(0, acc)
            if steps > 0:
                ring.release(steps - 1)
            i = tl.arange(0, N)
            tl.store(c + i[:, None] * N + i[None, :], acc)
        with tlx.async_task(num_warps=WARPS):
            i = tl.arange(0, N)
            for k in tl.range(0, steps):
                with ring.fill(k) as slot:
                    tlx.async_load(a + k * N * N + i[:, None] * N + i[None, :], slot.a)
                    tlx.async_load(b + k * N * N + i[:, None] * N + i[None, :], slot.b)


@tlx.jit
def on_to_tma(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """TMA stores what threads copied, without a task in between."""
    ring = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES, filler="cp.async", filler_warps=1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in range(n):
                with ring.use(t) as slot:
                    tlx.async_descriptor_store(y, slot.block, [t * ROWS, 0])
                    tlx.async_descriptor_store_wait(0)
        with tlx.async_task(num_warps=1):
            for t in range(n):
                with ring.fill(t) as slot:
                    tlx.async_load(at(x, t, ROWS, COLUMNS), slot.block)


@tlx.jit
def one_task(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Without tasks: the copies run STAGES - 1 blocks ahead."""
    ring = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES, filler="cp.async", filler_warps=4)
    for t in range(min(n, STAGES - 1)):
        with ring.fill(t) as slot:
            tlx.async_load(at(x, t, ROWS, COLUMNS), slot.block)
    for t in range(n):
        ahead = t + STAGES - 1
        if ahead < n:
            with ring.fill(ahead) as slot:
                tlx.async_load(at(x, ahead, ROWS, COLUMNS), slot.block)
        with ring.use(t) as slot:
            tl.store(at(y, t, ROWS, COLUMNS), tlx.local_load(slot.block))


SIZES = {"ROWS": ROWS, "COLUMNS": COLUMNS}
FOUR = {"num_warps": 4}


def sums_case(stages: int, consumers: int, warps: int, trips: int, limit: int = COLUMNS) -> Case:
    tiles = 3
    x = integers(max(tiles * trips, 1) * ROWS, COLUMNS, dtype=np.float16)
    kept = np.where(np.arange(COLUMNS) < limit, x, 0)[: tiles * trips * ROWS]
    total = kept.astype(np.float32).reshape(tiles, trips, ROWS, COLUMNS).sum(axis=1).reshape(-1, COLUMNS)
    arguments = {"x": x, "y": output(consumers * tiles * ROWS, COLUMNS), "tiles": tiles, "trips": trips, "limit": limit}
    name = f"ring of {stages} for {consumers}, {trips} trips, copied by {warps} warps up to {limit}"
    rings = {**SIZES, "STAGES": stages, "CONSUMERS": consumers, "WARPS": warps}
    return Case(name, sums, {**arguments, **rings}, {"y": np.tile(total, (consumers, 1))}, grid=2, options=FOUR)


def block_case(name: str, kernel, n: int, stages: int, *, tma: bool = False) -> Case:
    x = integers(n * ROWS, COLUMNS, dtype=np.float16)
    y = output(*x.shape, dtype=np.float16)
    arguments = {"x": x, "y": TMA(y, (ROWS, COLUMNS)) if tma else y, "n": n, **SIZES, "STAGES": stages}
    return Case(f"{name}: {stages} stages, {n} fills", kernel, arguments, {"y": x}, options=FOUR)


def halves_case(n: int, stages: int) -> Case:
    x = integers(2 * n * ROWS, COLUMNS, dtype=np.float16)
    y = x.reshape(n, 2, ROWS, COLUMNS).sum(axis=1).reshape(-1, COLUMNS)
    arguments = {"x": x, "y": output(*y.shape, dtype=np.float16), "n": n, **SIZES, "STAGES": stages}
    return Case(f"two tasks copy in `while` loops, {n} fills", two_producers, arguments, {"y": y}, options=FOUR)


def product_case(warps: int, steps: int) -> Case:
    a, b = integers(4, 64, 64, dtype=np.float16), integers(4, 64, 64, dtype=np.float16)[::-1].copy()
    c = sum((a[k].astype(np.float32) @ b[k].astype(np.float32) for k in range(steps)), np.zeros((64, 64), np.float32))
    arguments = {"a": a, "b": b, "c": output(64, 64), "steps": steps, "N": 64, "STAGES": 2, "WARPS": warps}
    return Case(
        f"{steps} products of what {warps} warps copied",
        product,
        arguments,
        {"c": c},
        options=FOUR,
        ttgir={"ttng.async_copy_mbarrier_arrive": 1, "ttng.fence_async_shared": 1},
        ptx={"cp.async.mbarrier.arrive.noinc": 1, "fence.proxy.async": 1},
    )


CASES = [
    *(sums_case(2, consumers, warps, trips) for consumers, warps in ((1, 1), (2, 4)) for trips in range(6)),
    sums_case(1, 1, 1, 3),
    sums_case(3, 1, 4, 7, limit=16),
    *(halves_case(n, 2) for n in (1, 5)),
    *(product_case(warps, steps) for warps, steps in ((1, 3), (4, 0), (4, 4))),
    *(block_case("copied, then stored by TMA", on_to_tma, n, 2, tma=True) for n in (1, 5)),
    block_case("a ring in one task, copied", one_task, 7, 3),
]

"""Rings that own their phases, in every kind of schedule: several tasks, loops, helpers, counts of every type."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output

ROWS, COLUMNS = 16, 32
BLOCK = ROWS * COLUMNS


@tlx.jit
def at(pointer, block, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Pointers to a block of a column of blocks."""
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    return pointer + block * ROWS * COLUMNS + i * COLUMNS + j


# A constant trip count of one makes a stock pass of Triton 3.7 abort, here as in loops over barriers written by hand.
@tlx.jit(do_not_specialize=["trips"])
def sums(x, y, tiles, trips, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr, CONSUMERS: tl.constexpr):
    """Each program adds up the blocks of every num_programs-th tile; every consumer does."""
    ring = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES, consumers=CONSUMERS)
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
        with tlx.async_task(num_warps=1):
            fill = 0
            for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
                for t in tl.range(0, trips):
                    with ring.fill(fill) as slot:
                        slot.load(x, slot.block, [(tile * trips + t) * ROWS, 0])
                    fill += 1


@tlx.jit
def stored(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Two producers store half of a slot each; loops are `while`."""
    ring = tlx.ring(half=((ROWS, COLUMNS), tl.float16, 2), stages=STAGES, producers=2, filler="local_store")
    with tlx.async_tasks():
        with tlx.async_task("default"):
            use = 0
            while use < n:
                slot = ring.wait(use)
                for i in tl.range(0, 2):
                    tl.store(at(y, 2 * use + i, ROWS, COLUMNS), tlx.local_load(slot.half[i]))
                ring.release(use)
                use += 1
        with tlx.async_task(num_warps=2, replicate=2):
            producer: tl.constexpr = tlx.async_task_replica_id()
            fill = 0
            while fill < n:
                slot = ring.acquire(fill)
                tlx.local_store(slot.half[producer], tl.load(at(x, 2 * fill + producer, ROWS, COLUMNS)))
                ring.commit(fill)
                fill += 1


@tlx.jit
def shared_by_producers(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """One producer loads two of three buffers of a slot, the other one the third; both expect half of the bytes."""
    ring = tlx.ring(
        pair=((ROWS, COLUMNS), tl.float16, 2), last=((ROWS, COLUMNS), tl.float16), stages=STAGES, producers=2
    )
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in range(n):
                with ring.use(t) as slot:
                    total = tlx.local_load(slot.pair[0]) + tlx.local_load(slot.pair[1]) + tlx.local_load(slot.last)
                tl.store(at(y, t, ROWS, COLUMNS), total)
        with tlx.async_task(num_warps=1):
            for t in range(n):
                with ring.fill(t) as slot:
                    slot.load(x, slot.pair[0], [3 * t * ROWS, 0])
                    slot.load(x, slot.pair[1], [(3 * t + 1) * ROWS, 0])
        with tlx.async_task(num_warps=1):
            for t in range(n):
                with ring.fill(t) as slot:
                    tlx.async_descriptor_load(x, slot.last, [(3 * t + 2) * ROWS, 0], slot.full)


@tlx.jit
def fill_one(ring, desc, t, ROWS: tl.constexpr):
    with ring.fill(t) as slot:
        load_one(slot, desc, t * ROWS)


@tlx.jit
def load_one(slot, desc, row):
    slot.load(desc, slot.block, [row, 0])


@tlx.jit
def take_one(ring, t):
    slot = ring.wait(t)
    value = tlx.local_load(slot.block)
    ring.release(t)
    return value


@tlx.jit
def through_helpers(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Rings and slots pass through helpers; two rings of one type stay apart."""
    forth = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES)
    back = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES, filler="local_store")
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in range(n):
                tl.store(at(y, t, ROWS, COLUMNS), take_one(back, t))
        with tlx.async_task(num_warps=4):
            for t in range(n):
                value = take_one(forth, t) * 2
                with back.fill(t) as slot:
                    tlx.local_store(slot.block, value)
        with tlx.async_task(num_warps=1):
            for t in range(n):
                fill_one(forth, x, t, ROWS)


@tlx.jit
def counted_in_every_way(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Compile-time counts, 64-bit ones and unsigned ones; the same name for the slots of two loops."""
    ring = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.static_range(3):
                with ring.use(t) as slot:
                    tl.store(at(y, t, ROWS, COLUMNS), tlx.local_load(slot.block))
            for t in tl.range(3, 5):
                with ring.use(t.to(tl.int64)) as slot:
                    tl.store(at(y, t, ROWS, COLUMNS), tlx.local_load(slot.block))
            for t in tl.range(5, 8):
                with ring.use(t.to(tl.uint32)) as slot:
                    tl.store(at(y, t, ROWS, COLUMNS), tlx.local_load(slot.block))
        with tlx.async_task(num_warps=1):
            for t in tl.range(0, 8):
                with ring.fill(t) as slot:
                    slot.load(x, slot.block, [t * ROWS, 0])


@tlx.jit
def one_task(x, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr):
    """Without tasks: the loads run STAGES - 1 blocks ahead."""
    ring = tlx.ring(block=((ROWS, COLUMNS), tl.float16), stages=STAGES)
    for t in range(min(n, STAGES - 1)):
        with ring.fill(t) as slot:
            slot.load(x, slot.block, [t * ROWS, 0])
    for t in range(n):
        ahead = t + STAGES - 1
        if ahead < n:
            with ring.fill(ahead) as slot:
                slot.load(x, slot.block, [ahead * ROWS, 0])
        with ring.use(t) as slot:
            tl.store(at(y, t, ROWS, COLUMNS), tlx.local_load(slot.block))


def blocks(count: int) -> np.ndarray:
    return integers(count * ROWS, COLUMNS, dtype=np.float16)


def tma(x: np.ndarray) -> TMA:
    return TMA(x, (ROWS, COLUMNS))


def sums_case(stages: int, consumers: int, trips: int) -> Case:
    tiles = 3
    x = blocks(max(tiles * trips, 1))
    # Zero trips have zero sums.
    total = x[: tiles * trips * ROWS].astype(np.float32).reshape(tiles, trips, ROWS, COLUMNS).sum(axis=1)
    sizes = {"ROWS": ROWS, "COLUMNS": COLUMNS, "STAGES": stages, "CONSUMERS": consumers}
    arguments = {"x": tma(x), "y": output(consumers * tiles * ROWS, COLUMNS), "tiles": tiles, "trips": trips, **sizes}
    name = f"ring of {stages} for {consumers}, {trips} trips for each tile"
    expected = np.tile(total.reshape(-1, COLUMNS), (consumers, 1))
    return Case(name, sums, arguments, {"y": expected}, grid=2)


def copy_case(name: str, kernel, n: int, x: np.ndarray, expected: np.ndarray, stages: int, descriptor=True) -> Case:
    y = output(*expected.shape, dtype=np.float16)
    sizes = {"ROWS": ROWS, "COLUMNS": COLUMNS, "STAGES": stages}
    counted = {} if kernel is counted_in_every_way else {"n": n}
    return Case(name, kernel, {"x": tma(x) if descriptor else x, "y": y, **counted, **sizes}, {"y": expected})


def copy_cases(stages: int, n: int) -> list[Case]:
    x = blocks(6 * n)
    thirds = x[: 3 * n * ROWS].reshape(n, 3, ROWS, COLUMNS).sum(axis=1).reshape(-1, COLUMNS)
    end = f": {stages} stages, {n} fills"
    once, twice = x[: n * ROWS], x[: 2 * n * ROWS]
    return [
        copy_case("two producers store in `while` loops" + end, stored, n, x, twice, stages, descriptor=False),
        copy_case("two producers load" + end, shared_by_producers, n, x, thirds, stages),
        copy_case("rings through helpers" + end, through_helpers, n, x, 2 * once, stages),
        copy_case("a ring in one task" + end, one_task, n, x, once, stages),
    ]


EIGHT = blocks(8)
CASES = [
    *(sums_case(stages, consumers, n) for stages, consumers in ((1, 1), (2, 2), (3, 1)) for n in range(2 * stages + 2)),
    *(case for stages, n in ((1, 3), (2, 1), (3, 7)) for case in copy_cases(stages, n)),
    copy_case("a ring counted in every way", counted_in_every_way, 8, EIGHT, EIGHT, 3),
]

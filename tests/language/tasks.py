"""Tasks: who runs what, on how many warps, how often."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output

X = integers(64)


@tlx.jit
def default_and_worker(x, y, N: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            tl.store(y + i, tl.load(x + i) + 1)
        with tlx.async_task(num_warps=2):
            i = tl.arange(0, N)
            tl.store(y + N + i, tl.load(x + i) * 2)


@tlx.jit
def replicas(y, N: tl.constexpr):
    i = tl.program_id(0)
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=2):
            lane = i + tl.arange(0, N)
            tl.store(y + tlx.async_task_replica_id() * N + lane, lane + 100 * tlx.async_task_replica_id())
        with tlx.async_task(num_warps=1, replicate=3):
            lane = i + tl.arange(0, N)
            tl.store(y + (2 + tlx.async_task_replica_id()) * N + lane, lane - 100 * tlx.async_task_replica_id())


@tlx.jit
def replica_id_is_a_constant(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.static_assert(tlx.async_task_replica_id() == 0)
        with tlx.async_task(num_warps=1, replicate=2):
            replica: tl.constexpr = tlx.async_task_replica_id()
            SIZE: tl.constexpr = 32 * (replica + 1)
            ones = tl.full((SIZE,), 1, tl.int32)
            if replica == 1:
                tl.static_assert(SIZE == 64)
                tl.store(y + 1, tl.sum(ones))
            else:
                tl.static_assert(SIZE == 32)
                tl.store(y, tl.sum(ones))


@tlx.jit
def chosen_at_compile_time(y, FIRST: tl.constexpr, THIRD: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        if FIRST:
            with tlx.async_task(num_warps=1):
                tl.store(y + 1, 2)
        elif THIRD:
            with tlx.async_task(num_warps=2):
                tl.store(y + 1, 3)
        else:
            pass


@tlx.jit
def alone(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 5)


@tlx.jit
def two_regions(x, y, N: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, tl.load(x) + 1)
        with tlx.async_task(num_warps=4):
            tl.store(y + 1, tl.load(x + 1) + 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y + 2, tl.load(y + 1) * 10)
        with tlx.async_task(num_warps=1):
            tl.store(y + 3, tl.load(y) * 10)


@tlx.jit
def region_in_a_loop(y, n):
    for i in tl.range(0, n):
        with tlx.async_tasks():
            with tlx.async_task("default"):
                tl.store(y + 2 * i, i)
            with tlx.async_task(num_warps=1):
                tl.store(y + 2 * i + 1, 10 * i)


@tlx.jit
def options_of_a_region(y):
    """What TLX's kernels say to their compiler; here it is checked and changes nothing."""
    with tlx.async_tasks(exclusive=True, no_ending_cluster_sync=False, mbarrier_try_wait_suspend_ns=200):
        with tlx.async_task("default", replicate=2, warp_group_start_id=4):
            tl.store(y + tlx.async_task_replica_id(), 1)
        with tlx.async_task(num_warps=2, replicate=2, warp_group_start_id=8):
            tl.store(y + 2 + tlx.async_task_replica_id(), 2)


@tlx.jit
def registers(y):
    with tlx.async_tasks():
        with tlx.async_task("default", registers=232):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4, registers=160):
            tl.store(y + 1, 2)
        with tlx.async_task(num_warps=1, num_regs=24):
            tl.store(y + 2, 3)


@tlx.task("default")
def store_one(y):
    tl.store(y, 1)


@tlx.task(num_warps=4, registers=160)
def store_two(y):
    tl.store(y + 1, 2)


@tlx.task(num_warps=1, registers=24, replicate=2)
def store_three(y, STEP: tl.constexpr):
    tl.store(y + 2 + tlx.async_task_replica_id(), STEP)


@tlx.jit
def declared(y):
    with tlx.async_tasks():
        store_one(y)
        store_two(y)
        store_three(y, STEP=3)


@tlx.jit
def as_blocks(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4, registers=160):
            tl.store(y + 1, 2)
        with tlx.async_task(num_warps=1, registers=24, replicate=2):
            tl.store(y + 2 + tlx.async_task_replica_id(), 3)


@tlx.jit(num_warps=8, maxnreg=128)
def launch_defaults(y, N: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            tl.store(y + i, i)
        with tlx.async_task(num_warps=4):
            i = tl.arange(0, N)
            tl.store(y + N + i, i)


@tlx.jit
def names_stay_inside(y):
    value = tl.program_id(0) + 1
    with tlx.async_tasks():
        with tlx.async_task("default"):
            value = value + 10
            tl.store(y, value)
        with tlx.async_task(num_warps=1):
            value = value + 20
            tl.store(y + 1, value)
    tl.store(y + 2, value)


@tlx.jit
def names_of_outer_tensors(y, n, N: tl.constexpr):
    """A task may use the name of an outer tensor for a value of its own: straight, in a loop, in a branch."""
    i = tl.arange(0, N)
    tl.store(y + i, i)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            tl.store(y + N + i, i)
        with tlx.async_task(num_warps=1):
            for i in tl.range(0, n):
                tl.store(y + 2 * N + i, 100 + i)
        with tlx.async_task(num_warps=2):
            for t in tl.range(0, n):
                i = tl.program_id(0) + t
                tl.store(y + 2 * N + 2 + i, 200 + t)
        with tlx.async_task(num_warps=1):
            if n > 1:
                i = tl.arange(0, 4)
                tl.store(y + 2 * N + 4 + i, i)


def ints(*values: int) -> dict[str, np.ndarray]:
    return {"y": np.array(values, np.int32)}


def y_of(count: int) -> dict[str, np.ndarray]:
    return {"y": output(count, dtype=np.int32)}


LANES = np.arange(32)
CASES = [
    Case("options of a region", options_of_a_region, {**y_of(4)}, ints(1, 1, 2, 2)),
    Case(
        "a default task and a worker",
        default_and_worker,
        {"x": X, "y": output(128), "N": 64},
        {"y": np.concatenate([X + 1, X * 2])},
        ttgir={"ttg.warp_specialize": 1, "num_warps(2)": 1},
    ),
    Case(
        "replicas of the default task and of a worker",
        replicas,
        {**y_of(160), "N": 32},
        ints(*np.concatenate([LANES, LANES + 100, LANES, LANES - 100, LANES - 200])),
        ttgir={"num_warps(4)": 1, "num_warps(1)": 3},
    ),
    Case("the replica id is a compile-time constant", replica_id_is_a_constant, y_of(2), ints(32, 64)),
    Case("`if` between tasks, taken", chosen_at_compile_time, {**y_of(2), "FIRST": True, "THIRD": False}, ints(1, 2)),
    Case("`elif` between tasks", chosen_at_compile_time, {**y_of(2), "FIRST": False, "THIRD": True}, ints(1, 3)),
    Case("`else` between tasks", chosen_at_compile_time, {**y_of(2), "FIRST": False, "THIRD": False}, ints(1, 77)),
    Case("a default task alone is inline", alone, y_of(1), ints(5), ttgir={"ttg.warp_specialize": 0}),
    Case("two regions", two_regions, {"x": np.array([3, 4], np.int32), **y_of(4), "N": 2}, ints(4, 5, 50, 40)),
    Case("a region in a loop", region_in_a_loop, {**y_of(6), "n": 3}, ints(0, 0, 1, 10, 2, 20)),
    Case("registers", registers, y_of(3), ints(1, 2, 3), ttgir={"requestedRegisters = array<i32: 160, 24>": 1}),
    Case("tasks declared as functions", declared, y_of(4), ints(1, 2, 3, 3)),
    Case("the same tasks as blocks", as_blocks, y_of(4), ints(1, 2, 3, 3)),
    Case(
        "launch defaults",
        launch_defaults,
        {**y_of(64), "N": 32},
        ints(*LANES, *LANES),
        ttgir={'"ttg.num-warps" = 8': 1, "ttg.maxnreg = 128": 1},
    ),
    Case(
        "launch defaults overridden",
        launch_defaults,
        {**y_of(64), "N": 32},
        ints(*LANES, *LANES),
        options={"num_warps": 4, "maxnreg": 64},
        ttgir={'"ttg.num-warps" = 4': 1, "ttg.maxnreg = 64": 1},
    ),
    Case(
        "names of outer tensors",
        names_of_outer_tensors,
        {**y_of(72), "n": 2, "N": 32},
        ints(*LANES, *LANES, 100, 101, 200, 201, 0, 1, 2, 3),
    ),
    Case("names assigned in a task stay inside", names_stay_inside, y_of(3), ints(11, 21, 1)),
]

"""What the checks know of bulk copies, TMA reductions and descriptors that kernels make: when they are done."""

import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import checking
from tlx.check.rules import ENGINE_IN_FLIGHT, GLOBAL_RACE, LAUNCH_FAILED, RACE_READ_WRITE

N = 64


@tlx.jit
def bulk(x, y, N: tl.constexpr, WAIT: tl.constexpr, SENT: tl.constexpr):
    """y = x, by the bulk engine both ways, twice; `SENT` says whether a buffer is free before it is filled again."""
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    for t in tl.range(0, 2):
        tlx.barrier_expect_bytes(full[0], N * 4)
        tlx.async_load(x + t * N, buffer[0], bulk=True, barrier=full[0])
        if WAIT:
            tlx.barrier_wait(full[0], t & 1)
        tlx.async_store(y + t * N, buffer[0], N * 4)
        tlx.async_descriptor_store_wait(0 if SENT else 1)
    tlx.async_descriptor_store_wait(0)


def found(kernel, *arguments, grid: int = 1, **constants) -> set:
    with checking(schedules=3) as checker:
        kernel[(grid,)](*arguments, N, **constants)
    return {finding.id for finding in checker.findings if finding.severity != "note"}


def test_bulk_copies_that_are_waited_for():
    x, y = (sim.array(np.zeros(2 * N, np.float32)) for _ in range(2))
    assert found(bulk, x, y, WAIT=True, SENT=True) == set()


def test_a_bulk_load_that_nobody_waits_for():
    x, y = (sim.array(np.zeros(2 * N, np.float32)) for _ in range(2))
    assert RACE_READ_WRITE.id in found(bulk, x, y, WAIT=False, SENT=True)


def test_a_bulk_store_that_nobody_waits_for():
    x, y = (sim.array(np.zeros(2 * N, np.float32)) for _ in range(2))
    assert found(bulk, x, y, WAIT=True, SENT=False) == {RACE_READ_WRITE.id}


@tlx.jit
def bulk_left_behind(x, y, N: tl.constexpr):
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    tlx.local_store(buffer[0], tl.load(x + tl.arange(0, N)))
    tlx.async_store(y, buffer[0], N * 4)


def test_a_bulk_store_that_outlives_its_cta():
    x, y = (sim.array(np.zeros(N, np.float32)) for _ in range(2))
    assert ENGINE_IN_FLIGHT.id in found(bulk_left_behind, x, y)


@tlx.jit
def reduced(x, y, total, N: tl.constexpr, ADD: tl.constexpr, READ: tl.constexpr):
    """Every program adds, or stores, its row to one and the same; some read it at once."""
    buffer = tlx.local_alloc((1, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    tlx.local_store(buffer[0], tl.load(x + tl.program_id(0) * N + i)[None, :])
    tlx.async_descriptor_store(y, buffer[0], [0, 0], store_reduce="add" if ADD else "")
    tlx.async_descriptor_store_wait(0)
    if READ:
        tl.store(total + tl.program_id(0), tl.sum(tl.load(total + N + i)))


def rows_reduced(**constants) -> set:
    memory = np.zeros((2, N), np.float32)
    whole, row = sim.array(memory), sim.array(memory[1:])
    x = sim.array(np.arange(3 * N, dtype=np.float32))
    return found(reduced, x, TensorDescriptor.from_tensor(row, [1, N]), whole, grid=3, **constants)


def test_reductions_do_not_race_with_each_other():
    assert rows_reduced(ADD=True, READ=False) == set()


def test_stores_to_one_place_do():
    assert rows_reduced(ADD=False, READ=False) == {GLOBAL_RACE.id}


def test_a_reduction_races_with_a_read():
    assert rows_reduced(ADD=True, READ=True) == {GLOBAL_RACE.id}


@tlx.jit
def handed_over(x, y, N: tl.constexpr, WAIT: tl.constexpr):
    """A task makes a descriptor, another one loads through it."""
    places = tlx.allocate_tensor_descriptor(1)
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    made = tlx.alloc_barriers(1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.make_tensor_descriptor(places, x, [N], [1], [N])
            tlx.barrier_arrive(made[0])
            tlx.barrier_wait(full[0], 0)
            tl.store(y + tl.arange(0, N), tlx.local_load(buffer[0]))
        with tlx.async_task(num_warps=1):
            if WAIT:
                tlx.barrier_wait(made[0], 0)
            desc = tlx.reinterpret_tensor_descriptor(places, [N], tlx.dtype_of(x))
            tlx.barrier_expect_bytes(full[0], N * 4)
            tlx.async_descriptor_load(desc, buffer[0], [0], full[0])


def test_a_descriptor_handed_over_by_a_barrier():
    x, y = (sim.array(np.zeros(N, np.float32)) for _ in range(2))
    assert found(handed_over, x, y, WAIT=True) == set()


def test_a_descriptor_handed_over_without_a_barrier():
    x, y = (sim.array(np.zeros(N, np.float32)) for _ in range(2))
    assert found(handed_over, x, y, WAIT=False) & {GLOBAL_RACE.id, LAUNCH_FAILED.id}


@tlx.jit
def made_again(x, y, N: tl.constexpr, WAIT: tl.constexpr):
    """One place, two descriptors, a copy through each."""
    places = tlx.allocate_tensor_descriptor(1)
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 2)
    full = tlx.alloc_barriers(2)
    for t in tl.range(0, 2):
        desc = tlx.make_tensor_descriptor(places, x + t * N, [N], [1], [N])
        tlx.barrier_expect_bytes(full[t], N * 4)
        tlx.async_descriptor_load(desc, buffer[t], [0], full[t])
        if WAIT:
            tlx.barrier_wait(full[t], 0)
    for t in tl.range(0, 2):
        tlx.barrier_wait(full[t], 0)
        tl.store(y + t * N + tl.arange(0, N), tlx.local_load(buffer[t]))


def test_a_place_written_again_after_the_copy_through_it():
    x, y = (sim.array(np.zeros(2 * N, np.float32)) for _ in range(2))
    assert found(made_again, x, y, WAIT=True) == set()


def test_a_place_written_again_during_the_copy_through_it():
    x, y = (sim.array(np.zeros(2 * N, np.float32)) for _ in range(2))
    assert found(made_again, x, y, WAIT=False) == {GLOBAL_RACE.id}

"""A hang explains itself in any schedule: group, line, barrier, slot, parity, arrivals, iteration and likely cause."""

import inspect
import time

import numpy as np
import pytest
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim

SEEDS = range(5)
STAGES = 2
M, N, BLOCK_K = 128, 128, 64


@tlx.jit
def gemm(
    a,
    b,
    c,
    steps,
    M: tl.constexpr,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    STAGES: tl.constexpr,
    EMPTY_COUNT: tl.constexpr,
    FIRST_PARITY: tl.constexpr,
):
    """One tile of C; right with EMPTY_COUNT 1, the arrivals that come, and FIRST_PARITY 1."""
    a_ring = tlx.local_alloc((M, BLOCK_K), tl.float16, STAGES)
    b_ring = tlx.local_alloc((BLOCK_K, N), tl.float16, STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES, arrive_count=EMPTY_COUNT)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((M, N), tl.float32)
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(full[slot], phase)  # consumer waits
                acc = tlx.async_dot_wait(0, tlx.async_dot(a_ring[slot], b_ring[slot], acc))
                tlx.barrier_arrive(empty[slot])
            i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
            tl.store(c + i * N + j, acc.to(tl.float16))
        with tlx.async_task(num_warps=1):
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(empty[slot], phase ^ FIRST_PARITY)  # producer waits
                tlx.barrier_expect_bytes(full[slot], (M + N) * BLOCK_K * 2)
                tlx.async_descriptor_load(a, a_ring[slot], [0, k * BLOCK_K], full[slot])
                tlx.async_descriptor_load(b, b_ring[slot], [k * BLOCK_K, 0], full[slot])


def run(steps: int, *, seed: int = 0, empty_count: int = 1, first_parity: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """C as computed, and as it should be."""
    i, k = np.ogrid[:M, : steps * BLOCK_K]
    a = ((3 * i + 5 * k) % 7 - 3).astype(np.float16)
    k, j = np.ogrid[: steps * BLOCK_K, :N]
    b = ((2 * k + 11 * j) % 5 - 2).astype(np.float16)
    c = np.full((M, N), 7, np.float16)
    with sim.simulating(seed=seed):
        gemm[(1,)](
            TensorDescriptor.from_tensor(sim.array(a), [M, BLOCK_K]),
            TensorDescriptor.from_tensor(sim.array(b), [BLOCK_K, N]),
            sim.array(c),
            steps,
            M,
            N,
            BLOCK_K,
            STAGES,
            empty_count,
            first_parity,
        )
    return c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


def blocked(**faults) -> tuple[sim.BlockedGroup, sim.BlockedGroup, str]:
    """The producer and the consumer as the report describes them, and the report."""
    with pytest.raises(sim.DeadlockError) as caught:
        run(4, **faults)
    groups = {group.group: group for group in caught.value.blocked}
    assert groups.keys() == {"default", "partition0"}
    return groups["partition0"], groups["default"], str(caught.value)


def line_of(mark: str) -> int:
    lines, start = inspect.getsourcelines(gemm.fn)
    (offset,) = [i for i, line in enumerate(lines) if mark in line]
    return start + offset


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_the_kernel_is_right_without_faults(steps):
    result, expected = run(steps)
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_arrival_that_never_comes(seed):
    producer, consumer, text = blocked(seed=seed, empty_count=2)

    assert (producer.barrier, producer.slot, producer.parity, producer.iteration) == ("empty", 0, 0, 2)
    assert (producer.phases_done, producer.arrived, producer.expected) == (0, 1, 2)
    assert producer.location.line == line_of("# producer waits")
    assert "the arrive count of empty[0] is 2, but only 1 arrival(s) come in a phase" in producer.cause

    assert (consumer.barrier, consumer.slot, consumer.parity, consumer.iteration) == ("full", 0, 1, 2)
    assert (consumer.phases_done, consumer.arrived, consumer.expected) == (1, 0, 1)
    assert consumer.location.line == line_of("# consumer waits")

    assert "partition0, iteration 2: waits for empty[0], parity 0: 0 phases done, 1 of 2 arrivals" in text
    assert "default, iteration 2: waits for full[0], parity 1: 1 phase done, 0 of 1 arrivals" in text
    assert "tlx.barrier_wait(empty[slot], phase ^ FIRST_PARITY)" in text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_initial_phase(seed):
    producer, consumer, _ = blocked(seed=seed, first_parity=0)
    assert (producer.barrier, producer.slot, producer.parity, producer.iteration) == ("empty", 0, 0, 0)
    assert (consumer.barrier, consumer.slot, consumer.parity, consumer.iteration) == ("full", 0, 0, 0)
    assert (producer.phases_done, consumer.phases_done) == (0, 0)
    assert (producer.location.line, consumer.location.line) == (
        line_of("# producer waits"),
        line_of("# consumer waits"),
    )
    assert "the initial phase is wrong: the first wait must use parity 1" in producer.cause


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fault_masked_by_few_iterations_is_a_warning(seed):
    with pytest.warns(sim.SimulationWarning, match=r"empty\[0\] ends inside phase 0: 1 of 2 arrivals"):
        result, expected = run(2, seed=seed, empty_count=2)
    assert np.array_equal(result, expected)
    leftovers = {left.full_name: (left.arrived, left.expected) for left in sim.last_report().leftovers}
    assert leftovers == {"empty[0]": (1, 2), "empty[1]": (1, 2)}


def test_the_report_comes_within_five_seconds():
    start = time.process_time()  # of CPU: others may load the machine
    blocked(empty_count=2)
    assert time.process_time() - start < 5

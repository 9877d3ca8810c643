"""The case C23, and other kernels of clusters with one mistake each."""

import numpy as np
import pytest
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tests.check.rows.row import BYTES, put
from tlx import sim
from tlx.check import checking
from tlx.errors import GridNotDivisible, RemoteBarrier

PAIR = {"ctas_per_cga": (2, 1, 1)}
SEEDS = range(5)


def findings(kernel, n: int, seed: int, **faults) -> list:
    """What is found in a launch on two CTAs, notes aside, with the blocks 0, 1, 2 ... of `x` full of these numbers."""
    x = np.repeat(np.arange(8), 64).astype(np.float16)[:, None] * np.ones(64, np.float16)
    z = sim.array(np.zeros((2, 64, 64), np.float32))
    with checking(seed=seed, schedules=1) as checker:
        kernel[(2,)](TensorDescriptor.from_tensor(sim.array(x), [64, 64]), z, n, **faults, **PAIR)
    found = [finding for finding in checker.findings if finding.severity != "note"]
    if not found:
        assert (z.numpy() == n - 1).all()
    return found


def rules(kernel, n: int, **faults) -> set[str]:
    """The rules broken in every schedule."""
    return set.intersection(*({f.rule.name for f in findings(kernel, n, seed, **faults)} for seed in SEEDS))


@tlx.jit
def ring(x, z, n, EXPECT_ALL: tl.constexpr = True, FREE_BOTH: tl.constexpr = True, COUNT: tl.constexpr = 2):
    """The first CTA loads n blocks for both, one behind the other into the same slot; each sums up the last one."""
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1, arrive_count=COUNT)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            rank = tlx.cluster_cta_rank()
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                put(z + tl.program_id(0) * 4096, tlx.local_load(tile[0]))
                tlx.barrier_arrive(empty[0])
                if FREE_BOTH:
                    tlx.barrier_arrive(empty[0], 1, remote_cta_rank=rank ^ 1)
        with tlx.async_task(num_warps=1):
            rank = tlx.cluster_cta_rank()
            for k in tl.range(0, n):
                tlx.barrier_wait(empty[0], (k & 1) ^ 1)
                if EXPECT_ALL:
                    tlx.barrier_expect_bytes(full[0], BYTES)
                else:
                    tlx.barrier_expect_bytes(full[0], BYTES, pred=rank == 0)
                tlx.async_descriptor_load(x, tile[0], [64 * k, 0], full[0], pred=rank == 0, multicast_targets=[0, 1])


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_ring_is_right(n):
    assert [findings(ring, n, seed) for seed in SEEDS] == [[]] * len(SEEDS)


def test_slots_that_each_cta_frees_for_itself_only():
    assert rules(ring, 4, FREE_BOTH=False, COUNT=1) >= {"race-read-write", "race-write-write", "early-arrival"}
    messages = [f.message for f in findings(ring, 4, 0, FREE_BOTH=False, COUNT=1) if f.rule.name == "race-read-write"]
    assert any(
        "the read of tile[0] by default of CTA 1" in message
        and "by the TMA load of partition0 of CTA 0" in message
        and "in CTA 1 are not ordered" in message
        for message in messages
    )


def test_too_few_arrivals_for_both():
    assert "deadlock" in rules(ring, 4, FREE_BOTH=False)


def test_c23a_an_odd_number_of_tiles():
    x = TensorDescriptor.from_tensor(sim.array(np.zeros((512, 64), np.float16)), [64, 64])
    with pytest.raises(GridNotDivisible):
        ring[(3,)](x, sim.array(np.zeros((3, 64, 64), np.float32)), 1, **PAIR)


@tlx.jit
def waits_for_a_peers_barrier(x, z, n):
    ready = tlx.alloc_barriers(1)
    tlx.barrier_wait(tlx.remote_view(ready[0], 1), 0)


def test_c23b_a_wait_for_a_peers_barrier():
    with pytest.raises(RemoteBarrier):
        findings(waits_for_a_peers_barrier, 1, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_c23c_bytes_expected_on_rank_0_only(seed):
    blocked = [f for f in findings(ring, 1, seed, EXPECT_ALL=False) if f.rule.name == "deadlock"]
    (waiting,) = [f for f in blocked if f.buffer == "full"]
    assert waiting.program_id == (1, 0, 0)
    assert waiting.message == (
        "default of CTA 1 of the cluster, iteration 0, waits for full[0], parity 0: 0 phases done, 0 of 1 arrivals, "
        "8,192 bytes landed that nobody expected"
    )

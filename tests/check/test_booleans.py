"""Every combination of the edges of a handoff, each there or not; one expression says which are right."""

from itertools import product

import numpy as np
import pytest
import triton.experimental.gluon.language as gl
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

import tlx
from tests.sim.engine_kernels import ROWS
from tests.sim.gluon_kernels import tma_store
from tlx import sim
from tlx.check import ERROR, checking

SEEDS = range(5)


def names(launch) -> list[set[str]]:
    """The names of the errors in each schedule that only running shows."""
    found = []
    for seed in SEEDS:
        with checking(seed=seed, schedules=1) as checker:
            launch()
        errors = [f for f in checker.findings if f.severity == ERROR and f.id.startswith("TLX-R")]
        found.append({finding.rule.name for finding in errors})
    return found


@gluon.jit
def fill(bars, tile, ARRIVES: gl.constexpr, FENCES: gl.constexpr):
    tile.store(gl.full([64, 64], 1.0, gl.float16, ROWS))
    if FENCES:
        fence_async_shared()
    if ARRIVES:
        mbarrier.arrive(bars.index(0), count=1)


@gluon.jit
def store(y, bars, tile, WAITS: gl.constexpr, FENCES: gl.constexpr, DRAINS: gl.constexpr):
    if WAITS:
        mbarrier.wait(bars.index(0), 0)
    if FENCES:
        fence_async_shared()
    tma_store(y, [0, 0], tile)
    if DRAINS:
        tma.store_wait(0)


@gluon.jit
def hand_over(
    y,
    ARRIVES: gl.constexpr,
    WRITER_FENCES: gl.constexpr,
    WAITS: gl.constexpr,
    READER_FENCES: gl.constexpr,
    DRAINS: gl.constexpr,
):
    """One group writes a buffer, the other has it stored by TMA."""
    tile = gl.allocate_shared_memory(y.dtype, [64, 64], y.layout)
    bars = gl.allocate_shared_memory(gl.int64, [1, 1], mbarrier.MBarrierLayout())
    mbarrier.init(bars.index(0), count=1)
    gl.warp_specialize(
        [(fill, (bars, tile, ARRIVES, WRITER_FENCES)), (store, (y, bars, tile, WAITS, READER_FENCES, DRAINS))],
        [4],
        [24],
    )


@pytest.mark.parametrize(
    ("arrives", "writer_fences", "waits", "reader_fences", "drains"), list(product([False, True], repeat=5))
)
def test_a_store_by_tma_of_what_another_group_wrote(arrives, writer_fences, waits, reader_fences, drains):
    def launch():
        values = sim.array(np.zeros((64, 64), np.float16))
        layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
        y = TensorDescriptor(values, [64, 64], [64, 1], [64, 64], layout)
        hand_over[(1,)](y, arrives, writer_fences, waits, reader_fences, drains, num_warps=4)

    deadlocks = waits and not arrives
    ordered = waits and arrives
    expected = {
        "deadlock": deadlocks,
        "race-read-write": not waits,
        "missing-proxy-fence": ordered and not (writer_fences or reader_fences),
        "engine-in-flight": not drains and not deadlocks,
    }
    assert names(launch) == [{name for name, holds in expected.items() if holds}] * len(SEEDS)


@tlx.jit
def double_buffer(
    x,
    z,
    WAITS_FULL: tl.constexpr,
    ARRIVES_EMPTY: tl.constexpr,
    WAITS_EMPTY: tl.constexpr,
    EXPECTS: tl.constexpr,
):
    """Two uses of one slot."""
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for k in tl.static_range(2):
                if WAITS_FULL:
                    tlx.barrier_wait(full[0], k & 1)
                tl.store(z + k * 64 + tl.arange(0, 64), tl.sum(tlx.local_load(tile[0]).to(tl.float32), axis=0))
                if ARRIVES_EMPTY:
                    tlx.barrier_arrive(empty[0])
        with tlx.async_task(num_warps=1):
            for k in tl.static_range(2):
                if WAITS_EMPTY:
                    tlx.barrier_wait(empty[0], (k & 1) ^ 1)
                if EXPECTS:
                    tlx.barrier_expect_bytes(full[0], 64 * 64 * 2)
                tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])


@pytest.mark.parametrize(
    ("waits_full", "arrives_empty", "waits_empty", "expects"), list(product([False, True], repeat=4))
)
def test_a_slot_that_is_filled_twice(waits_full, arrives_empty, waits_empty, expects):
    from triton.tools.tensor_descriptor import TensorDescriptor

    def launch():
        x = TensorDescriptor.from_tensor(sim.array(np.ones((64, 64), np.float16)), [64, 64])
        double_buffer[(1,)](
            x, sim.array(np.zeros(128, np.float32)), waits_full, arrives_empty, waits_empty, expects, num_warps=4
        )

    right = waits_full and arrives_empty and waits_empty and expects
    deadlocks = (waits_full and not expects) or (waits_empty and not arrives_empty)
    for found in names(launch):
        assert bool(found) == (not right)
        assert not deadlocks or "deadlock" in found
        assert waits_full or found & {"race-read-write", "uninitialized-read"}

"""What engines cost, and that groups wait for them."""

import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.trace import Costs, Timeline, tracing


@tlx.jit
def product(x, y, D: tl.constexpr):
    """y = (x @ x) @ x, by two MMAs in flight at once."""
    tile = tlx.local_alloc((D, D), tlx.dtype_of(x), 1)
    out = tlx.local_alloc((D, D), tlx.dtype_of(x), 1)
    ready = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(ready[0], tlx.size_of(tl.float16) * D * D)
    tlx.async_descriptor_load(x, tile[0], [0, 0], ready[0])
    tlx.barrier_wait(ready[0], 0)
    total = tlx.async_dot(tile[0], tile[0])
    total = tlx.async_dot(tile[0], tile[0], total)
    total = tlx.async_dot_wait(0, total)
    tlx.local_store(out[0], total.to(tl.float16))
    tlx.async_descriptor_store(y, out[0], [0, 0])
    tlx.async_descriptor_store_wait(0)


D = 64


def timeline(costs: Costs | None = None) -> Timeline:
    x, y = (sim.array(np.ones((D, D), np.float16)) for _ in range(2))
    with tracing(costs=costs) as trace:
        product[(1,)](*(TensorDescriptor.from_tensor(t, [D, D]) for t in (x, y)), D)
    return trace.timeline()


def one(timeline: Timeline, label: str):
    (span,) = [span for lane in timeline.lanes for span in lane.spans if span.label.startswith(label)]
    return span


def test_lanes_come_in_order():
    assert [lane.name for lane in timeline().lanes] == ["default", "TMA loads", "TMA stores", "MMA", "MMA"]


def test_mmas_follow_each_other_without_a_gap_and_are_waited_for():
    traced = timeline()
    first, second = (lane.spans[0] for lane in traced.lanes if lane.name == "MMA")
    assert first.taken - first.start == 2 * D * D * D // 4096
    assert second.start == first.taken
    assert second.end == second.taken + Costs().mma_latency
    waits = [s for s in traced.lanes[0].spans if s.label.startswith("wait for MMA")]
    assert waits[-1].end == second.end
    assert one(traced, "write out").start >= second.end


def test_a_wait_for_a_store_is_for_its_reads():
    traced = timeline()
    store, wait = one(traced, "TMA store"), one(traced, "wait for TMA store")
    assert store.end - store.start == D * D * 2 // 64 + Costs().tma_store_latency
    assert wait.end == store.taken


def test_two_engines_of_a_kind_share_its_rate():
    slow = timeline(Costs(mma_flops_per_cycle=1024))
    first, second = (lane.spans[0] for lane in slow.lanes if lane.name == "MMA")
    assert (first.taken - first.start, second.start) == (512, first.taken)

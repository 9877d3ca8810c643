"""Rings live until the kernel ends: engines in flight use them unseen, so the allocator must not reuse them earlier."""

import pytest
import triton.language as tl

import tlx

from .lowering import block_events, kernel_body, lower


@tlx.jit
def straight(y):
    buffer = tlx.local_alloc((32, 32), tl.float32, 2)
    bars = tlx.alloc_barriers(2)
    tlx.barrier_arrive(bars[0])
    tl.store(y, tl.sum(tlx.local_load(buffer[0])))


@tlx.jit
def early(y):
    buffer = tlx.local_alloc((32, 32), tl.float32, 2)
    if tl.program_id(0) > 3:
        return
    bars = tlx.alloc_barriers(2)
    tlx.barrier_arrive(bars[0])
    tl.store(y, tl.sum(tlx.local_load(buffer[0])))


@tlx.jit
def explicit(y):
    buffer = tlx.local_alloc((32, 32), tl.float32, 2)
    tl.store(y, tl.sum(tlx.local_load(buffer[0])))
    return


@tlx.jit
def chosen(y, STOP: tl.constexpr):
    buffer = tlx.local_alloc((32, 32), tl.float32, 2)
    tl.store(y, tl.sum(tlx.local_load(buffer[0])))
    if STOP:
        return
    tl.store(y, 1.0)


@tlx.jit
def with_tasks(y):
    buffer = tlx.local_alloc((32, 32), tl.float32, 2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, tl.sum(tlx.local_load(buffer[0])))
        with tlx.async_task(num_warps=1):
            tl.store(y, tl.sum(tlx.local_load(buffer[1])))


def exits(kernel, **constexprs) -> list[list[str]]:
    """For each block of the kernel that returns, what happens in it to shared memory."""
    found = map(block_events, kernel_body(lower(kernel, {"y": "*fp32"}, constexprs)).blocks)
    return [events for events in found if events[-1:] == ["return"]]


@pytest.mark.parametrize(
    ("kernel", "constexprs", "rings"),
    [
        (straight, {}, [2]),
        (explicit, {}, [1]),
        (chosen, {"STOP": True}, [1]),
        (chosen, {"STOP": False}, [1]),
        (with_tasks, {}, [1]),
        (early, {}, [1, 2]),
    ],
)
def test_all_rings_end_at_each_exit(kernel, constexprs, rings):
    found = exits(kernel, **constexprs)
    assert sorted(block.count("dealloc") for block in found) == rings
    for block in found:
        assert block[-block.count("dealloc") - 1 :] == ["dealloc"] * block.count("dealloc") + ["return"]

"""The async-proxy fence stands in the task that stores, between the stores and what lets an engine read them."""

import pytest
import triton
import triton.language as tl

import tlx
from tlx.compiler.semantic import TLXSemantic

from .lowering import events, kernel_body, lower, task

BLOCK = "tensordesc<fp16[32, 32]>"


@triton.jit
def tile():
    return tl.zeros((32, 32), tl.float16)


@tlx.jit
def store_and_arrive():
    buffer = tlx.local_alloc((32, 32), tl.float16, 2)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_store(buffer[0], tile())
            tlx.local_store(buffer[1], tile())
            tlx.barrier_arrive(full[0])
        with tlx.async_task(num_warps=1):
            tlx.barrier_wait(full[0], 0)


def test_between_stores_and_arrive():
    assert events(task(lower(store_and_arrive), "default")) == ["store", "store", "fence", "arrive"]


def test_the_reader_has_none():
    assert events(task(lower(store_and_arrive), "partition0")) == ["wait"]


def test_the_stock_passes_alone_would_put_none_there(monkeypatch):
    monkeypatch.setattr(TLXSemantic, "make_stores_visible", lambda self: None)
    assert events(task(lower(store_and_arrive), "default")) == ["store", "store", "arrive"]


@tlx.jit
def store_and_send(y):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    tlx.local_store(buffer[0], tile())
    tlx.async_descriptor_store(y, buffer[0], [0, 0])
    tlx.async_descriptor_store_wait(0)


def test_between_store_and_tma_store():
    assert events(kernel_body(lower(store_and_send, {"y": BLOCK})))[:3] == ["store", "fence", "tma store"]


@tlx.jit
def store_and_multiply(y):
    buffer = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_store(buffer[0], tl.zeros((64, 64), tl.float16))
    acc = tlx.async_dot_wait(0, tlx.async_dot(buffer[0], buffer[0]))
    tl.store(y, tl.sum(acc))


def test_between_store_and_mma():
    found = events(kernel_body(lower(store_and_multiply, {"y": "*fp32"})))
    assert found[0] == "store"
    assert "fence" in found[1 : found.index("mma")]


@tlx.jit
def store_and_expect(x):
    """Half of what the phase is for comes by TMA, the other half was stored: expecting the bytes is the arrival."""
    buffer = tlx.local_alloc((32, 32), tl.float16, 2)
    full = tlx.alloc_barriers(1)
    tlx.local_store(buffer[0], tile())
    tlx.barrier_expect_bytes(full[0], 2048)
    tlx.async_descriptor_load(x, buffer[1], [0, 0], full[0])
    tlx.barrier_wait(full[0], 0)


@tlx.jit
def store_and_load(x):
    """The load overwrites what was stored."""
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], 2048)
    tlx.local_store(buffer[0], tile())
    tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0])
    tlx.barrier_wait(full[0], 0)


def test_before_expected_bytes_and_tma_loads():
    found = events(kernel_body(lower(store_and_expect, {"x": BLOCK})))
    assert found[:5] == ["store", "fence", "expect", "tma load", "wait"]
    found = events(kernel_body(lower(store_and_load, {"x": BLOCK})))
    assert found[:5] == ["expect", "store", "fence", "tma load", "wait"]


@tlx.jit
def across_the_back_edge(y, n):
    """An iteration sends what the one before stored."""
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    tlx.local_store(buffer[0], tile())
    tlx.fence_async_shared()
    for i in tl.range(0, n):
        tlx.async_descriptor_store(y, buffer[0], [0, i])
        tlx.async_descriptor_store_wait(0)
        tlx.local_store(buffer[0], tile())


@tlx.jit
def across_the_back_edge_of_while(y, n):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    tlx.local_store(buffer[0], tile())
    tlx.fence_async_shared()
    while n > 0:
        tlx.async_descriptor_store(y, buffer[0], [0, n])
        tlx.async_descriptor_store_wait(0)
        tlx.local_store(buffer[0], tile())
        n -= 1


@pytest.mark.parametrize("kernel", [across_the_back_edge, across_the_back_edge_of_while])
def test_across_the_back_edge_of_a_loop(kernel):
    found = events(kernel_body(lower(kernel, {"y": BLOCK, "n": "i32"})))
    assert found[:5] == ["store", "fence", "fence", "tma store", "store"]


@tlx.jit
def behind_a_loop(n):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    for _ in tl.range(0, n):
        tlx.local_store(buffer[0], tile())
    tlx.barrier_arrive(full[0])


@tlx.jit
def behind_a_branch(n):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    if n > 0:
        tlx.local_store(buffer[0], tile())
    tlx.barrier_arrive(full[0])


@pytest.mark.parametrize("kernel", [behind_a_loop, behind_a_branch])
def test_behind_what_may_not_run(kernel):
    assert events(kernel_body(lower(kernel, {"n": "i32"})))[:3] == ["store", "fence", "arrive"]


@tlx.jit
def fenced_in_one_branch(n):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1, arrive_count=2)
    tlx.local_store(buffer[0], tile())
    if n > 0:
        tlx.barrier_arrive(full[0])
    tlx.barrier_arrive(full[0])


def test_fenced_in_one_branch_only():
    found = events(kernel_body(lower(fenced_in_one_branch, {"n": "i32"})))
    assert found[:5] == ["store", "fence", "arrive", "fence", "arrive"]


@triton.jit
def put(buffer):
    tlx.local_store(buffer, tile())


@triton.jit
def signal(bar):
    tlx.barrier_arrive(bar)


@tlx.jit
def helper_stores():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    put(buffer[0])
    tlx.barrier_arrive(full[0])


@tlx.jit
def helper_arrives():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.local_store(buffer[0], tile())
    signal(full[0])


@tlx.jit
def helpers_do_both():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    put(buffer[0])
    signal(full[0])


@pytest.mark.parametrize("kernel", [helper_stores, helper_arrives, helpers_do_both])
def test_across_helpers(kernel):
    assert events(kernel_body(lower(kernel)))[:3] == ["store", "fence", "arrive"]


@tlx.jit
def helper_in_a_loop(y, n):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    for i in tl.range(0, n):
        tlx.async_descriptor_store(y, buffer[0], [0, i])
        tlx.async_descriptor_store_wait(0)
        put(buffer[0])


def test_across_the_back_edge_behind_a_helper():
    found = events(kernel_body(lower(helper_in_a_loop, {"y": BLOCK, "n": "i32"})))
    assert found[:3] == ["fence", "tma store", "store"]


@tlx.jit
def store_before_tasks():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.local_store(buffer[0], tile())
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
        with tlx.async_task(num_warps=1):
            tlx.barrier_arrive(full[0])


def test_before_tasks():
    ttgir = lower(store_before_tasks)
    assert events(kernel_body(ttgir))[:3] == ["store", "fence", "tasks"]
    assert events(task(ttgir, "partition0")) == ["arrive"]


@tlx.jit
def nothing_to_fence(y):
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1, arrive_count=2)
    tlx.barrier_arrive(full[0])
    tl.store(y, tl.sum(tlx.local_load(buffer[0])))
    tlx.barrier_arrive(full[0])


@tlx.jit
def fenced_by_the_author():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1, arrive_count=2)
    tlx.local_store(buffer[0], tile())
    tlx.fence("async_shared")
    tlx.barrier_arrive(full[0])
    tlx.barrier_arrive(full[0])


def test_none_without_stores():
    assert "fence" not in events(kernel_body(lower(nothing_to_fence, {"y": "*fp16"})))


def test_none_behind_a_fence():
    assert events(kernel_body(lower(fenced_by_the_author)))[:4] == ["store", "fence", "arrive", "arrive"]


@tlx.jit
def helpers_that_store_nothing():
    buffer = tlx.local_alloc((32, 32), tl.float16, 1)
    full = tlx.alloc_barriers(1, arrive_count=2)
    tlx.local_store(buffer[0], tile())
    tile()
    tlx.barrier_arrive(full[0])
    tile()
    tlx.barrier_arrive(full[0])


def test_helpers_that_store_nothing_need_none():
    assert events(kernel_body(lower(helpers_that_store_nothing)))[:4] == ["store", "fence", "arrive", "arrive"]

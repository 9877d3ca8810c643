"""Loops that issue `async_dot` are the author's own: the stock pipeliner leaves them alone."""

import pytest
import triton.language as tl

import tlx
from tlx.compiler.codegen import TLXCodeGenerator

from .lowering import find, lower


@tlx.jit
def multiply(y, n, STAGES: tl.constexpr, NESTED: tl.constexpr):
    a = tlx.local_alloc((64, 64), tl.float16, 2)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, n, num_stages=STAGES):
        if NESTED:
            for j in tl.range(0, n, num_stages=STAGES):
                acc = tlx.async_dot_wait(1, tlx.async_dot(a[j % 2], a[0], acc))
        else:
            acc = tlx.async_dot_wait(1, tlx.async_dot(a[i % 2], a[0], acc))
    tl.store(y, tl.sum(tlx.async_dot_wait(0, acc)))


@tlx.jit
def load(x, y, n, N: tl.constexpr):
    total = tl.zeros((N,), tl.float32)
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2):
        total += tl.load(x + i * N + tl.arange(0, N))
    tl.store(y, tl.sum(total))


SIGNATURE = {"y": "*fp32", "n": "i32"}


def waits(ttgir: str) -> list[int]:
    return [op.attributes["pendings"] for op in find(ttgir, "ttng.warp_group_dot_wait")]


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("stages", [None, 1, 3])
def test_waits_are_the_authors(stages, nested):
    assert waits(lower(multiply, SIGNATURE, {"STAGES": stages, "NESTED": nested})) == [1, 0]


def test_without_the_attribute_the_pipeliner_waits_for_all(monkeypatch):
    def leave_as_written(self, op, options, carried):
        carried.has_async_dot = False
        set_loop_attributes(self, op, options, carried)

    set_loop_attributes = TLXCodeGenerator.set_loop_attributes
    monkeypatch.setattr(TLXCodeGenerator, "set_loop_attributes", leave_as_written)
    assert waits(lower(multiply, SIGNATURE, {"STAGES": None, "NESTED": False})) != [1, 0]


def trace_only(monkeypatch, *arguments) -> str:
    monkeypatch.setattr("tlx.compiler.pipeline.run_passes", lambda *_: None)
    return lower(*arguments)


@pytest.mark.parametrize("stages", [None, 3])
def test_the_attribute(monkeypatch, stages):
    ttgir = trace_only(monkeypatch, multiply, SIGNATURE, {"STAGES": stages, "NESTED": False})
    (loop,) = find(ttgir, "scf.for")
    assert loop.attributes["tt.num_stages"] == 0


def test_other_loops_keep_the_authors_options(monkeypatch):
    ttgir = trace_only(monkeypatch, load, {"x": "*fp32", **SIGNATURE}, {"N": 128})
    (loop,) = find(ttgir, "scf.for")
    assert (loop.attributes["tt.num_stages"], loop.attributes["tt.loop_unroll_factor"]) == (3, 2)


@tlx.jit
def one_trip(x, y, N: tl.constexpr):
    total = tl.zeros((N, N), tl.float32)
    i = tl.arange(0, N)
    for step in tl.range(0, 1):
        total += tl.load(x + i[:, None] * N + i[None, :] + step)
    tl.store(y + i[:, None] * N + i[None, :], total)


def test_a_loop_of_one_constant_trip():
    """Triton 3.7 fails to remove layout conversions from one; it is gone before that pass."""
    assert "scf.for" not in lower(one_trip, {"x": "*fp32:16", "y": "*fp32:16"}, {"N": 64})

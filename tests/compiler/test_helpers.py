"""Helpers stand where they are called, whatever ops they hold: a call would make MMAs wait for each other."""

import triton

import tlx

from .lowering import find, lower


@triton.jit
def meet():
    tlx.named_barrier_wait(9, 160)


@tlx.jit
def met_twice():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            meet()
            meet()
        with tlx.async_task(num_warps=1):
            meet()
            meet()


def test_a_helper_with_a_late_op_is_inlined():
    ttgir = lower(met_twice)
    assert find(ttgir, "tt.call") == []
    assert len(find(ttgir, "llvm.call_intrinsic")) == 4

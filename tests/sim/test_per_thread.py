"""Scalars that differ from thread to thread."""

import numpy as np
import pytest
import triton.language as tl

import tlx
from tlx import sim


@tlx.jit
def ballots(y, BRANCH: tl.constexpr, TENSOR: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            # Threads 0..127; the first one stores, for its warp: lanes 0, 1 and 2.
            tl.store(y, tlx.vote_ballot_sync(-1, tlx.thread_id(0) < 3))
        with tlx.async_task(num_warps=1):
            # One warp, somewhere behind the first four; the first thread stores its own index.
            me = tlx.thread_id(0)
            lane = me % 32
            tl.store(y + 1, tlx.vote_ballot_sync(-1, (lane > 1) & (lane < 4)))
            tl.store(y + 2, lane)
            tl.store(y + 3, me // 128)
            if BRANCH and me % 2 == 0:
                tl.store(y, 7)
            if TENSOR:
                tl.store(y + tl.arange(0, 4), tl.full([4], 1, tl.int32) * me)


def run(**constants):
    y = np.full(4, -1, np.int32)
    with tlx.simulating():
        ballots[(1,)](sim.array(y), **constants)
    return y


def test_votes_and_stores():
    assert run(BRANCH=False, TENSOR=False).tolist() == [0b111, 0b1100, 0, 1]


@pytest.mark.parametrize(("constants", "what"), [((True, False), "a branch"), ((False, True), "becomes a tensor")])
def test_threads_that_disagree(constants, what):
    with pytest.raises(sim.DivergentThreads, match=what) as caught:
        run(**dict(zip(("BRANCH", "TENSOR"), constants)))
    assert "me" in caught.value.location.source_line()

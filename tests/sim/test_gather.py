"""Gathers and scatters of shared memory touch the elements that their indices choose, and no others."""

import numpy as np
import pytest
import triton.language as tl

import tlx
from tlx import sim
from tlx.compiler.versions import HAS_LOCAL_GATHER

pytestmark = pytest.mark.skipif(not HAS_LOCAL_GATHER, reason="Triton has local_gather from 3.7 on")


@tlx.jit
def through_buffer(indices, y, WHOLE: tl.constexpr):
    buffer = tlx.local_alloc((64,), tl.int32, 1)
    i = tl.arange(0, 64)
    tlx.local_scatter(buffer[0], i, tl.load(indices + i), 0)
    if WHOLE:
        tl.store(y + i, tlx.local_load(buffer[0]))
    else:
        tl.store(y + i, tlx.local_gather(buffer[0], tl.load(indices + i), 0))


def run(indices, whole: bool) -> list[int]:
    y = np.zeros(64, np.int32)
    with sim.simulating():
        through_buffer[(1,)](sim.array(np.asarray(indices, np.int32)), sim.array(y), whole)
    return y.tolist()


EVEN = np.arange(64) // 2 * 2


def test_elements_never_written_may_not_be_read():
    assert run(EVEN, False) == (EVEN + 1).tolist()
    with pytest.raises(sim.UninitializedRead, match="128 of 256 bytes"):
        run(EVEN, True)


def test_indices_outside_the_buffer():
    with pytest.raises(sim.BufferBoundsError, match=r"indices 1..64 along axis 0 leave 0..63"):
        run(np.arange(1, 65), False)

"""What a task changes in the meaning of plain Triton, and what tlx defines where Triton doesn't."""

# ruff: noqa: B007 -- that an index is left over is what is tested

import numpy as np
import pytest
import triton.language as tl
from triton.language.extra import cuda

import tlx
from tlx import sim


@tlx.jit
def warps_kernel(out, WARPS: tl.constexpr):
    tl.store(out, cuda.num_warps())
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(out + 1, cuda.num_warps())
        with tlx.async_task(num_warps=WARPS):
            tl.store(out + 2, cuda.num_warps())
            tl.store(out + 3, cuda.num_threads())
    tl.store(out + 4, cuda.num_warps())


@pytest.mark.parametrize("warps", [1, 8])
def test_num_warps_is_the_tasks(warps):
    out = np.zeros(5, np.int32)
    with sim.simulating():
        warps_kernel[(1,)](sim.array(out), warps, num_warps=4)
    assert list(out) == [4, 4, warps, 32 * warps, 4]


@tlx.jit
def last_index_kernel(out, n, step):
    i = n - n - 7
    for i in range(2, n, step):
        pass
    tl.store(out, i)
    for i in range(n, 0, -2):
        pass
    tl.store(out + 1, i)
    if n > 3:
        for i in range(n):
            pass
    tl.store(out + 2, i)


def last_index(n, step):
    found, i = [], -7
    for i in range(2, n, step):
        pass
    found.append(i)
    for i in range(n, 0, -2):
        pass
    found.append(i)
    if n > 3:
        for i in range(n):
            pass
    return [*found, i]


@pytest.mark.parametrize("n", [0, 2, 3, 4, 9])
def test_a_loops_index_lives_on_as_in_python(n):
    out = np.zeros(3, np.int32)
    with sim.simulating():
        last_index_kernel[(1,)](sim.array(out), n, 3)
    assert list(out) == last_index(n, 3)

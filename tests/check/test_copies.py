"""What the checks know of copies by threads (cp.async): when they are done, for whom, and how often they arrive."""

import re

import numpy as np
import pytest
import triton.language as tl
from triton.language.core import builtin
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import checking
from tlx.check.rules import ENGINE_IN_FLIGHT, LAUNCH_FAILED
from tlx.check.static import check_module
from tlx.ir import parse
from tlx.language.copy import arrive_when_copied

N = 64


@builtin
def arrive_then(bar, _semantic=None):
    arrive_when_copied(bar, _semantic)


@tlx.jit
def by_group(x, y, N: tl.constexpr, PENDING: tl.constexpr):
    """y = x; `PENDING` None waits for nothing."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tlx.async_load(x + at, buffer[0])
    tlx.async_load_commit_group()
    if PENDING is not None:
        tlx.async_load_wait_group(PENDING)
    tl.store(y + at, tlx.local_load(buffer[0]))


@tlx.jit
def by_threads(x, y, N: tl.constexpr, COUNT: tl.constexpr, WAIT: tl.constexpr, FENCE: tl.constexpr):
    """y = x: the threads of a task of two warps copy and arrive, the other task sends by TMA."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1, arrive_count=COUNT)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            if WAIT:
                tlx.barrier_wait(full[0], 0)
            if FENCE:
                tlx.fence_async_shared()
            tlx.async_descriptor_store(y, buffer[0], [0, 0])
            tlx.async_descriptor_store_wait(0)
        with tlx.async_task(num_warps=2):
            i = tl.arange(0, N)
            tlx.async_load(x + i[:, None] * N + i[None, :], buffer[0])
            arrive_then(full[0])


def found(kernel, by_tma: bool, **arguments) -> set[str]:
    x, y = np.ones((N, N), np.float32), np.zeros((N, N), np.float32)
    out = TensorDescriptor.from_tensor(sim.array(y), [N, N]) if by_tma else sim.array(y)
    with checking(schedules=3) as checker:
        kernel[(1,)](sim.array(x), out, N, **arguments)
    return {finding.id for finding in checker.findings if finding.severity != "note"}


@pytest.mark.parametrize(("pending", "expected"), [(0, set()), (1, {"TLX-R001", "TLX-R010"})])
def test_groups_waited_for(pending, expected):
    assert found(by_group, False, PENDING=pending) == expected


def test_groups_that_nobody_waits_for():
    assert found(by_group, False, PENDING=None) == {"TLX-R001", "TLX-R010"}


def threads(**faults) -> set[str]:
    return found(by_threads, True, **{"COUNT": 64, "WAIT": True, "FENCE": True} | faults)


def test_threads_that_arrive():
    assert threads() == set()


def test_a_send_without_a_fence():
    assert threads(FENCE=False) == {"TLX-R003"}


def test_a_send_before_the_copies():
    assert "TLX-R001" in threads(WAIT=False)


@pytest.mark.parametrize(("count", "expected"), [(32, {"TLX-R007"}), (128, {"TLX-R008", "TLX-S006"})])
def test_a_count_that_is_not_the_threads(count, expected):
    assert threads(COUNT=count) >= expected


@tlx.jit
def copied_and_sent(x, y, N: tl.constexpr):
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    tlx.async_load(x + i[:, None] * N + i[None, :], buffer[0])
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tlx.async_descriptor_store(y, buffer[0], [0, 0])
    tlx.async_descriptor_store_wait(0)


def test_a_send_of_what_the_task_copied_itself():
    assert found(copied_and_sent, True) == set()
    ttgir = tlx.compile(copied_and_sent, {"x": "*fp32", "y": "tensordesc<fp32[64, 64]>"}, {"N": N}).asm["ttgir"]
    fences = re.compile(r"\n *ttng\.fence_async_shared[^\n]*")
    assert static(ttgir) == set()
    assert static(fences.sub("", ttgir)) == {"TLX-S012"}


def static(ttgir: str) -> set[str]:
    return {finding.id for finding in check_module(parse(ttgir)) if finding.severity != "note"}


@pytest.mark.parametrize("seed", [0, 23, 45])
def test_copies_that_nobody_waits_for_outlive_their_program(seed):
    """The arrival of the threads comes behind the program's end in some schedules: a finding in all of them."""
    x, y = np.ones((N, N), np.float32), np.zeros((N, N), np.float32)
    out = TensorDescriptor.from_tensor(sim.array(y), [N, N])
    with checking(seed=seed, schedules=1) as checker:
        by_threads[(1,)](sim.array(x), out, N, COUNT=64, WAIT=False, FENCE=True, num_warps=4)
    rules = {finding.rule for finding in checker.findings}
    assert ENGINE_IN_FLIGHT in rules and LAUNCH_FAILED not in rules

"""Registers: what tlx computes for the default task is what Triton gives it; what Triton would drop is refused."""

from __future__ import annotations

import pytest
import triton.language as tl

import tlx
from tlx.compiler.budget import register_shares
from tlx.compiler.targets import TARGETS
from tlx.compiler.task_context import KernelState, RegionDemand, TaskDemand
from tlx.errors import RegisterFileExceeded
from tlx.source import Location

from .lowering import find, lower, lowered_late


@tlx.jit
def tasks_of(y, TASKS: tl.constexpr, SECOND: tl.constexpr):
    """A region of up to three tasks besides the default one, (warps, registers) each, and another region if asked."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=TASKS[0][0], registers=TASKS[0][1]):
            tl.store(y, 2)
        if len(TASKS) > 1:
            with tlx.async_task(num_warps=TASKS[1][0], registers=TASKS[1][1]):
                tl.store(y, 3)
        if len(TASKS) > 2:
            with tlx.async_task(num_warps=TASKS[2][0], registers=TASKS[2][1]):
                tl.store(y, 4)
    if SECOND is not None:
        with tlx.async_tasks():
            with tlx.async_task("default"):
                tl.store(y, 1)
            with tlx.async_task(num_warps=SECOND[0], registers=SECOND[1]):
                tl.store(y, 2)


# Warps of the default task, (warps, registers) of the others, the task of a second region, maxnreg.
FITTING = [
    (8, ((4, 256), (4, 192)), None, None),  # with a second region of 16 warps: see OVER
    (4, ((4, 24),), None, None),
    (4, ((4, 160),), None, None),
    (4, ((4, 240), (4, 24)), None, None),
    (4, ((8, 152), (1, 24)), None, None),
    (4, ((1, 24), (4, 240)), None, None),
    (4, ((1, 24), (1, 40), (1, 80)), None, None),
    (4, ((1, 40), (2, 24), (2, 24)), None, None),
    (8, ((1, 24),), None, None),
    (8, ((8, 48), (2, 24)), None, None),
    (16, ((4, 32),), None, None),
    # Four warps of fillers, placed by size too: 2 + 2 fill one group, 1 + 1 + 1 + 1 another.
    (16, ((2, 24), (1, 160), (1, 160)), None, None),
    (16, ((2, 88), (1, 240), (2, 24)), None, None),
    (4, ((4, 80), (1, 24)), None, 64),
    (4, ((4, 96), (1, 24)), None, 48),
    (4, ((4, 128), (4, 24)), None, 104),
    # The larger region decides how many threads the file is shared by, and with how many a thread starts.
    (4, ((4, 200),), (8, 40), None),
    (4, ((4, 24), (4, 24), (4, 24)), (1, 248), None),
]
OVER = [
    (4, ((4, 256), (4, 256)), None, None),
    (4, ((8, 240), (1, 80)), None, None),
    (8, ((8, 256),), None, None),
    (4, ((4, 104), (1, 24)), None, 48),
    (4, ((4, 120),), None, 64),
    (16, ((4, 256), (1, 232)), None, None),
    (8, ((4, 256), (4, 192)), (16, 32), None),
    (8, ((16, 112),), (4, 24), None),
]


def shares(default, tasks, second, maxnreg):
    """What tlx computes, for each region."""
    kernel = KernelState(TARGETS[90], default, maxnreg)
    for region in [tasks, (second,) if second else None]:
        if region:
            kernel.regions.append(RegionDemand(tuple(TaskDemand(*task) for task in region), Location()))
    return [register_shares(kernel, region).left for region in kernel.regions]


def actual(default, tasks, second, maxnreg):
    """What stock `allocate_warp_groups` writes for each region's default task; None where it drops the requests."""
    ttgir = lower(tasks_of, {"y": "*i32"}, {"TASKS": tasks, "SECOND": second}, num_warps=default, maxnreg=maxnreg)
    found = [op.attributes.get("actualRegisters") for op in find(lowered_late(ttgir), "ttg.warp_specialize")]
    return [list(registers)[0] if registers is not None else None for registers in found]


@pytest.mark.parametrize("mix", FITTING, ids=str)
def test_the_default_task_gets_what_is_left(mix):
    assert shares(*mix) == actual(*mix)


@pytest.mark.parametrize("mix", OVER, ids=str)
def test_what_triton_would_drop_is_refused(mix, monkeypatch):
    with pytest.raises(RegisterFileExceeded):
        actual(*mix)
    monkeypatch.setattr("tlx.compiler.codegen.check_registers", lambda kernel: None)
    assert None in actual(*mix)


@tlx.jit
def no_requests(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4, replicate=6):
            tl.store(y, 2)


def test_without_requests_nothing_is_refused():
    assert "requestedRegisters" not in lower(no_requests, {"y": "*i32"})

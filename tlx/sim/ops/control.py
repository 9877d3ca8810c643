"""Control flow: loops, branches, calls, and the fork and join of warp specialization.

These handlers get the step, with its slots and regions, instead of operand values: they run regions in the frame of
the group. A branch between blocks is the interpreter's own (`WarpGroup.run_region`).
"""

from __future__ import annotations

import numpy as np

from ..per_thread import agreed
from .registry import simulates


def flow(*names: str):
    """Registers a control-flow handler `function(group, step)`, a generator function."""

    def register(function):
        function.controls_flow = True
        return simulates(*names)(function)

    return register


def _outcome(step, values):
    return values[0] if len(step.results) == 1 else tuple(values)


@flow("scf.for")
def for_(group, step):
    """Runs the body for lower, lower + step, ... below upper, carrying values."""
    frame = group.frame
    lower, upper, stride, *carried = (frame[slot] for slot in step.operands)
    lower, upper, stride = (agreed(bound, "the bounds of a loop") for bound in (lower, upper, stride))
    (body,) = step.regions
    signed = lower.dtype
    count = np.dtype(f"u{signed}") if "unsigned" in step.op.attributes else signed
    for i in range(*(int(bound.astype(count)) for bound in (lower, upper, stride))):
        carried = yield from group.run_region(body, (count.type(i).astype(signed), *carried))
    return _outcome(step, carried)


@flow("scf.while")
def while_(group, step):
    """Runs `before`; while its condition holds, `after`."""
    frame = group.frame
    before, after = step.regions
    values = [frame[slot] for slot in step.operands]
    while True:
        condition, *values = yield from group.run_region(before, values)
        if not agreed(condition, "the condition of a loop"):
            return _outcome(step, values)
        values = yield from group.run_region(after, values)


@flow("scf.if")
def if_(group, step):
    """Runs one of two regions."""
    (condition,) = (group.frame[slot] for slot in step.operands)
    taken = agreed(condition, "a branch")
    region = step.regions[0] if taken else step.regions[1] if len(step.regions) > 1 else None
    if region is None or region.entry is None:
        return ()
    values = yield from group.run_region(region)
    return _outcome(step, values)


@flow("scf.execute_region")
def execute_region(group, step):
    """Runs a region once."""
    values = yield from group.run_region(step.regions[0])
    return _outcome(step, values)


@flow("tt.call")
def call(group, step):
    """Runs a function in a frame of its own."""
    arguments = tuple(group.frame[slot] for slot in step.operands)
    callee = group.launch.code.functions[step.op.attributes["callee"]]
    shared_base = group.shared_base + step.op.attributes.get("allocation.offset", 0)
    values = yield from group.call(callee, arguments, shared_base)
    return _outcome(step, values)


@flow("ttg.warp_specialize")
def warp_specialize(group, step):
    """Starts a warp group for each partition, runs the default region, and waits for all of them."""
    captures = tuple(group.frame[slot] for slot in step.operands)
    default, *partitions = step.regions
    size = len(group.frame)

    def partition(region):
        def run(own):
            own.frame = [None] * size
            own.shared_base = group.shared_base
            yield from own.run_region(region, captures)

        return run

    cta = group.cta
    started = [
        cta.start_group(region.name, num_warps, partition(region), int(first_warp), fills_up=not region.entry.steps)
        for region, num_warps, first_warp in zip(
            partitions, _warps(step.op), np.atleast_1d(step.op.attributes["warpGroupStartIds"])
        )
    ]
    cta.observer.synchronize([group, *started], step.op)
    values = yield from group.run_region(default)
    group.step_now = step
    yield from cta.join(started, step.op)
    return _outcome(step, values)


def _warps(op) -> tuple[int, ...]:
    return tuple(int(n) for n in np.atleast_1d(op.attributes["num_warps"]))

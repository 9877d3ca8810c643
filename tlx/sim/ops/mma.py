"""Asynchronous matrix multiply-accumulate of a warp group (wgmma)."""

from __future__ import annotations

import numpy as np

from ..agents import Condition
from ..engines import Unfinished
from ..memory import MemDesc
from .dot import TF32, multiply_accumulate
from .registry import simulates


@simulates("ttng.warp_group_dot")
def warp_group_dot(group, op, a, b, c, use_accumulator=True):
    """`a @ b + c`, `a @ b` if `use_accumulator` is false (`wgmma.mma_async`, one commit group).

    The operands in shared memory are read at some moment before a wait retires the MMA. MMAs of a group run in order.
    """
    result = Unfinished()
    before = group.mma.last
    precision = op.attributes.get("inputPrecision", TF32)
    memory = group.cta.memory

    def work(engine):
        while before is not None and not before.done:
            yield Condition(before.finished, "the MMA before")
        left, right = (memory.read(engine, x, op) if isinstance(x, MemDesc) else x for x in (a, b))
        accumulator = c.value if isinstance(c, Unfinished) else c
        if not use_accumulator:
            accumulator = np.zeros_like(accumulator)
        result.value = multiply_accumulate(left, right, accumulator, precision)
        yield None

    if isinstance(a, Unfinished):
        a = yield from a.read(group, op)
    result.engine = group.issue("mma", op, work, group.mma)
    group.mma.commit()
    if op.attributes.get("isAsync", False):
        return result
    yield from group.mma.wait(group, 0)
    return result.value


@simulates("ttng.warp_group_dot_wait")
def warp_group_dot_wait(group, op, *values):
    """Waits until all but the last `pendings` MMAs are complete (`wgmma.wait_group`).

    Returns its operands: those whose MMA is complete may be read from now on.
    """
    yield from group.mma.wait(group, op.attributes["pendings"])
    done = tuple(v.value if isinstance(v, Unfinished) and v.engine.retired else v for v in values)
    return done[0] if len(done) == 1 else done

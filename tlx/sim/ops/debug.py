"""Printing and assertions inside a kernel."""

from __future__ import annotations

import numpy as np

from ..errors import AssertionFailed
from .registry import simulates


def _program(group) -> tuple[int, ...]:
    return tuple(map(int, group.cta.program_id))


@simulates("tt.print")
def device_print(group, op, *values):
    """Prints the operands once per program, not once per thread."""
    shown = [np.vectorize(hex)(v) if op.attributes.get("hex") else v for v in values]
    print(f"pid {_program(group)}{op.attributes['prefix']}", *shown)


@simulates("tt.assert", "cf.assert")
def device_assert(group, op, condition):
    """Fails unless the condition holds everywhere.

    Raises:
        AssertionFailed: with the kernel's message and line.
    """
    if np.all(condition):
        return
    message = op.attributes.get("message") or op.attributes.get("msg") or "device assertion failed"
    failed = np.argwhere(~np.asarray(condition))
    where = f" at {tuple(map(int, failed[0]))}, {len(failed)} of {condition.size} elements" if condition.shape else ""
    raise AssertionFailed(f"{message}{where}, in program {_program(group)}", location=op.location)


@simulates("llvm.intr.assume")
def assume(group, op, condition):
    """A promise to the compiler.

    Raises:
        AssertionFailed: it doesn't hold.
    """
    if not np.all(condition):
        raise AssertionFailed(
            f"tl.assume: the condition is false, in program {_program(group)}",
            hint="the GPU would compute something undefined; correct the assumption or the arguments",
            location=op.location,
        )

"""A last look at the lowered module, for what the stock back end would get wrong without a word."""

from __future__ import annotations

import re

from ..errors import InvalidBuffer, InvalidCopy, UseBeforeWait
from ..source import Location
from .versions import FOLLOWS_SELECTED_VIEWS

__all__ = ["check_lowered", "copy_not_lowered"]

DOT = "ttng.warp_group_dot"
ACCUMULATOR = 2  # its operand
# Waiting completes the MMA; the others hand the value on without touching it.
MAY_TAKE_RUNNING = {"ttng.warp_group_dot_wait", "scf.yield", "scf.for", "scf.while", "scf.condition", "scf.if"}


def check_lowered(module) -> None:
    """Raises UseBeforeWait if a pass left an op between an asynchronous MMA and its wait, and InvalidBuffer if a branch
    between two views of shared memory became a select that this Triton's alias analysis aborts on.

    The front end refuses early uses in the author's code by type; a layout conversion that a pass moves or leaves
    there would read unfinished registers just as silently.
    """
    running = set()

    def visit(op) -> None:
        name = op.get_name()
        if running and name not in MAY_TAKE_RUNNING:
            for index in range(op.get_num_operands()):
                if op.get_operand(index).id() in running and not (name == DOT and index == ACCUMULATOR):
                    raise early_use(op)
        if name == DOT and op.get_bool_attr("isAsync"):
            running.add(op.get_result(0).id())
        if name == "arith.select" and not FOLLOWS_SELECTED_VIEWS and "memdesc" in str(op.get_result(0).get_type()):
            raise selected_view(op)

    module.walk(visit)


def early_use(op) -> UseBeforeWait:
    return UseBeforeWait(
        f"a pass left a {op.get_name()} that reads the result of async_dot before its wait",
        hint="wait with async_dot_wait(0, x) right behind this async_dot",
        location=location_of(op),
    )


def selected_view(op) -> InvalidBuffer:
    return InvalidBuffer(
        "a branch chooses between two views of shared memory, which Triton supports from 3.8 on",
        hint="choose the index, and view the ring once: ring[i if condition else j]",
        location=location_of(op),
    )


def copy_not_lowered(copies: list[Location]) -> InvalidCopy:
    """For a kernel that the stock back end gave up on: it does on copies of fewer than 4 bytes, and says only where."""
    return InvalidCopy(
        "Triton can't lower this kernel, most likely because cp.async would copy single elements of less than 4 bytes: "
        "nothing says that pointers and mask go along in units of 4 bytes",
        hint="pass aligned pointers, and strides and limits that are multiples of 16 (or tl.multiple_of), with the "
        "buffer's last axis contiguous in global memory; else use tl.load and local_store",
        location=copies[0],
    )


def location_of(op) -> Location:
    """Where the op's result was written, as far as MLIR's text says; a call site is left to its callee."""
    if not op.get_num_results():
        return Location()
    match = re.search(r'"([^"]+)":(\d+):(\d+)', str(op.get_result(0).get_loc()))
    return Location(match[1], int(match[2]), int(match[3])) if match else Location()

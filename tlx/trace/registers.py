"""Work in registers between two ops that the simulator reports: it is no event, so it is read from the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..ir.model import Block, Module, Op, TensorType

__all__ = ["RegisterWork", "register_work"]

SPECIAL_COST = 8
"""Operations that one of the special function units takes the time of: 16 results per cycle of an SM beside 128."""

_SPECIAL = ("math.exp", "math.log", "math.sqrt", "math.rsqrt", "math.sin", "math.cos", "math.erf", "arith.divf")
# Names for values that exist already, constants, and control flow.
_FREE = (
    *("arith.constant", "tt.make_range", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"),
    *("ttg.memdesc", "ttg.local_alloc", "ttg.local_dealloc", "tt.return", "tt.reduce.return", "scf.", "cf.", "ub."),
    *("ttg.warp_", "ttng.warp_group_dot_wait", "tt.get_program_id", "builtin."),
)


@dataclass(frozen=True)
class RegisterWork:
    """Work of a warp group.

    Args:
        scalars: operations on one number.
        lanes: operations on elements of tensors, by all threads together.
        flops: of matrix products by `mma.sync`.
    """

    scalars: int = 0
    lanes: int = 0
    flops: int = 0

    def __add__(self, other: RegisterWork) -> RegisterWork:
        return RegisterWork(self.scalars + other.scalars, self.lanes + other.lanes, self.flops + other.flops)


def register_work(module: Module, reported: set[Op]) -> dict[Op, RegisterWork]:
    """The work that each reported op follows: that of its block since the last reported op before it.

    What comes behind the last one of a block belongs to that one; a loop without a reported op counts as one trip.
    """
    work: dict[Op, RegisterWork] = {}
    for function in module.functions.values():
        for region in function.regions:
            for block in region.blocks:
                _divide(block, reported, work)
    return work


def _divide(block: Block, reported: set[Op], work: dict[Op, RegisterWork]) -> RegisterWork:
    """Gives a block's work to its reported ops, and returns what belongs to none."""
    pending, last = RegisterWork(), None
    for op in block.ops:
        inside = [_divide(inner, reported, work) for region in op.regions for inner in region.blocks]
        if op in reported:
            work[op] = work.get(op, RegisterWork()) + pending
            pending, last = RegisterWork(), op
        else:
            pending = sum(inside, pending) if op.name != "tt.reduce" else pending
            pending += _own_work(op)
    if last is None:
        return pending
    work[last] += pending
    return RegisterWork()


def _own_work(op: Op) -> RegisterWork:
    if op.name.startswith(_FREE):
        return RegisterWork()
    if op.name == "tt.dot":
        return RegisterWork(flops=2 * prod(op.result.type.shape) * op.operands[0].type.shape[-1])
    # A reduction reads many elements and gives few.
    values = op.operands if op.name in ("tt.reduce", "tt.scan") else op.results
    elements = sum(prod(value.type.shape) for value in values if isinstance(value.type, TensorType))
    if not elements:
        return RegisterWork(scalars=1)
    return RegisterWork(lanes=elements * (SPECIAL_COST if op.name.startswith(_SPECIAL) else 1))

"""Which ops of a kernel signal which array of barriers, found without running it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..ir.model import Module, Op, Value

__all__ = ["Signals", "signals_of"]

# Operand that is the barrier, counted from the end where the front varies.
_BARRIER_OPERAND = {
    "ttng.arrive_barrier": 0,
    "ttng.barrier_expect": 0,
    "ttng.async_tma_copy_global_to_local": -2,
    "tti.experimental_memdesc_to_i32": 0,  # by its address, from here or from another CTA of the cluster
    "tti.experimental_memdesc_to_i64": 0,
}
_BY_BYTES = frozenset({"ttng.barrier_expect", "ttng.async_tma_copy_global_to_local"})
_VIEWS = frozenset(f"ttg.memdesc_{view}" for view in ("index", "subslice", "trans", "reshape", "reinterpret"))


@dataclass(frozen=True)
class Signals:
    """The ops that signal one array of barriers.

    Args:
        ops: arrivals, announcements of bytes, copies, and what takes the barrier's address.
    """

    ops: tuple[Op, ...] = ()

    @property
    def by_bytes(self) -> bool:
        """Whether a phase needs bytes."""
        return any(op.name in _BY_BYTES for op in self.ops)


def signals_of(module: Module) -> dict[Op, Signals] | None:
    """The signals of every `local_alloc`; None if some barrier can't be followed to its allocation."""
    found: dict[Op, list[Op]] = defaultdict(list)
    for op in module.walk():
        if op.name in _BARRIER_OPERAND:
            allocation = _allocation(op.operands[_BARRIER_OPERAND[op.name]])
            if allocation is None:
                return None
            found[allocation].append(op)
    return {allocation: Signals(tuple(ops)) for allocation, ops in found.items()}


def _allocation(value: Value) -> Op | None:
    """The `local_alloc` that a view comes from."""
    while True:
        owner = value.owner
        if not isinstance(owner, Op):
            op = owner.parent.parent
            if op.name != "ttg.warp_specialize":
                return None
            value = op.operands[value.index]
        elif owner.name in _VIEWS:
            value = owner.operands[0]
        else:
            return owner if owner.name == "ttg.local_alloc" else None

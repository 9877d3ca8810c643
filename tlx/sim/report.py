"""What a simulated launch did, and why one that stands still does so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from ..ir.model import Op
from .errors import BlockedGroup, DeadlockError, LeftoverPhase
from .signals import Signals, signals_of

if TYPE_CHECKING:
    from .barriers import Barrier
    from .cta import CTA
    from .group import WarpGroup
    from .launch import Launch

__all__ = ["Report", "deadlock"]


@dataclass(frozen=True)
class Report:
    """What one launch did, over all CTAs.

    Args:
        kernel: its name.
        grid: programs along x, y, z.
        seed: of the schedule; the last one's if there were several.
        ops: executed ops by name.
        mma_flops: two for each multiply-add of `tt.dot` and `ttng.warp_group_dot`.
        tma_load_bytes, tma_store_bytes: whole boxes, as barriers count them.
        global_read_bytes, global_written_bytes: by pointers and TMA, inside the tensors only.
        leftovers: barriers left inside a phase.
    """

    kernel: str
    grid: tuple[int, int, int]
    seed: int
    ops: Counter[str] = field(default_factory=Counter)
    mma_flops: int = 0
    tma_load_bytes: int = 0
    tma_store_bytes: int = 0
    global_read_bytes: int = 0
    global_written_bytes: int = 0
    leftovers: tuple[LeftoverPhase, ...] = ()

    @property
    def total_ops(self) -> int:
        """All executed ops, each warp group's counted once."""
        return self.ops.total()

    @classmethod
    def of(cls, launch: Launch) -> Report:
        """The report of a launch that has ended."""
        ops: Counter[str] = Counter()
        flops = 0
        for step, count in zip(launch.code.steps, launch.counts):
            if count:
                ops[step.op.name] += count
                flops += count * _mma_flops(step.op)
        return cls(
            kernel=launch.code.kernel.op.attributes["sym_name"],
            grid=tuple(count * size for count, size in zip(launch.clusters, launch.code.cluster)),
            seed=launch.seed,
            ops=ops,
            mma_flops=flops,
            tma_load_bytes=launch.tma_load_bytes,
            tma_store_bytes=launch.tma_store_bytes,
            global_read_bytes=launch.memory.bytes_read,
            global_written_bytes=launch.memory.bytes_written,
            leftovers=tuple(launch.leftovers),
        )


def _mma_flops(op: Op) -> int:
    if op.name not in ("tt.dot", "ttng.warp_group_dot"):
        return 0
    return 2 * prod(op.result.type.shape) * op.operands[0].type.shape[-1]


def deadlock(ctas: list[CTA]) -> DeadlockError:
    """The error that describes the first of the CTAs that stand still, with the others of its cluster."""
    cta = ctas[0]
    groups = [group for cta in cta.cluster.ctas for group in cta.groups if not group.done]
    # A group that only waits for others to end adds nothing, unless it is the only one.
    waiting = [g for g in groups if g.blocked_on.barrier is not None or g.blocked_on.cause is not None] or groups
    blocked = [_describe(group, waiting) for group in waiting]
    others = f" ({len(ctas)} CTAs stand still; this is the first)" if len(ctas) > 1 else ""
    what = f"deadlock in program {cta.program_id}: no warp group can go on and no engine is in flight{others}"
    return DeadlockError(what, blocked, blocked[0].location)


def _describe(group: WarpGroup, blocked: list[WarpGroup]) -> BlockedGroup:
    op = group.step_now.op
    condition = group.blocked_on
    common = {
        "group": group.name,
        "program_id": group.cta.program_id,
        "location": op.location,
        "iteration": group.passed[op],
        "rank": group.cta.rank if group.cta.cluster.size > 1 else None,
    }
    barrier = condition.barrier
    if barrier is None:
        cause = condition.cause() if condition.cause is not None else ""
        return BlockedGroup(**common, waits_for=condition.words, cause=cause)
    return BlockedGroup(
        **common,
        waits_for=_state(barrier, condition.parity),
        barrier=barrier.name,
        slot=barrier.slot,
        parity=condition.parity,
        phases_done=barrier.phases_done,
        arrived=barrier.arrived,
        expected=barrier.count,
        bytes_missing=barrier.bytes_missing,
        cause=_cause(barrier, group, alone=len(blocked) == 1, first=condition.parity == 0 and not group.passed[op]),
    )


def _state(barrier: Barrier, parity: int) -> str:
    phases = f"{barrier.phases_done} phase{'s' if barrier.phases_done != 1 else ''} done"
    text = f"{barrier.full_name}, parity {parity}: {phases}, {barrier.arrived} of {barrier.count} arrivals"
    if barrier.bytes_missing > 0:
        text += f", {barrier.bytes_missing:,} of {barrier.bytes_expected:,} bytes missing"
    if barrier.bytes_missing < 0:
        text += f", {-barrier.bytes_missing:,} bytes landed that nobody expected"
    return text


def _cause(barrier: Barrier, group: WarpGroup, alone: bool, first: bool) -> str:
    """The likely cause.

    Args:
        barrier: in the state that the group waits in.
        group: that waits.
        alone: whether no other group of the CTA is blocked.
        first: whether the group stands in its first wait, for parity 0.
    """
    name = barrier.full_name
    if not barrier.pending:
        return f"more bytes are expected on {name} than copies signal it"
    if barrier.bytes_missing < 0:
        return f"copies signal {name}, but their bytes are never expected (barrier_expect_bytes)"
    if barrier.arrived:
        return (
            f"the arrive count of {name} is {barrier.count}, but only {barrier.arrived} arrival(s) come in a phase: "
            "the count is too high, or an arrival is missing"
        )
    table = signals_of(group.launch.code.module)
    signals = None if table is None else table.get(barrier.allocation, Signals())
    if signals == Signals():
        return f"nothing in the kernel arrives on {barrier.name}"
    if alone:
        return f"no other warp group is left that could arrive on {name}"
    if barrier.phases_done == 0 and first and not (signals and signals.by_bytes):
        return (
            f"nothing has arrived on {name} yet, and who should arrive waits too. If its buffer is free at the start, "
            "the initial phase is wrong: the first wait must use parity 1, which passes at once"
        )
    return f"who should arrive on {name} waits too: see the other groups"

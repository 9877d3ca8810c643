"""What a CTA leaves behind when it ends, and how launches fail."""

from __future__ import annotations

from collections.abc import Iterator

from ..sim import errors
from ..sim.cta import CTA
from ..sim.launch import Launch
from . import rules
from .clocks import Actor
from .findings import Finding
from .words import agent_words, op_words, task_words

__all__ = ["engines_in_flight", "failures", "leftover_phases", "overruns"]

_RULES_OF_ERRORS = (
    (errors.OutOfBounds, rules.OUT_OF_BOUNDS),
    (errors.BufferBoundsError, rules.OUT_OF_BOUNDS),
    (errors.MisalignedAccess, rules.OUT_OF_BOUNDS),
    (errors.NoSuchPeer, rules.OUT_OF_BOUNDS),
    (errors.BarrierMisuse, rules.BARRIER_MISUSE),
    (errors.PeerNotReady, rules.PEER_NOT_READY),
    (errors.DescriptorError, rules.BAD_DESCRIPTOR),
)


def engines_in_flight(unseen: list[Actor]) -> Iterator[Finding]:
    """Operations of engines whose end nobody has waited for, whether or not they happened to be done in time."""
    for actor in unseen:
        agent = agent_words(actor.agent)
        what = f"the kernel ends without a wait for {agent}, which may still use shared memory then"
        if actor.agent.signals is not None:
            what += f" ({actor.agent.signals.full_name} counts it, but nobody waits for that phase)"
        yield Finding(
            rules.ENGINE_IN_FLIGHT,
            what,
            actor.agent.op.location,
            group=task_words(actor.agent),
            hint="wait for every TMA load, TMA store, cp.async and MMA before the kernel ends",
            program_id=actor.agent.cta.program_id,
        )


def leftover_phases(cta: CTA, still_signalled: set) -> Iterator[Finding]:
    """Barriers that a CTA leaves inside a phase.

    Args:
        still_signalled: barriers on which something in flight may land yet; those aren't reported.
    """
    found: dict[str, list[errors.LeftoverPhase]] = {}
    for barrier in cta.barriers:
        if barrier.inside_phase and barrier not in still_signalled:
            found.setdefault(barrier.name, []).append(barrier.leftover())
    for name, left in found.items():
        yield Finding(
            rules.LEFTOVER_PHASE,
            "; ".join(map(str, left)),
            left[0].location,
            buffer=name,
            slot=left[0].slot,
            phase=left[0].phases_done,
            hint="with one more use of the slot this is a deadlock: compare the arrive count with the arrivals",
            program_id=cta.program_id,
        )


def overruns(launch: Launch) -> Iterator[Finding]:
    """TMA stores that wrote behind the ends of rows."""
    for op, nbytes in launch.overruns.items():
        yield Finding(
            rules.ROW_OVERRUN,
            f"{op_words(op)} writes {nbytes:,} B behind the ends of the tensor's rows: the hardware clips at 16 B",
            op.location,
            hint="store through pointers where a row is no multiple of 16 B",
        )


def failures(error: errors.SimulationError) -> list[Finding]:
    """What stopped a launch."""
    if isinstance(error, errors.DeadlockError):
        return [_blocked(group) for group in error.blocked]
    rule = next((rule for kind, rule in _RULES_OF_ERRORS if isinstance(error, kind)), rules.LAUNCH_FAILED)
    return [Finding(rule, error.what, error.location, group=error.agent, hint=error.hint, program_id=error.program_id)]


def _blocked(group: errors.BlockedGroup) -> Finding:
    return Finding(
        rules.DEADLOCK,
        f"{group.who}, iteration {group.iteration}, waits for {group.waits_for}",
        group.location,
        group=group.group,
        buffer=group.barrier or "",
        slot=group.slot,
        phase=group.phases_done if group.barrier else None,
        hint=group.cause,
        program_id=group.program_id,
    )

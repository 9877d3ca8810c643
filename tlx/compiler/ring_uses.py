"""What tasks do to the rings that own their phases, against what the rings declare."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RingOrder, RingTaskMismatch
from .task_context import RingUses

__all__ = ["check_ring_uses"]

BEFORE = {"commit": "acquire", "release": "wait"}
DECLARED_BY = {"acquire": "producers", "release": "consumers"}


def check_ring_uses(tasks: Sequence[RingUses]) -> None:
    """Checks the tasks that run at the same time, each replica for itself.

    Raises RingOrder where one commits or releases what it never acquires or waits for, and RingTaskMismatch where
    another number of them fills or releases a ring than the ring declares.
    """
    for uses in tasks:
        for (ring, op), place in uses.items():
            if op in BEFORE and (ring, BEFORE[op]) not in uses:
                raise RingOrder(
                    f"this task calls {op} on a ring, but never {BEFORE[op]}",
                    hint=f"call {BEFORE[op]} before, or open a block with fill or use",
                    location=place,
                )
    for ring, op in dict.fromkeys(key for uses in tasks for key in uses if key[1] in DECLARED_BY):
        check_count(ring, op, [uses[ring, op] for uses in tasks if (ring, op) in uses])


def check_count(ring, op: str, places: list) -> None:
    """Checks how many tasks do something to a ring; `places` has the line of each."""
    role = DECLARED_BY[op]
    declared, found = getattr(ring, role), len(places)
    if found != declared:
        does = ("fill" if op == "acquire" else "release") + ("s" if found == 1 else "")
        raise RingTaskMismatch(
            f"{found} task{'s' if found > 1 else ''} {does} a ring declared with {role}={declared}; replicas count",
            hint=f"declare {role}={found}, or give the slots to {declared}",
            location=places[-1],
        )

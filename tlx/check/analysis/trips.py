"""Views that an earlier trip of a loop took, as the present trip sees them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from ...ir.model import Op
from .expressions import Linear
from .values import Values
from .views import View

__all__ = ["Access", "behind_loop", "one_trip_later"]

_REMEMBERED = 8
"""Trips after which it isn't told any more which slot an access was to: rings are shorter."""


@dataclass(frozen=True)
class Access:
    """An op's access to a buffer.

    Args:
        op: the op.
        view: the buffer, in terms of the present trips of the loops.
        age: trips since, as far as they matter to the view.
    """

    op: Op
    view: View
    age: int = 0


A = TypeVar("A", bound=Access)


def one_trip_later(values: Values, loop: Op, accesses: Iterable[A]) -> frozenset[A]:
    """The accesses, seen from the next trip."""
    return _seen_from(values, loop, accesses, values.iteration(loop) - 1)


def behind_loop(values: Values, loop: Op, accesses: Iterable[A]) -> frozenset[A]:
    """The accesses of a loop's last trip, seen from behind it."""
    last = values.trips(loop) - 1 if loop.name == "scf.for" else values.atoms.term("last", loop)
    return _seen_from(values, loop, accesses, last)


def _seen_from(values: Values, loop: Op, accesses: Iterable[A], trip: Linear) -> frozenset[A]:
    ((number, _),) = values.iteration(loop).terms
    return frozenset(_moved(values, access, number, trip) for access in accesses)


def _moved(values: Values, access: A, number: Hashable, trip: Linear) -> A:
    view = access.view.with_values(values.atoms, {number: trip})
    if view == access.view:
        return access
    if access.age >= _REMEMBERED:
        view = View(view.root, (values.atoms.term("any slot"),), view.parts)
        return replace(access, view=view)
    return replace(access, view=view, age=access.age + 1)

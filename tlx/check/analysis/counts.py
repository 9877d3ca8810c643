"""How often an op executes, as a polynomial in trip counts and conditions.

A loop of T trips counts as [T > 0] + further, two atoms that are never negative: a polynomial without negative
coefficients is never negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.model import Op, Value
from .expressions import Atom, Linear, constant, factors_of
from .tasks import Step
from .values import Values

__all__ = ["Counter"]


class Counter:
    """Counts executions.

    Args:
        values: the expressions of the module.
    """

    def __init__(self, values: Values):
        self._values = values
        self._atoms = values.atoms

    def executions(self, path: Sequence[Step], predicate: Value | None = None) -> Linear:
        """How often an op at the end of the path executes with its predicate true."""
        count = self._values.of(predicate) if predicate is not None else constant(1)
        for step in reversed(path):
            count = self._through(step, count)
        return count

    def distinct(self, path: Sequence[Step], identity: Sequence[Linear], predicate: Value | None = None) -> Linear:
        """As `executions`, but those that differ in nothing that `identity` says count once."""
        count = self._values.of(predicate) if predicate is not None else constant(1)
        for step in reversed(path):
            repeats = self._repeats(step, identity, count)
            count = self._atoms.product(count, self._entered(step.op)) if repeats else self._through(step, count)
        return count

    def until_repeated(self, path: Sequence[Step], identity: Sequence[Linear]) -> Linear:
        """How many executions differ before a loop around them starts anew with the first."""
        count = constant(1)
        for step in reversed(path):
            if self._repeats(step, identity, count):
                break
            count = self._through(step, count)
        return count

    def _repeats(self, step: Step, identity: Sequence[Linear], count: Linear) -> bool:
        """Whether the step is a loop that makes no difference to what `identity` says."""
        if not self._is_for(step):
            return False
        variables = count.variables.union(*(x.variables for x in identity))
        return self._number(step.op) not in variables

    @staticmethod
    def _is_for(step: Step) -> bool:
        return step.op is not None and step.op.name == "scf.for"

    def _number(self, loop: Op) -> Atom:
        """The atom that numbers the loop's trips."""
        return self._values.iteration(loop).terms[0][0]

    def _entered(self, loop: Op) -> Linear:
        return self._values.holds("gt", self._values.excess(loop))

    def _through(self, step: Step, count: Linear) -> Linear:
        if step.op is None:
            return self._atoms.product(count, self._atoms.term("block", step.block))
        if step.op.name == "scf.if":
            condition = self._values.of(step.op.operands[0])
            return self._atoms.product(count, constant(1) - condition if step.region else condition)
        if self._is_for(step):
            return self._summed(step.op, count)
        if step.op.name == "scf.while":
            return self._atoms.product(count, self._atoms.term("while", step.op))
        return count

    def _summed(self, loop: Op, count: Linear) -> Linear:
        """The sum of a count over the trips of a loop."""
        trips = self._values.trips(loop)
        total = self._atoms.product(constant(count.constant), trips)
        for atom, coefficient in count.terms:
            total += self._sum_of(loop, trips, atom).scaled(coefficient)
        return total

    def _sum_of(self, loop: Op, trips: Linear, atom: Atom) -> Linear:
        number = self._number(loop)
        fixed = [factor for factor in factors_of(atom) if number not in factor.variables]
        varying = [factor for factor in factors_of(atom) if number in factor.variables]
        rest = self._atoms.of_factors(fixed)
        if not varying:
            return self._atoms.product(rest, trips)
        known = self._sum_of_condition(loop, trips, number, varying[0]) if len(varying) == 1 else None
        if known is None:
            bound = {number: self._atoms.term("trip", loop_depth(number))}
            product = self._atoms.substitute(self._atoms.of_factors(varying), bound)
            known = self._atoms.term("total", trips, product)
        return self._atoms.product(rest, known)

    def _sum_of_condition(self, loop: Op, trips: Linear, number: Atom, condition: Atom) -> Linear | None:
        """The trips in which a condition on the trip's number holds, where that is all but one, or one."""
        if condition.kind != "holds":
            return None
        comparison, difference = condition.operands
        first = self._entered(loop)
        if difference.constant == 0 and [atom for atom, _ in difference.terms] == [number]:
            if comparison == "eq":
                return first  # in the first trip
            return trips - first if difference.terms[0][1] > 0 else constant(0)
        unit_step = self._values.of(loop.operands[2]) == constant(1)
        last = self._values.excess(loop) - 1 - Linear(0, ((number, 1),))
        if comparison == "gt" and unit_step and difference == last:
            return trips - first  # in all but the last trip
        return None


def loop_depth(iteration: Atom) -> int:
    """How many loops stand around the one that an iteration atom numbers."""
    return iteration.operands[0]

"""Facts that flow with control through the structured regions of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ...ir.model import Block, Module, Op, Region, Value

__all__ = ["Flow"]

S = TypeVar("S")

_LIMIT = 64
"""Rounds after which a loop's facts must have come to rest; every analysis here has few and small facts."""


class Flow(Generic[S]):
    """A forward analysis; subclasses say what an op does to the facts, which compare by value and are never changed.

    Branches join, loops repeat until their facts rest. Regions of `warp_specialize` start with the facts that hold at
    the op; those of the default region go on behind it.
    """

    def start(self) -> S:
        """The facts where the kernel begins."""
        raise NotImplementedError

    def join(self, a: S, b: S) -> S:
        """What holds where two paths meet."""
        raise NotImplementedError

    def after(self, op: Op, facts: S) -> S:
        """What holds behind an op without regions."""
        raise NotImplementedError

    def assign(self, facts: S, targets: Sequence[Value], sources: Sequence[Value]) -> S:
        """What holds when values are handed on, from a loop's trip to the next for example."""
        return facts

    def next_trip(self, loop: Op, facts: S) -> S:
        """What holds when the trip that held the facts is one ago."""
        return facts

    def left(self, loop: Op, facts: S) -> S:
        """What holds behind a loop when its last trip ended with the facts."""
        return facts

    def at_end(self, op: Op, facts: S) -> None:
        """Looks at the facts where a task ends, at a `return` or `warp_return`."""

    def run(self, module: Module) -> None:
        """Follows the kernel's control."""
        self._region(module.kernel.regions[0], self.start())

    def _region(self, region: Region, facts: S) -> tuple[S, Op | None]:
        """The facts at the end of a region, and its last op."""
        if len(region.blocks) == 1:
            return self._block(region.entry, facts)
        entering: dict[Block, S] = {region.entry: facts}
        pending = [region.entry]
        ends: list[tuple[S, Op]] = []
        while pending:
            block = pending.pop(0)
            out, last = self._block(block, entering[block])
            if not last.successors:
                ends.append((out, last))
            for target, arguments in last.successors:
                passed = self.assign(out, target.arguments, arguments)
                joined = self.join(entering[target], passed) if target in entering else passed
                if target not in entering or joined != entering[target]:
                    entering[target] = joined
                    pending.append(target)
        result, last = ends[0]
        for other, _ in ends[1:]:
            result = self.join(result, other)
        return result, last

    def _block(self, block: Block, facts: S) -> tuple[S, Op | None]:
        op = None
        for op in block.ops:
            facts = self._op(op, facts)
        return facts, op

    def _op(self, op: Op, facts: S) -> S:
        if op.name == "scf.for":
            return self._for(op, facts)
        if op.name == "scf.while":
            return self._while(op, facts)
        if op.name == "scf.if":
            return self._if(op, facts)
        if op.name == "ttg.warp_specialize":
            for region in op.regions[1:]:
                self._region(region, facts)
            return self._region(op.regions[0], facts)[0]
        if op.name in ("tt.return", "ttg.warp_return"):
            self.at_end(op, facts)
            return facts
        return self.after(op, facts)

    def _if(self, op: Op, facts: S) -> S:
        ends = [self._region(region, facts) for region in op.regions if region.blocks]
        outs = [self.assign(out, op.results, last.operands if last else ()) for out, last in ends]
        if len(outs) == 1:
            outs.append(facts)
        return self.join(*outs)

    def _for(self, op: Op, facts: S) -> S:
        body, initial = op.regions[0].entry, op.operands[3 : 3 + len(op.results)]
        entering = self.assign(facts, body.arguments[1:], initial)
        for _ in range(_LIMIT):
            out, last = self._block(body, entering)
            again = self.assign(self.next_trip(op, out), body.arguments[1:], last.operands)
            joined = self.join(entering, again)
            if joined == entering:
                break
            entering = joined
        through = self.assign(self.left(op, out), op.results, last.operands)
        return self.join(self.assign(facts, op.results, initial), through)

    def _while(self, op: Op, facts: S) -> S:
        before, after = (region.entry for region in op.regions)
        entering = self.assign(facts, before.arguments, op.operands)
        for _ in range(_LIMIT):
            tested, condition = self._block(before, entering)
            out, last = self._block(after, self.assign(tested, after.arguments, condition.operands[1:]))
            joined = self.join(entering, self.assign(self.next_trip(op, out), before.arguments, last.operands))
            if joined == entering:
                break
            entering = joined
        return self.left(op, self.assign(tested, op.results, condition.operands[1:]))

"""What every static rule is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ...compiler.targets import Target
from ...ir.model import Module, Op
from ..analysis.barriers import Barriers
from ..analysis.values import Values
from ..findings import Finding, Rule
from .rules import NOT_DECIDED

__all__ = ["Context", "undecided"]


@dataclass
class Context:
    """A kernel to read.

    Args:
        module: late TTGIR.
        target: what it is compiled for.
    """

    module: Module
    target: Target
    values: Values = field(default_factory=Values)

    @cached_property
    def barriers(self) -> Barriers:
        """Its barriers, collected once."""
        return Barriers(self.module, self.values)

    def ops(self, name: str) -> list[Op]:
        """Its ops of that name."""
        return [op for op in self.module.walk() if op.name == name]


def undecided(rule: Rule, reason: str, op: Op, group: str = "", buffer: str = "") -> Finding:
    """The note that a rule isn't decided for an op, and why."""
    message = f"{rule.name} ({rule.id}) is not decided: {reason}"
    return Finding(NOT_DECIDED, message, op.location, group=group, buffer=buffer)

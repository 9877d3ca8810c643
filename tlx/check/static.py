"""Checks that read late TTGIR without running it."""

from __future__ import annotations

from ..compiler.targets import DEFAULT_ARCH, Target, target_for
from ..ir import Module
from .findings import Finding
from .rules_static import CHECKS, Context

__all__ = ["check_module"]


def check_module(module: Module, target: Target | None = None) -> list[Finding]:
    """What reading a kernel shows to be wrong, and notes on what reading it can't decide.

    Args:
        module: TTGIR after the late passes (`tlx.sim.program.lower_late`), which allocate shared memory and registers.
        target: what it is compiled for; by default what the module says.
    """
    context = Context(module, target or _target_of(module))
    found: dict[tuple, Finding] = {}
    for check in CHECKS:
        for finding in check(context):
            found.setdefault((finding.key, finding.message, finding.slot), finding)
    return list(found.values())


def _target_of(module: Module) -> Target:
    """By `ttg.target = "cuda:90"`."""
    name = module.attributes.get("ttg.target", "")
    return target_for(int(name.removeprefix("cuda:")) if name else DEFAULT_ARCH)

"""Comparisons and selection."""

from __future__ import annotations

import numpy as np

from ..pointers import Pointers
from ..values import signed, unsigned
from .registry import simulates

_RELATIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@simulates("arith.cmpi")
def cmpi(group, op, a, b):
    """`predicate`: eq, ne, or a relation of signed (`slt`) or unsigned (`ult`) integers."""
    predicate = op.attributes["predicate"]
    view = unsigned if predicate.startswith("u") else signed
    return _RELATIONS[predicate[-2:]](view(a), view(b))


@simulates("arith.cmpf")
@np.errstate(all="ignore")
def cmpf(group, op, a, b):
    """`predicate`: a relation that is false (`olt`) or true (`ult`) if an operand is NaN; `ord`, `uno`; constants."""
    predicate = op.attributes["predicate"]
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in ("uno", "ord"):
        return unordered if predicate == "uno" else ~unordered
    if predicate in ("true", "false"):
        return np.full_like(unordered, predicate == "true")[()]
    holds = _RELATIONS[predicate[1:]](a, b)
    return holds | unordered if predicate[0] == "u" else holds & ~unordered


@simulates("arith.select")
def select(group, op, condition, a, b):
    """Elements of `a` where the condition holds, else of `b`."""
    if isinstance(a, Pointers):
        argument = a.argument if a.argument is b.argument else None
        return Pointers(np.where(condition, a.addresses, b.addresses)[()], argument)
    return np.where(condition, a, b)[()]

"""Where the program is in the grid, and constants."""

from __future__ import annotations

import numpy as np

from ...ir.model import Attribute, PointerType
from ..pointers import Pointers
from ..values import dtype_of, element_of, full
from .registry import simulates


@simulates("tt.get_program_id")
def get_program_id(group, op):
    """The CTA's index along `axis` of the hardware's grid, i32."""
    return np.int32(group.cta.ctaid[op.attributes["axis"]])


@simulates("tt.get_num_programs")
def get_num_programs(group, op):
    """The size of the hardware's grid along `axis`, i32."""
    return np.int32(group.launch.grid[op.attributes["axis"]])


@simulates("arith.constant")
def constant(group, op):
    """A number, or a tensor of one number or of all that are written out."""
    value = op.attributes["value"]
    return full(op.result.type, value["value"] if isinstance(value, Attribute) else value)


@simulates("tt.make_range")
def make_range(group, op):
    """`start`, `start + 1`, ... up to but without `end`."""
    return np.arange(op.attributes["start"], op.attributes["end"], dtype=dtype_of(op.result.type))


@simulates("ub.poison")
def poison(group, op):
    """An undefined value: here zeros."""
    type = op.result.type
    zeros = full(type, 0)
    return Pointers(zeros) if isinstance(element_of(type), PointerType) else zeros

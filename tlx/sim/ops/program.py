"""Where the program is in the grid, and constants."""

from __future__ import annotations

import numpy as np

from ...ir.model import PointerType
from ..pointers import Pointers
from ..values import dtype_of, element_of, full
from .registry import simulates


def _axis(op) -> int:
    axis = op.attributes["axis"]
    return "xyz".index(axis) if isinstance(axis, str) else axis


@simulates("tt.get_program_id")
def get_program_id(group, op):
    """The program's index along `axis`, i32."""
    return np.int32(group.cta.program_id[_axis(op)])


@simulates("tt.get_num_programs")
def get_num_programs(group, op):
    """The grid's size along `axis`, i32."""
    return np.int32(group.cta.grid[_axis(op)])


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

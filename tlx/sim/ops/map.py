"""A scalar function applied to each element."""

from __future__ import annotations

import numpy as np

from ..values import dtype_of, shape_of
from .registry import simulates


@simulates("tt.map_elementwise")
def map_elementwise(group, op, *values):
    """Calls the region on `pack` elements of each operand at a time, in row-major order.

    The region may branch, so unlike in other ops the elements are visited one after the other.
    """
    pack = op.attributes["pack"]
    columns = [value.reshape(-1, pack) for value in values]
    rows = [
        group.evaluate(op.regions[0], *(element for column in columns for element in column[i]))
        for i in range(len(columns[0]))
    ]
    results = np.array(rows, object).reshape(len(rows), len(op.results), pack)
    typed = [results[:, i].astype(dtype_of(r.type)).reshape(shape_of(r.type)) for i, r in enumerate(op.results)]
    return tuple(typed) if len(typed) > 1 else typed[0]

"""Grouped GEMM in float64: what the kernels are checked against."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["reference"]


def reference(a: Any, b: Any, offsets: Any) -> Any:
    """A[rows of g] @ B[g] in float64 for each group; NaN in rows of no group.

    Args:
        a: [M, K], NumPy array or torch tensor.
        b: [groups, K, N], of the same kind.
        offsets: [groups], the row behind the last one of each group.
    """
    if isinstance(a, np.ndarray):
        a, b, c = a.astype(np.float64), b.astype(np.float64), np.full((len(a), b.shape[2]), np.nan)
    else:
        a, b = a.double(), b.double()
        c = a.new_full((len(a), b.shape[2]), float("nan"))
    start = 0
    for group, stop in enumerate(int(end) for end in offsets):
        c[start:stop] = a[start:stop] @ b[group]
        start = stop
    return c

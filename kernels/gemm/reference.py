"""GEMM in float64: what the kernels are checked against."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["reference"]


def reference(a: Any, b: Any) -> Any:
    """A @ B in float64.

    Args:
        a: [M, K], NumPy array or torch tensor.
        b: [K, N], of the same kind.
    """
    if isinstance(a, np.ndarray):
        return a.astype(np.float64) @ b.astype(np.float64)
    return a.double() @ b.double()

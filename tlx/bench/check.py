"""Is an output right? One measure of error, and poison for what was never written."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

__all__ = ["poison", "relative_error"]


def relative_error(actual: Any, expected: Any) -> float:
    """The relative Frobenius error |actual - expected| / |expected|, computed in float64.

    It is infinite where `actual` has another shape or holds a NaN or an infinity, so that no tolerance lets one pass.
    Where `expected` is all zeros, it is the norm of `actual`.

    Args:
        actual: the output to judge, a NumPy array or torch tensor.
        expected: the reference, of the same kind and shape, finite.

    Raises:
        ValueError: the reference itself is not finite.
    """
    if tuple(actual.shape) != tuple(expected.shape):
        return math.inf
    actual, expected = _float64(actual), _float64(expected)
    difference = _norm(actual - expected)
    scale = _norm(expected)
    if not math.isfinite(scale):
        raise ValueError("relative_error: the reference holds a NaN or an infinity")
    if not math.isfinite(difference):
        return math.inf
    return difference / scale if scale else difference


def poison(array: Any) -> None:
    """Fills a floating-point NumPy array or torch tensor with NaN: an element that nobody writes stays wrong."""
    array[...] = math.nan


def _float64(array: Any) -> Any:
    return array.double() if _is_torch(array) else np.asarray(array).astype(np.float64)


def _norm(array: Any) -> float:
    return float((array * array).sum()) ** 0.5


def _is_torch(array: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)

"""How far outputs are from what they should be."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["difference", "tolerance_for"]

LEAST_TOLERANCE = 2.0**-9  # tf32 products in float32 outputs
PEAK = 8  # one element may be off by this many tolerances, relative to the typical element


def tolerance_for(dtype: str) -> float:
    """The error that rounding to an element type explains: 2^-9 for float16 and float32, 2^-7 for bfloat16."""
    if not _is_float(dtype):
        return 0.0
    return max(LEAST_TOLERANCE, float(ml_dtypes.finfo(getattr(ml_dtypes, dtype, dtype)).eps))


def difference(actual: Any, expected: Any, dtype: str) -> float:
    """The relative error: the greater of that of all elements (Frobenius) and an eighth of that of the worst one.

    Infinite where one is finite and the other not. Integers count one by one: it is the share that differs.

    Args:
        actual, expected: arrays of the same kind and shape.
        dtype: of their elements.
    """
    actual, expected = _plain(actual), _plain(expected)
    if not _is_float(dtype):
        return float((actual != expected).sum()) / max(1, _size(actual))
    actual, expected = _wide(actual), _wide(expected)
    with np.errstate(invalid="ignore"):  # the distance of two infinities
        error = abs(actual - expected)
    same = (actual == expected) | ((actual != actual) & (expected != expected))  # noqa: PLR0124
    error[same] = 0
    worst = float(error.max()) if _size(error) else 0.0
    if not math.isfinite(worst):
        return math.inf
    expected[~_finite(expected)] = 0
    scale = float((expected * expected).sum()) ** 0.5
    total = float((error * error).sum()) ** 0.5
    if not scale:
        return total
    typical = scale / _size(expected) ** 0.5
    peak = float((error / (abs(expected) + typical)).max())
    return max(total / scale, peak / PEAK)


def _is_float(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat"))


def _plain(array: Any) -> Any:
    return array.values if hasattr(array, "values") and isinstance(array.values, np.ndarray) else array


def _wide(array: Any) -> Any:
    return array.astype(np.float64) if isinstance(array, np.ndarray) else array.double()


def _finite(array: Any) -> Any:
    return np.isfinite(array) if isinstance(array, np.ndarray) else array.isfinite()


def _size(array: Any) -> int:
    return array.size if isinstance(array, np.ndarray) else array.numel()

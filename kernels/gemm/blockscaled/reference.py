"""Block-scaled product in float64: what the kernels are checked against."""

from __future__ import annotations

from typing import Any

import numpy as np

from .config import SCALED

__all__ = ["reference"]


def reference(a: Any, b: Any, a_scales: Any, b_scales: Any) -> Any:
    """(A * its scales) @ (B * its scales) in float64.

    Args:
        a: [M, K], NumPy array or torch tensor.
        b: [K, N], of the same kind.
        a_scales: [M, ceil(K / 128)], one for each 128 elements of a row.
        b_scales: [ceil(N / 128), ceil(K / 128)], one for each 128 x 128 block.
    """
    if isinstance(a, np.ndarray):
        a, b, a_scales, b_scales = (x.astype(np.float64) for x in (a, b, a_scales, b_scales))
        k, n = np.arange(a.shape[1]) // SCALED, np.arange(b.shape[1]) // SCALED
    else:
        import torch

        a, b, a_scales, b_scales = (x.double() for x in (a, b, a_scales, b_scales))
        k, n = (torch.arange(size, device=a.device) // SCALED for size in b.shape)
    return (a * a_scales[:, k]) @ (b * b_scales.T[k][:, n])

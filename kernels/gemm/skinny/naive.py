"""Skinny GEMM in plain Triton: split-K in tiles of few rows, the twin of the swapped stream-K product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..splitk.naive import matmul_split_k_naive

if TYPE_CHECKING:
    import torch

__all__ = ["matmul_skinny_naive"]


def matmul_skinny_naive(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Writes A @ B to `out` in tiles of 16, 32 or 64 rows, by `split_k_naive`.

    Args:
        a: [M, K], bf16 or fp16, any strides.
        b: [K, N], of the same type.
        out: [M, N].
    """
    rows = 16 if a.shape[0] <= 16 else 32 if a.shape[0] <= 32 else 64
    return matmul_split_k_naive(a, b, out, (rows, 64, 128))

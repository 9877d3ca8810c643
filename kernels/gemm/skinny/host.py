"""The host entry of the skinny GEMM: C^T = B^T @ A^T by the stream-K kernel: B's columns fill the MMA's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import ArgumentError
from ...launch import device_facts, device_of, shape_text
from ...tma import Extent, path_of
from ..arguments import check_matrices, output, tma_path
from ..splitk.config import StreamKConfig
from ..splitk.host import launch
from .config import default_config

if TYPE_CHECKING:
    import torch

__all__ = ["MAX_ROWS", "matmul_skinny"]

OPERATION = "skinny gemm"
MAX_ROWS = 64


def matmul_skinny(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: StreamKConfig | None = None,
) -> torch.Tensor:
    """C = A @ B for an A of few rows, as in decoding; accumulated in float32, not differentiable.

    What takes time is reading B once. All multiprocessors read equal shares of it; parts of a tile are added in the
    order of K: the same operands give the same bits on every run. Tensors on the CPU are multiplied in the simulator.

    Args:
        a: [M, K], bf16 or fp16, M at most 64; one without contiguous, aligned rows is copied first.
        b: [K, N], of the same type; rows or columns contiguous, as TMA takes them (a linear layer's `weight.T`).
        out: [M, N], any strides, written instead of a new tensor; must not overlap `a` or `b`.
        out_dtype: type of a new C: bf16, fp16 or float32; that of `a` if None.
        config: of C^T: block_m are columns of B, block_n (at least M) rows of A; chosen by shape if None.

    Raises:
        ArgumentError: shapes, types, strides or devices that do not fit, or an `out` whose elements share memory.
    """
    check_matrices(a, b, OPERATION)
    c = output((a.shape[0], b.shape[1]), a, out, out_dtype, OPERATION)
    if a.shape[0] > MAX_ROWS:
        raise ArgumentError(
            f"{OPERATION}: A is {shape_text(a)}, at most {MAX_ROWS} rows", "use tlx_kernels.gemm.matmul"
        )
    if c.numel() == 0:
        return c
    if a.shape[1] == 0:
        return c.zero_()
    with device_of(a, OPERATION):
        config = config or default_config(a.shape[0], shared_limit=device_facts()["max_shared_mem"])
        a = _rows(a)
        launch(b.T, a.T, c.T, tma_path(b.T, OPERATION, "B"), path_of(Extent.of(a.T)), config)
    return c


def _rows(a):
    """A with rows that TMA reads: itself, or a copy whose rows are padded to whole 16 bytes."""
    path = path_of(Extent.of(a))
    if path.tma and not path.transposed:
        return a
    k = a.shape[1]
    copy = a.new_empty((a.shape[0], -(-k // 8) * 8))[:, :k]
    return copy.copy_(a)

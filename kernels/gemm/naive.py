"""GEMM in plain Triton: the twin that the warp-specialized kernel is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from .order import grouped_tile

if TYPE_CHECKING:
    import torch

__all__ = ["gemm_naive", "matmul_naive"]


@triton.jit
def gemm_naive(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """C[M, N] = A[M, K] @ B[K, N], one program for each tile of C, any strides, accumulated in float32."""
    m, n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    # In int64, since index times stride may pass 2**31.
    rows = m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K).to(tl.int64)
    # Rows and columns outside wrap around: what they give is masked at the store, and the loads need no mask for them.
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    a_step = tl.cast(stride_ak, tl.int64) * BLOCK_K
    b_step = tl.cast(stride_bk, tl.int64) * BLOCK_K

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        inside = depth < K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += a_step
        b_ptrs += b_step

    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows < M)[:, None] & (columns < N)[None, :])


def matmul_naive(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Writes A @ B to `out` with `gemm_naive`, in the tiles that Triton's tutorial uses for large products.

    Args:
        a: [M, K], bf16 or fp16, any strides.
        b: [K, N], of the same type.
        out: [M, N].
    """
    (m, k), n = a.shape, b.shape[1]
    tiles = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}
    grid = (triton.cdiv(m, tiles["BLOCK_M"]) * triton.cdiv(n, tiles["BLOCK_N"]),)
    strides = (*a.stride(), *b.stride(), *out.stride())
    # Fusion is Triton's default; 3.9 warns unless the launch says so itself.
    options = {"num_warps": 8, "num_stages": 3, "enable_fp_fusion": True}
    gemm_naive[grid](a, b, out, m, n, k, *strides, **tiles, **options)
    return out

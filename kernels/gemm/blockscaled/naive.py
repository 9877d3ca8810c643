"""Block-scaled fp8 product in plain Triton: the twin that the warp-specialized kernel is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from ..order import grouped_tile

if TYPE_CHECKING:
    import torch

__all__ = ["blockscaled_naive", "matmul_block_scaled_naive"]


@triton.jit
def blockscaled_naive(
    a_ptr,
    b_ptr,
    c_ptr,
    a_scales,
    b_scales,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    stride_sam,
    stride_sak,
    stride_sbn,
    stride_sbk,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """C = (A * its scales) @ (B * its scales), one program for each tile of C, a step for each block of 128 of K."""
    m, n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    # In int64, since index times stride may pass 2**31.
    rows = m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, 128).to(tl.int64)
    # Rows and columns outside wrap around: what they give is masked at the store.
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    a_scale_ptrs = a_scales + rows % M * stride_sam
    b_scale_ptr = b_scales + (n * BLOCK_N // 128).to(tl.int64) * stride_sbn
    a_step = tl.cast(stride_ak, tl.int64) * 128
    b_step = tl.cast(stride_bk, tl.int64) * 128

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, 128)):
        inside = depth < K - step * 128
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        scale = tl.load(a_scale_ptrs) * tl.load(b_scale_ptr)
        acc += tl.dot(a, b) * scale[:, None]
        a_ptrs += a_step
        b_ptrs += b_step
        a_scale_ptrs += stride_sak
        b_scale_ptr += stride_sbk

    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows < M)[:, None] & (columns < N)[None, :])


def matmul_block_scaled_naive(
    a: torch.Tensor, b: torch.Tensor, a_scales: torch.Tensor, b_scales: torch.Tensor, out: torch.Tensor
) -> torch.Tensor:
    """Writes the scaled product to `out` with `blockscaled_naive`.

    Args:
        a: [M, K], float8_e4m3fn.
        b: [K, N], float8_e4m3fn.
        a_scales: [M, ceil(K / 128)], float32.
        b_scales: [ceil(N / 128), ceil(K / 128)], float32.
        out: [M, N].
    """
    (m, k), n = a.shape, b.shape[1]
    tiles = {"BLOCK_M": 128, "BLOCK_N": 128, "GROUP_M": 8}
    grid = (triton.cdiv(m, tiles["BLOCK_M"]) * triton.cdiv(n, tiles["BLOCK_N"]),)
    strides = (*a.stride(), *b.stride(), *out.stride(), *a_scales.stride(), *b_scales.stride())
    # Fusion is Triton's default; 3.9 warns unless the launch says so itself.
    options = {"num_warps": 8, "num_stages": 4, "enable_fp_fusion": True}
    blockscaled_naive[grid](a, b, out, a_scales, b_scales, m, n, k, *strides, **tiles, **options)
    return out

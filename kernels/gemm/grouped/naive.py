"""Grouped GEMM in plain Triton: the twin that the warp-specialized kernel is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from ...launch import device_facts
from ..order import grouped_tile
from .tiles import find_tile, tile_table

if TYPE_CHECKING:
    import torch

__all__ = ["grouped_matmul_naive", "grouped_naive"]


@triton.jit
def grouped_naive(
    a_ptr,
    b_ptr,
    c_ptr,
    ends,
    GROUP_COUNT,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bg,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    GROUPS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """C[rows of g] = A[rows of g] @ B[g], any strides; each program computes every num_programs-th tile."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    end, tiles = tile_table(ends, GROUP_COUNT, M, tiles_n, BLOCK_M, GROUPS)
    depth = tl.arange(0, BLOCK_K).to(tl.int64)
    a_step = tl.cast(stride_ak, tl.int64) * BLOCK_K
    b_step = tl.cast(stride_bk, tl.int64) * BLOCK_K
    for tile in tl.range(tl.program_id(0), tl.max(tiles, 0), tl.num_programs(0)):
        group, inside, start, stop = find_tile(tile, end, tiles)
        tile_m, tile_n = grouped_tile(inside, tl.cdiv(stop - start, BLOCK_M), tiles_n, GROUP_M)
        # In int64, since index times stride may pass 2**31.
        rows = (start + tile_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
        columns = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
        # Rows and columns outside wrap around: what they give is masked at the store.
        a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
        b_ptrs = b_ptr + group.to(tl.int64) * stride_bg
        b_ptrs += depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BLOCK_K)):
            left = depth < K - k * BLOCK_K
            a = tl.load(a_ptrs, mask=left[None, :], other=0.0)
            b = tl.load(b_ptrs, mask=left[:, None], other=0.0)
            acc = tl.dot(a, b, acc)
            a_ptrs += a_step
            b_ptrs += b_step
        c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
        tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows < stop)[:, None] & (columns < N)[None, :])


def grouped_matmul_naive(a: torch.Tensor, b: torch.Tensor, offsets: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Writes the products of all groups to `out` with `grouped_naive`.

    Args:
        a: [M, K], bf16 or fp16, any strides.
        b: [groups, K, N], of the same type, any strides.
        offsets: [groups], int32 or int64: the row behind the last one of each group.
        out: [M, N].
    """
    groups, k, n = b.shape
    tiles = {"BLOCK_M": 64 if a.shape[0] <= 64 * groups else 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}
    strides = (*a.stride(), *b.stride(), *out.stride())
    grid = (device_facts()["multiprocessor_count"],)
    # Fusion is Triton's default; 3.9 warns unless the launch says so itself.
    options = {"num_warps": 8, "num_stages": 3, "enable_fp_fusion": True, "GROUPS": triton.next_power_of_2(groups)}
    grouped_naive[grid](a, b, out, offsets, groups, a.shape[0], n, k, *strides, **tiles, **options)
    return out

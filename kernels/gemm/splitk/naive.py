"""Split-K GEMM in plain Triton: the twin that the stream-K kernel is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from ...launch import device_facts

if TYPE_CHECKING:
    import torch

__all__ = ["matmul_split_k_naive", "split_k_naive", "sum_of_splits"]


@triton.jit
def split_k_naive(
    a_ptr,
    b_ptr,
    parts,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLITS: tl.constexpr,
):
    """parts[s] = A @ B over every SPLITS-th block of K from block s on, in float32, any strides."""
    tile = tl.program_id(0)
    split = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # In int64, since index times stride may pass 2**31.
    rows = (tile // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    columns = (tile % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    depth = (split * BLOCK_K + tl.arange(0, BLOCK_K)).to(tl.int64)
    # Rows and columns outside wrap around: what they give is masked at the store.
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    a_step = tl.cast(stride_ak, tl.int64) * BLOCK_K * SPLITS
    b_step = tl.cast(stride_bk, tl.int64) * BLOCK_K * SPLITS

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLITS)):
        inside = depth < K - k * BLOCK_K * SPLITS
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += a_step
        b_ptrs += b_step
    part = parts + split.to(tl.int64) * M * N + rows[:, None] * N + columns[None, :]
    tl.store(part, acc, mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def sum_of_splits(parts, c_ptr, M, N, stride_cm, stride_cn, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    """C = the sum of all parts, in their order."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    size = tl.cast(M, tl.int64) * N
    total = tl.zeros((BLOCK,), tl.float32)
    for split in tl.static_range(SPLITS):
        total += tl.load(parts + split * size + i, mask=i < size, other=0.0)
    c_ptrs = c_ptr + i // N * stride_cm + i % N * stride_cn
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=i < size)


def matmul_split_k_naive(
    a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, tile: tuple[int, int, int] = (128, 128, 64)
) -> torch.Tensor:
    """Writes A @ B to `out` by `split_k_naive` and `sum_of_splits`, in as many splits as fill the device.

    Args:
        a: [M, K], bf16 or fp16, any strides.
        b: [K, N], of the same type.
        out: [M, N].
        tile: rows, columns and depth of a tile.
    """
    import torch

    (m, k), n = a.shape, b.shape[1]
    block_m, block_n, block_k = tile
    tiles = triton.cdiv(m, block_m) * triton.cdiv(n, block_n)
    splits = max(1, min(device_facts()["multiprocessor_count"] // tiles, triton.cdiv(k, 4 * block_k)))
    parts = torch.empty((splits, m, n), dtype=torch.float32, device=a.device)
    # Fusion is Triton's default; 3.9 warns unless the launch says so itself.
    options = {"num_warps": 4 if block_m * block_n <= 128 * 64 else 8, "num_stages": 4, "enable_fp_fusion": True}
    blocks = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "SPLITS": splits}
    split_k_naive[(tiles, splits)](a, b, parts, m, n, k, *a.stride(), *b.stride(), **blocks, **options)
    grid = (triton.cdiv(m * n, 1024),)
    sum_of_splits[grid](parts, out, m, n, *out.stride(), SPLITS=splits, BLOCK=1024, enable_fp_fusion=True)
    return out

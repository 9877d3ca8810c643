"""GEMM for operands that TMA cannot reach: plain Triton, each operand through TMA or through pointers.

The warp-specialized kernel has no producer that gathers through pointers, so a product with such an A or B runs here.
"""

import triton
import triton.language as tl

from .order import grouped_tile


@triton.jit
def load_tile(
    source,
    row,
    column,
    rows,
    columns,
    stride_row,
    stride_column,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    TMA: tl.constexpr,
    TRANS: tl.constexpr,
):
    """The ROWS x COLUMNS tile at (row, column) of a rows x columns operand, zero outside it."""
    if TMA:
        if TRANS:
            tile = source.load([column, row]).T
        else:
            tile = source.load([row, column])
    else:
        i = tl.cast(row, tl.int64) + tl.arange(0, ROWS)
        j = tl.cast(column, tl.int64) + tl.arange(0, COLUMNS)
        pointers = source + i[:, None] * stride_row + j[None, :] * stride_column
        tile = tl.load(pointers, mask=(i < rows)[:, None] & (j < columns)[None, :], other=0.0)
    return tile


@triton.jit
def gemm_mixed(
    a,
    b,
    c,
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
    A_TMA: tl.constexpr,
    A_TRANS: tl.constexpr,
    B_TMA: tl.constexpr,
    B_TRANS: tl.constexpr,
    C_TMA: tl.constexpr,
):
    """C[M, N] = A[M, K] @ B[K, N]. Each of a, b, c is a descriptor where its *_TMA is set, else a pointer.

    The descriptor of an operand with *_TRANS is over its transpose.
    """
    m, n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        k = step * BLOCK_K
        a_tile = load_tile(a, m * BLOCK_M, k, M, K, stride_am, stride_ak, BLOCK_M, BLOCK_K, A_TMA, A_TRANS)
        b_tile = load_tile(b, k, n * BLOCK_N, K, N, stride_bk, stride_bn, BLOCK_K, BLOCK_N, B_TMA, B_TRANS)
        acc = tl.dot(a_tile, b_tile, acc)
    if C_TMA:
        c.store([m * BLOCK_M, n * BLOCK_N], acc.to(c.dtype))
    else:
        i = tl.cast(m, tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
        j = tl.cast(n, tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
        pointers = c + i[:, None] * stride_cm + j[None, :] * stride_cn
        tl.store(pointers, acc.to(c.dtype.element_ty), mask=(i < M)[:, None] & (j < N)[None, :])

"""Stores of a tile through pointers, where TMA cannot or must not write."""

import triton
import triton.language as tl


@triton.jit
def store_tile(c, values, i, j, rows, columns, stride_row, stride_column):
    """Stores a tile at rows i and columns j of C, but for what lies behind `rows` and `columns`; in C's type."""
    # 64 bits: an output may have more than 2^31 elements.
    offsets = i[:, None].to(tl.int64) * stride_row + j[None, :].to(tl.int64) * stride_column
    tl.store(c + offsets, values.to(c.dtype.element_ty), mask=(i < rows)[:, None] & (j < columns)[None, :])

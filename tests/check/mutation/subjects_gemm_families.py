"""The grouped, stream-K and block-scaled GEMMs on small whole numbers.

Programs have several tiles and `2 * stages + 1` K steps in each, so that every ring goes round twice and on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.language.case import TMA, Case, integers, output
from tlx_kernels.gemm.blockscaled.ws import blockscaled_ws
from tlx_kernels.gemm.grouped.ws import grouped_ws
from tlx_kernels.gemm.splitk.ws import streamk_ws

STAGES = 2
TILE_N = 16
BLOCK_K = 16
STEPS = 2 * STAGES + 1


@dataclass(frozen=True)
class Stored(Case):
    """A case whose `c_blocks` is a descriptor, with these blocks, of its `c`."""

    def bind(self, to_tensor) -> tuple[dict[str, Any], dict[str, Any]]:
        arguments, tensors = super().bind(to_tensor)
        if arguments["c_blocks"] is not None:
            arguments["c_blocks"] = TensorDescriptor.from_tensor(tensors["c"], list(arguments["c_blocks"]))
        return arguments, tensors


def grouped(name: str, sizes: list[int], *, consumers: int, c_tma: bool, trans: bool = False) -> Case:
    """Groups of these sizes; rows are filled up to a multiple of 8, as a transposed A needs it."""
    rows = 64
    m, n, k = -(-sum(sizes) // 8) * 8, TILE_N, BLOCK_K * STEPS
    a, b = integers(m, k, dtype=np.float16), integers(len(sizes), k, n, dtype=np.float16)
    c = output(m, n, dtype=np.float16)
    ends = np.cumsum(sizes).astype(np.int32)
    expected = c.copy()
    for group, (end, size) in enumerate(zip(ends, sizes)):
        expected[end - size : end] = a[end - size : end].astype(np.float32) @ b[group]
    arguments = {
        "a": TMA(np.ascontiguousarray(a.T), (BLOCK_K, rows)) if trans else TMA(a, (rows, BLOCK_K)),
        "b": TMA(np.ascontiguousarray(b.swapaxes(1, 2)), (1, n, BLOCK_K)) if trans else TMA(b, (1, BLOCK_K, n)),
        **{"c": c, "c_blocks": (rows, n) if c_tma else None, "ends": ends, "GROUP_COUNT": len(sizes)},
        **{"M": m, "N": n, "K": k, "stride_cm": n, "stride_cn": 1, "GROUPS": 4},
        **{"BLOCK_M": rows * consumers, "BLOCK_N": n, "BLOCK_K": BLOCK_K, "STAGES": STAGES, "CONSUMERS": consumers},
        **{"GROUP_M": 8, "A_TRANS": trans, "B_TRANS": trans, "C_TMA": c_tma},
    }
    return Stored(name, grouped_ws, arguments, {"c": expected}, grid=2)


def streamk(name: str, *, programs: int, consumers: int, n: int = TILE_N, trans: bool = False) -> Case:
    """Two tiles, one below the other."""
    rows = 64
    m, k = 2 * rows * consumers - 3, BLOCK_K * STEPS
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16)
    arguments = {
        "a": TMA(a, (rows, BLOCK_K)),
        "b": TMA(np.ascontiguousarray(b.T), (n, BLOCK_K)) if trans else TMA(b, (BLOCK_K, n)),
        "c": output(m, n, dtype=np.float16),
        "parts": np.full(2 * programs * rows * consumers * n, np.nan, np.float32),
        "arrived": np.zeros(2 * consumers, np.int32),
        **{"M": m, "N": n, "K": k, "stride_cm": n, "stride_cn": 1},
        **{"BLOCK_M": rows * consumers, "BLOCK_N": n, "BLOCK_K": BLOCK_K, "STAGES": STAGES, "CONSUMERS": consumers},
        **{"A_TRANS": False, "B_TRANS": trans},
    }
    expected = {"c": (a.astype(np.float32) @ b).astype(np.float16), "arrived": np.zeros(2 * consumers, np.int32)}
    return Case(name, streamk_ws, arguments, expected, grid=programs)


def blockscaled(name: str, *, consumers: int, c_tma: bool) -> Case:
    """Two tiles, one below the other, with scales that are powers of two."""
    rows, depth = 64, 128
    m, n, k = 2 * rows * consumers, TILE_N, depth * STEPS
    a, b = (integers(size, k, low=-1, high=2, dtype=ml_dtypes.float8_e4m3fn) for size in (m, n))
    a_scales = np.exp2(integers(m, STEPS, low=-1, high=2)).astype(np.float32)
    b_scales = np.exp2(integers(1, STEPS, low=-1, high=2)).astype(np.float32)
    c = output(m, n)
    scaled = a.astype(np.float32) * a_scales.repeat(depth, 1), b.astype(np.float32) * b_scales.repeat(depth, 1)
    arguments = {
        **{"a": TMA(a, (rows, depth)), "b": TMA(b, (n, depth))},
        **{"c": TMA(c, (rows, n)) if c_tma else c, "a_scales": a_scales, "b_scales": b_scales},
        **{"M": m, "N": n, "K": k, "stride_cm": n, "stride_cn": 1},
        **{"stride_am": STEPS, "stride_ak": 1, "stride_bn": STEPS, "stride_bk": 1},
        **{"BLOCK_M": rows * consumers, "BLOCK_N": n, "STAGES": STAGES, "CONSUMERS": consumers, "GROUP_M": 8},
        "C_TMA": c_tma,
    }
    return Case(name, blockscaled_ws, arguments, {"c": scaled[0] @ scaled[1].T})


SUBJECTS = [
    grouped("gemm grouped_ws, 2 consumers, C by TMA", [0, 130, 0, 128], consumers=2, c_tma=True),
    grouped("gemm grouped_ws, 1 consumer, C by pointers, turned", [70, 3], consumers=1, c_tma=False, trans=True),
    streamk("gemm streamk_ws, 2 consumers, parts of 3 programs", programs=3, consumers=2),
    streamk("gemm streamk_ws, 1 consumer, 8 columns", programs=3, consumers=1, n=8, trans=True),
    blockscaled("gemm blockscaled_ws, 2 consumers, C by TMA", consumers=2, c_tma=True),
    blockscaled("gemm blockscaled_ws, 1 consumer, C by pointers", consumers=1, c_tma=False),
]

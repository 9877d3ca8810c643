"""The kernels that are mutated: the library's in its variants, and small ones with other kinds of synchronization.

Inputs have two tiles for a program and `2 * stages + 1` K steps, so that every ring goes round twice and on.
"""

from __future__ import annotations

import numpy as np

from tests.check.mutation import subjects_gemm_families
from tests.language import aliases, bulk_copies, clusters, descriptors, reductions, ring_copies, rings, threads
from tests.language.case import TMA, Case, integers, output
from tlx_kernels.gemm.mixed import gemm_mixed
from tlx_kernels.gemm.ws import gemm_ws

STAGES = 2
TILE_N = 16
BLOCK_K = 16


def gemm(name: str, *, consumers: int, c_tma: bool, a_trans: bool = False, b_trans: bool = False) -> Case:
    """The GEMM on two tiles, one below the other."""
    rows = 64
    m, n, k = 2 * rows * consumers, TILE_N, BLOCK_K * (2 * STAGES + 1)
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16)
    a_block, b_block = (rows, BLOCK_K), (BLOCK_K, n)
    c = output(m, n, dtype=np.float16)
    arguments = {
        "a": TMA(np.ascontiguousarray(a.T), a_block[::-1]) if a_trans else TMA(a, a_block),
        "b": TMA(np.ascontiguousarray(b.T), b_block[::-1]) if b_trans else TMA(b, b_block),
        "c": TMA(c, (rows, n)) if c_tma else c,
        **{"M": m, "N": n, "K": k, "stride_cm": n, "stride_cn": 1},
        **{"BLOCK_M": rows * consumers, "BLOCK_N": n, "BLOCK_K": BLOCK_K, "STAGES": STAGES, "CONSUMERS": consumers},
        **{"GROUP_M": 8, "A_TRANS": a_trans, "B_TRANS": b_trans, "C_TMA": c_tma},
    }
    return Case(name, gemm_ws, arguments, {"c": (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)})


def mixed(name: str, *, tma: bool) -> Case:
    """The plain-Triton product that Triton pipelines: through TMA, or through pointers by cp.async."""
    m, n, k = 128, 64, BLOCK_K * 2 * (2 * STAGES + 1)
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16)
    c = output(m, n, dtype=np.float16)
    arguments = {
        "a": TMA(a, (64, 2 * BLOCK_K)) if tma else a,
        "b": TMA(b, (2 * BLOCK_K, n)) if tma else b,
        "c": TMA(c, (64, n)) if tma else c,
        **{"M": m, "N": n, "K": k, "stride_am": k, "stride_ak": 1, "stride_bk": n, "stride_bn": 1, "stride_cm": n},
        **{"stride_cn": 1, "BLOCK_M": 64, "BLOCK_N": n, "BLOCK_K": 2 * BLOCK_K, "GROUP_M": 8},
        **{"A_TMA": tma, "A_TRANS": False, "B_TMA": tma, "B_TRANS": False, "C_TMA": tma},
    }
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    return Case(name, gemm_mixed, arguments, {"c": expected}, grid=2, options={"num_stages": 3, "num_warps": 4})


def language_case(module, name: str) -> Case:
    """The case of that name."""
    (case,) = [case for case in module.CASES if case.name == name]
    return case


SUBJECTS = [
    gemm("gemm_ws, 2 consumers, C by TMA", consumers=2, c_tma=True),
    gemm("gemm_ws, 1 consumer, C by pointers", consumers=1, c_tma=False),
    gemm("gemm_ws, 1 consumer, C by TMA, A and B transposed", consumers=1, c_tma=True, a_trans=True, b_trans=True),
    *subjects_gemm_families.SUBJECTS,
    mixed("gemm_mixed by TMA", tma=True),
    mixed("gemm_mixed by cp.async", tma=False),
    language_case(rings, "3 slots, 7 trips"),
    language_case(rings, "from task to task"),
    language_case(rings, "a barrier counts the arrivals of two tasks"),
    language_case(rings, "one arrive counts twice"),
    language_case(threads, "named barriers"),
    language_case(bulk_copies, "5 bulk copies through 2 stages"),
    language_case(bulk_copies, "a bulk copy of half a buffer, doubled and sent"),
    language_case(reductions, "add of float32 by TMA, reduced"),
    language_case(descriptors, "descriptors made by a task and used by another"),
    language_case(ring_copies, "ring of 2 for 1, 5 trips, copied by 1 warps up to 32"),
    language_case(ring_copies, "copied, then stored by TMA: 2 stages, 5 fills"),
    language_case(ring_copies, "4 products of what 4 warps copied"),
    language_case(aliases, "a result over its input, in tasks"),
    language_case(clusters, "exchanged by stores, float32 32x64 in 4 warps"),
    language_case(clusters, "exchanged asynchronously, float32 32x64 in 4 warps"),
    language_case(clusters, "exchanged by a bulk copy, float32 32x64 in 4 warps"),
    language_case(clusters, "5 tiles swapped by tasks of 1 warps"),
    language_case(clusters, "cluster barriers in tasks"),
    language_case(clusters, "multicast in clusters of (2, 1, 1)"),
    language_case(clusters, "multicast GEMM of 2 tiles, K = 192, N = 64, loaded by 1 warps"),
]

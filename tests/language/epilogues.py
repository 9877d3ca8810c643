"""How an MMA's result leaves: a descriptor's store takes it as the tensor cores left it."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output


@tlx.jit
def halves(a, b, y, N: tl.constexpr):
    """y = a @ b, stored as two halves of N / 2 columns."""
    a_tile = tlx.local_alloc((64, 16), tl.float16, 1)
    b_tile = tlx.local_alloc((16, N), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], 2 * 16 * (64 + N))
    tlx.async_descriptor_load(a, a_tile[0], [0, 0], full[0])
    tlx.async_descriptor_load(b, b_tile[0], [0, 0], full[0])
    tlx.barrier_wait(full[0], 0)
    acc = tlx.async_dot_wait(0, tlx.async_dot(a_tile[0], b_tile[0]))
    left, right = tl.split(tl.permute(tl.reshape(acc, (64, 2, N // 2)), (0, 2, 1)))
    y.store([0, 0], left)
    y.store([0, N // 2], right)


N = 64
a, b = integers(64, 16, dtype=np.float16), integers(16, N, dtype=np.float16)
CASES = [
    Case(
        "a descriptor's store of an MMA's result converts no layout",
        halves,
        {"a": TMA(a, (64, 16)), "b": TMA(b, (16, N)), "y": TMA(output(64, N, dtype=np.float16), (64, N // 2)), "N": N},
        {"y": (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)},
        ttgir={"ttg.convert_layout": 0, "async_tma_copy_local_to_global": 2},
        ptx={"stmatrix": 4, "ldmatrix": 0},
    ),
]

"""`tl.dot`, the synchronous product, in tasks of every size."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output
from .mma import load_tile, store_tile


@tlx.jit
def dot_in_a_task(x, w, y, D: tl.constexpr, WARPS: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=WARPS):
            store_tile(y, tl.dot(load_tile(x, D, D), load_tile(w, D, D)), D, D)


@tlx.jit
def dot_loop(x, w, y, n, D: tl.constexpr, STAGES: tl.constexpr):
    """A loop that the stock pipeliner may pipeline, in the default task and in a worker."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((D, D), tl.float32)
            for t in tl.range(0, n, num_stages=STAGES):
                acc = tl.dot(load_tile(x + t * D * D, D, D), load_tile(w + t * D * D, D, D), acc)
            store_tile(y, acc, D, D)
        with tlx.async_task(num_warps=4):
            acc = tl.zeros((D, D), tl.float32)
            for t in tl.range(0, n, num_stages=STAGES):
                acc += tl.dot(load_tile(w + t * D * D, D, D), load_tile(x + t * D * D, D, D))
            store_tile(y + D * D, acc, D, D)


X, W = integers(64, 64, dtype=np.float16), integers(64, 64, low=-2, dtype=np.float16)
XS, WS = (integers(3, 64, 64, low=low, dtype=np.float16) for low in (-3, -2))


def products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("tij,tjk->ik", left.astype(np.float32), right.astype(np.float32))


CASES = [
    Case(
        f"tl.dot in a task of {warps} warps",
        dot_in_a_task,
        {"x": X, "w": W, "y": output(64, 64), "D": 64, "WARPS": warps},
        {"y": X.astype(np.float32) @ W.astype(np.float32)},
        # Whole warp groups get wgmma, smaller tasks mma.sync.
        ttgir={"ttng.warp_group_dot ": int(warps >= 4), "tt.dot ": int(warps < 4)},
    )
    for warps in (1, 2, 4, 8)
] + [
    Case(
        f"a loop over tl.dot, num_stages={stages}",
        dot_loop,
        {"x": XS, "w": WS, "y": output(128, 64), "n": 3, "D": 64, "STAGES": stages},
        {"y": np.concatenate([products(XS, WS), products(WS, XS)])},
    )
    for stages in (1, 2, 3)
]

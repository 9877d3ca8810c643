"""Elements of a buffer by index, in tasks of different sizes."""

import numpy as np
import triton.language as tl

import tlx
from tlx.compiler.versions import HAS_LOCAL_GATHER

from .case import Case, integers, output


@tlx.jit
def permuted(x, indices, y, z, N: tl.constexpr, axis: tl.constexpr):
    """y gathers from x, z scatters what y has to where it came from, doubled."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 2)
    full = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            at = i[:, None] * N + i[None, :]
            tlx.local_store(buffer[0], tl.load(x + at))
            tlx.barrier_arrive(full[0])
            tlx.barrier_wait(full[1], 0)
            tl.store(z + at, tlx.local_load(buffer[1]))
        with tlx.async_task(num_warps=2):
            i = tl.arange(0, N)
            at = i[:, None] * N + i[None, :]
            chosen = tl.load(indices + at)
            tlx.barrier_wait(full[0], 0)
            found = tlx.local_gather(buffer[0], chosen, axis)
            tl.store(y + at, found)
            tlx.local_scatter(buffer[1], found * 2, chosen, axis)
            tlx.barrier_arrive(full[1])


@tlx.jit
def few(x, y, N: tl.constexpr, COUNT: tl.constexpr):
    """Fewer indices than elements, some of them equal."""
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    tlx.local_store(buffer[0], tl.load(x + tl.arange(0, N)))
    i = tl.arange(0, COUNT)
    tl.store(y + i, tlx.local_gather(buffer[0], (i // 2) * 3, 0))


def permuted_case(axis: int) -> Case:
    x = integers(32, 32, dtype=np.float16)
    indices = np.argsort(np.random.default_rng(0).random((32, 32)), axis=axis).astype(np.int32)
    results = {name: output(32, 32, dtype=np.float16) for name in "yz"}
    return Case(
        f"gathered and scattered along axis {axis}",
        permuted,
        {"x": x, "indices": indices, **results, "N": 32, "axis": axis},
        {"y": np.take_along_axis(x, indices, axis), "z": x * 2},
        ttgir={"ttg.local_gather": 1, "ttg.local_scatter": 1, "ttng.fence_async_shared": 2},
    )


VECTOR = integers(64)
CASES = [
    permuted_case(0),
    permuted_case(1),
    Case(
        "a gather of a few",
        few,
        {"x": VECTOR, "y": output(32), "N": 64, "COUNT": 32},
        {"y": VECTOR[np.arange(32) // 2 * 3]},
    ),
]
if not HAS_LOCAL_GATHER:
    CASES = []

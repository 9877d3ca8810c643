"""Other shapes and element types of the same bytes."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output


@tlx.jit
def reshaped(x, y, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, B: tl.constexpr):
    """Loaded by TMA as one shape, read as another."""
    buffer = tlx.local_alloc((M, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], M * N * 2)
    tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0])
    tlx.barrier_wait(full[0], 0)
    i, j = tl.arange(0, A), tl.arange(0, B)
    tl.store(y + i[:, None] * B + j[None, :], tlx.local_load(tlx.local_reshape(buffer[0], (A, B))))


@tlx.jit
def reinterpreted(x, y, z, N: tl.constexpr):
    """A ring of floats read as integers; a slot of them as twice as many halves, written and read as such."""
    ring = tlx.local_alloc((N, N), tl.float32, 2)
    i, j = tl.arange(0, N), tl.arange(0, 2 * N)
    at = i[:, None] * N + i[None, :]
    tlx.local_store(ring[1], tl.load(x + at))
    tl.store(y + at, tlx.local_load(tlx.local_reinterpret(ring, tl.int32)[1]))
    halves = tlx.local_reinterpret(ring[0], tl.float16, (N, 2 * N))
    wide = i[:, None] * 2 * N + j[None, :]
    tlx.local_store(halves, tl.load(z + wide) * 2)
    tl.store(z + wide, tlx.local_load(halves))


X = integers(32, 32)
HALVES = integers(32, 64, dtype=np.float16)


def reshaped_case(shape: tuple[int, int], other: tuple[int, int]) -> Case:
    x = np.arange(shape[0] * shape[1], dtype=np.float16).reshape(shape) % 1021
    sizes = dict(zip("MNAB", (*shape, *other)))
    return Case(
        f"{shape} seen as {other}",
        reshaped,
        {"x": TMA(x, shape), "y": output(*other, dtype=np.float16), **sizes},
        {"y": x.reshape(other)},
        ttgir={"ttg.memdesc_reshape": 1},
    )


CASES = [
    reshaped_case((64, 64), (128, 32)),
    reshaped_case((64, 64), (16, 256)),
    reshaped_case((16, 128), (32, 64)),
    Case(
        "other element types",
        reinterpreted,
        {"x": X, "y": output(32, 32, dtype=np.int32), "z": HALVES, "N": 32},
        {"y": X.view(np.int32), "z": HALVES * 2},
        ttgir={"ttg.memdesc_reinterpret": 2},
    ),
]

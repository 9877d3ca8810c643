"""Descriptors that kernels make."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output


@tlx.jit
def made_and_used(x, y, M, N, B: tl.constexpr):
    """A task makes both descriptors; the other one gets its own through memory, after a barrier."""
    places = tlx.allocate_tensor_descriptor(2)
    buffer = tlx.local_alloc((B, B), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    made = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(made[0], 0)
            target = tlx.reinterpret_tensor_descriptor(places[1], [B, B], tlx.dtype_of(y))
            tlx.barrier_wait(full[0], 0)
            tlx.async_descriptor_store(target, buffer[0], [B, 0])
            tlx.async_descriptor_store_wait(0)
        with tlx.async_task(num_warps=1):
            tlx.make_tensor_descriptor(places[1], y, [M, N], [N, 1], [B, B])
            tlx.barrier_arrive(made[0])
            source = tlx.make_tensor_descriptor(places[0], x, [M, N], [N, 1], [B, B])
            tlx.barrier_expect_bytes(full[0], B * B * tlx.size_of(tlx.dtype_of(x)))
            tlx.async_descriptor_load(source, buffer[0], [0, B], full[0])


@tlx.jit
def one_for_each(x, y, N: tl.constexpr, COUNT: tl.constexpr):
    """A descriptor for each of several vectors, made in a loop and read in another."""
    places = tlx.allocate_tensor_descriptor(COUNT)
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    for t in tl.range(0, COUNT):
        tlx.make_tensor_descriptor(places[t], x + t * N, [N - 4], [1], [N])
    for t in tl.range(0, COUNT):
        desc = tlx.reinterpret_tensor_descriptor(places[t], [N], tlx.dtype_of(x))
        tlx.barrier_expect_bytes(full[0], N * 4)
        tlx.async_descriptor_load(desc, buffer[0], [0], full[0])
        tlx.barrier_wait(full[0], t & 1)
        tl.store(y + t * N + tl.arange(0, N), tlx.local_load(buffer[0]))


@tlx.jit
def in_own_scratch(x, y, M, N, B: tl.constexpr):
    """Without a place; NaN outside."""
    source = tlx.make_tensor_descriptor(None, x, [M, N], [N, 1], [B, B], padding_option="nan")
    i = tl.arange(0, B)
    tl.store(y + i[:, None] * B + i[None, :], source.load([B, B]))


@tlx.jit
def padded_with_nan(x, y, M, N, B: tl.constexpr):
    places = tlx.allocate_tensor_descriptor(1)
    source = tlx.make_tensor_descriptor(places, x, [M, N], [N, 1], [B, B], padding_option="nan")
    i = tl.arange(0, B)
    tl.store(y + i[:, None] * B + i[None, :], source.load([B, B]))


X = integers(64, 64, dtype=np.float16)
VECTORS = integers(4, 64)
CORNER = np.full((32, 32), np.nan, np.float32)
CORNER[:16] = integers(48, 64)[32:, 32:]


def moved() -> np.ndarray:
    found = output(64, 64, dtype=np.float16)
    found[32:, :32] = X[:32, 32:]
    return found


CASES = [
    Case(
        "descriptors made by a task and used by another",
        made_and_used,
        {"x": X, "y": output(64, 64, dtype=np.float16), "M": 64, "N": 64, "B": 32},
        {"y": moved()},
        ttgir={"ttg.global_scratch_alloc": 1, "ttng.tensormap_create": 2, "ttng.tensormap_fenceproxy_acquire": 3},
    ),
    Case(
        "a descriptor for each of several vectors",
        one_for_each,
        {"x": VECTORS, "y": output(4, 64), "N": 64, "COUNT": 4},
        {"y": np.where(np.arange(64) < 60, VECTORS, 0)},
        ttgir={"nbytes = 512": 1},
    ),
    *[
        Case(
            f"NaN outside the tensor, {kernel.fn.__name__}",
            kernel,
            {"x": integers(48, 64), "y": output(32, 32), "M": 48, "N": 64, "B": 32},
            {"y": CORNER},
        )
        for kernel in (in_own_scratch, padded_with_nan)
    ],
]

"""Views of shared buffers, TMA in and out of them, fences."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output

X = integers(64, 64, dtype=np.float16)


@tlx.jit
def load_into_slices(x, y, HALF: tl.constexpr):
    """Two TMA loads fill the halves of one buffer, the right one from the left one's place."""
    buffer = tlx.local_alloc((2 * HALF, 2 * HALF), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            i = tl.arange(0, 2 * HALF)
            tl.store(y + i[:, None] * 2 * HALF + i[None, :], tlx.local_load(buffer[0]))
        with tlx.async_task(num_warps=1):
            whole = buffer[0]
            tlx.barrier_expect_bytes(full[0], 4 * HALF * HALF * 2)
            tlx.async_descriptor_load(x, tlx.local_slice(whole, [0, 0], [HALF, 2 * HALF]), [HALF, 0], full[0])
            tlx.async_descriptor_load(x, tlx.local_slice(whole, [HALF, 0], [HALF, 2 * HALF]), [0, 0], full[0])


@tlx.jit
def slices_in_registers(x, y, N: tl.constexpr):
    buffer = tlx.local_alloc((N, N), tl.float16, 1)
    i = tl.arange(0, N)
    tlx.local_store(buffer[0], tl.load(x + i[:, None] * N + i[None, :]))
    half = tl.arange(0, N // 2)
    corner = tlx.local_load(tlx.local_slice(buffer[0], [N // 2, 0], [N // 2, N // 2]))
    tl.store(y + half[:, None] * (N // 2) + half[None, :], corner)


@tlx.jit
def transposed(x, y, N: tl.constexpr, dims: tl.constexpr):
    buffer = tlx.local_alloc((N, N), tl.float16, 1)
    i = tl.arange(0, N)
    tlx.local_store(buffer[0], tl.load(x + i[:, None] * N + i[None, :]))
    if dims is None:
        view = tlx.local_trans(buffer[0])
    else:
        view = tlx.local_trans(buffer[0], dims)
    tl.store(y + i[:, None] * N + i[None, :], tlx.local_load(view))


@tlx.jit
def copy_by_tma(x, y, PENDING: tl.constexpr, BLOCK: tl.constexpr):
    """Four blocks in, changed, and out; up to `PENDING` stores stay in flight."""
    ring = tlx.local_alloc((BLOCK, BLOCK), tlx.dtype_of(x), 1)
    out = tlx.local_alloc((BLOCK, BLOCK), tlx.dtype_of(y), PENDING + 1)
    full = tlx.alloc_barriers(1)
    for t in tl.range(0, 4):
        tlx.barrier_expect_bytes(full[0], BLOCK * BLOCK * 2)
        tlx.async_descriptor_load(x, ring[0], [0, t * BLOCK], full[0])
        tlx.barrier_wait(full[0], t & 1)
        tlx.async_descriptor_store_wait(PENDING)
        slot = t % (PENDING + 1)
        tlx.local_store(out[slot], tlx.local_load(ring[0]) * 2)
        tlx.async_descriptor_store(y, out[slot], [0, t * BLOCK])
    tlx.async_descriptor_store_wait(0)


@tlx.jit
def all_fences(x, y):
    tl.store(y, tl.load(x) + 1)
    tlx.fence("gpu")
    tl.store(y + 1, tl.load(x + 1) + 1)
    tlx.fence("sys")
    buffer = tlx.local_alloc((32,), tl.int32, 1)
    tlx.local_store(buffer[0], tl.arange(0, 32))
    tlx.fence("async_shared")
    tlx.fence_async_shared()
    tl.store(y + 2, tl.sum(tlx.local_load(buffer[0])))


@tlx.jit
def element_types(x, y, BLOCK: tl.constexpr):
    """`dtype_of` a pointer, a descriptor, a buffer and a tensor; `size_of` each."""
    buffer = tlx.local_alloc((BLOCK, BLOCK), tl.bfloat16, 1)
    tl.static_assert(tlx.dtype_of(x) == tl.float16)
    tl.static_assert(tlx.dtype_of(y) == tl.int32)
    tl.static_assert(tlx.dtype_of(buffer) == tl.bfloat16)
    tl.static_assert(tlx.dtype_of(buffer[0]) == tl.bfloat16)
    tl.static_assert(tlx.dtype_of(tl.zeros((8,), tl.float32)) == tl.float32)
    SIZES: tl.constexpr = tlx.size_of(tl.float32) * 100 + tlx.size_of(tl.float8e5) * 10 + tlx.size_of(tl.int64)
    tl.store(y, SIZES)


@tlx.jit
def tails(x, y, BLOCK: tl.constexpr):
    """Beyond the edge TMA loads zeros, and counts their bytes; it stores nothing."""
    buffer = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], BLOCK * BLOCK * 2)
    tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0])
    tlx.barrier_wait(full[0], 0)
    tlx.local_store(buffer[0], tlx.local_load(buffer[0]) + 1)
    tlx.async_descriptor_store(y, buffer[0], [BLOCK // 2, 0])
    tlx.async_descriptor_store_wait(0)


@tlx.jit
def whole_blocks(x, y, BLOCK: tl.constexpr):
    """`desc.load` and `desc.store`, in two tasks; they bring their own buffers and barriers."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            y.store([0, 0], x.load([0, 0]) + 1)
        with tlx.async_task(num_warps=2):
            y.store([BLOCK, 0], x.load([BLOCK, 0]).to(tl.float32) * 2)


def copy_case(pending: int) -> Case:
    x = integers(32, 128, dtype=np.float16)
    y = output(32, 128, dtype=np.float16)
    arguments = {"x": TMA(x, (32, 32)), "y": TMA(y, (32, 32)), "PENDING": pending, "BLOCK": 32}
    return Case(f"{pending} TMA stores in flight", copy_by_tma, arguments, {"y": x * 2})


SMALL = integers(20, 32, dtype=np.float16)
AFTER = output(40, 32, dtype=np.float16)
AFTER[16:36] = SMALL + 1
AFTER[36:] = 1

CASES = [
    Case(
        "TMA loads into slices",
        load_into_slices,
        {"x": TMA(X, (32, 64)), "y": output(64, 64, dtype=np.float16), "HALF": 32},
        {"y": np.concatenate([X[32:], X[:32]])},
        ttgir={"ttg.memdesc_subslice": 2},
    ),
    Case(
        "a slice in registers",
        slices_in_registers,
        {"x": X, "y": output(32, 32, dtype=np.float16), "N": 64},
        {"y": X[32:, :32]},
    ),
    Case(
        "a transposed view",
        transposed,
        {"x": X, "y": output(64, 64, dtype=np.float16), "N": 64, "dims": None},
        {"y": X.T},
        ttgir={"ttg.memdesc_trans": 1},
    ),
    Case(
        "a view with its axes as they are",
        transposed,
        {"x": X, "y": output(64, 64, dtype=np.float16), "N": 64, "dims": (0, 1)},
        {"y": X},
    ),
    *[copy_case(pending) for pending in (0, 1, 2)],
    Case(
        "fences",
        all_fences,
        {"x": np.array([4, 5], np.int32), "y": output(3, dtype=np.int32)},
        {"y": np.array([5, 6, 496])},
        ttgir={"fence.acq_rel.gpu": 1, "fence.acq_rel.sys": 1, "ttng.fence_async_shared": 2},
    ),
    Case(
        "element types and sizes",
        element_types,
        {"x": TMA(X, (32, 32)), "y": output(1, dtype=np.int32), "BLOCK": 32},
        {"y": np.array([418])},
    ),
    Case(
        "loads and stores of whole blocks",
        whole_blocks,
        {"x": TMA(X, (32, 64)), "y": TMA(output(64, 64, dtype=np.float16), (32, 64)), "BLOCK": 32},
        {"y": np.concatenate([X[:32] + 1, X[32:] * 2])},
    ),
    Case(
        "tails",
        tails,
        {"x": TMA(SMALL, (32, 32)), "y": TMA(output(40, 32, dtype=np.float16), (32, 32)), "BLOCK": 32},
        {"y": AFTER},
    ),
]

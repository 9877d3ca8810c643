"""Copies by the threads of a task (cp.async): masks, groups, and what reads the buffers afterwards."""

import numpy as np
import triton.language as tl
from triton.language.core import builtin

import tlx
from tlx.language.copy import arrive_when_copied

from .case import TMA, Case, integers, output


@builtin
def arrive_then(bar, _semantic=None):
    arrive_when_copied(bar, _semantic)


@tlx.jit
def masked(x, y, rows, N: tl.constexpr):
    """Rows beyond `rows` are zeros."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    token = tlx.async_load(x + at, buffer[0], mask=i[:, None] < rows)
    token = tlx.async_load_commit_group([token])
    tlx.async_load_wait_group(0, [token])
    tl.store(y + at, tlx.local_load(buffer[0]))


@tlx.jit
def pipelined(x, y, n, N: tl.constexpr, STAGES: tl.constexpr):
    """A ring with `STAGES - 1` groups in flight; a group may be empty."""
    ring = tlx.local_alloc((N,), tlx.dtype_of(x), STAGES)
    i = tl.arange(0, N)
    token = tlx.async_load_commit_group()
    for t in tl.static_range(STAGES - 1):
        tlx.async_load(x + t * N + i, ring[t], mask=t < n)
        token = tlx.async_load_commit_group()
    for t in tl.range(0, n):
        tlx.async_load_wait_group(STAGES - 2, [token])
        tl.store(y + t * N + i, tlx.local_load(ring[t % STAGES]) * 2)
        ahead = t + STAGES - 1
        token = tlx.async_load(x + ahead * N + i, ring[ahead % STAGES], mask=ahead < n)
        token = tlx.async_load_commit_group([token])
    tlx.async_load_wait_group(0)


@tlx.jit
def product(x, y, z, N: tl.constexpr, BY_BARRIER: tl.constexpr):
    """z = x @ y with both copied by a task of two warps; its threads arrive, or the task once it has waited."""
    a = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    b = tlx.local_alloc((N, N), tlx.dtype_of(y), 1)
    full = tlx.alloc_barriers(1, arrive_count=64 if BY_BARRIER else 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            if BY_BARRIER:
                tlx.fence("async_shared")
            acc = tlx.async_dot_wait(0, tlx.async_dot(a[0], b[0]))
            i = tl.arange(0, N)
            tl.store(z + i[:, None] * N + i[None, :], acc)
        with tlx.async_task(num_warps=2):
            i = tl.arange(0, N)
            at = i[:, None] * N + i[None, :]
            tlx.async_load(x + at, a[0])
            tlx.async_load(y + at, b[0])
            if BY_BARRIER:
                arrive_then(full[0])
            else:
                tlx.async_load_commit_group()
                tlx.async_load_wait_group(0)
                tlx.barrier_arrive(full[0])


@tlx.jit
def copied_and_sent(x, y, N: tl.constexpr):
    """A TMA store sends what was copied."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    tlx.async_load(x + i[:, None] * N + i[None, :], buffer[0], cache_modifier=".cg", eviction_policy="evict_first")
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tlx.async_descriptor_store(y, buffer[0], [0, 0])
    tlx.async_descriptor_store_wait(0)


X, Y = integers(64, 64, dtype=np.float16), integers(64, 64, low=-2, dtype=np.float16)
VECTORS = integers(5 * 256)


def pipelined_case(trips: int, stages: int) -> Case:
    x = VECTORS[: trips * 256]
    arguments = {"x": x, "y": output(5 * 256), "n": trips, "N": 256, "STAGES": stages}
    expected = np.concatenate([x * 2, output((5 - trips) * 256)])
    ttgir = {f"ttg.async_wait {{num = {stages - 2} : i32}}": 1} if stages > 2 else {}
    return Case(f"{trips} copies through {stages} stages", pipelined, arguments, {"y": expected}, ttgir=ttgir)


def product_case(by_barrier: bool) -> Case:
    arguments = {"x": X, "y": Y, "z": output(64, 64), "N": 64, "BY_BARRIER": by_barrier}
    return Case(
        f"a product of copies whose {'threads arrive' if by_barrier else 'task arrives'}",
        product,
        arguments,
        {"z": X.astype(np.float32) @ Y.astype(np.float32)},
        ttgir={"ttng.fence_async_shared": 1, "ttng.async_copy_mbarrier_arrive": int(by_barrier)},
        ptx={"cp.async.mbarrier.arrive.noinc": int(by_barrier)},
    )


CASES = [
    *[
        Case(
            f"a copy of {rows} rows, the rest zeros",
            masked,
            {"x": X, "y": output(64, 64, dtype=np.float16), "rows": rows, "N": 64},
            {"y": np.concatenate([X[:rows], 0 * X[rows:]])},
            ptx={"cp.async.cg.shared.global": 4},
        )
        for rows in (0, 33, 64)
    ],
    *[pipelined_case(trips, stages) for trips in (0, 1, 5) for stages in (2, 3)],
    product_case(False),
    product_case(True),
    Case(
        "copied, then sent by TMA",
        copied_and_sent,
        {"x": X, "y": TMA(output(64, 64, dtype=np.float16), (64, 64)), "N": 64},
        {"y": X},
        ttgir={"ttng.fence_async_shared": 1},
    ),
]

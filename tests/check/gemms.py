"""One tile of C = A @ B between a producer and a consumer, as the cases C03, C07 and C09 describe it."""

from __future__ import annotations

from functools import cache

import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import Finding, checking

STAGES = 2
ALL_BYTES = 2 * 128 * 64 * 2


@tlx.jit
def gemm(
    a,
    b,
    c,
    steps,
    STAGES: tl.constexpr,
    BYTES: tl.constexpr,
    EMPTY_COUNT: tl.constexpr,
    FIRST_PARITY: tl.constexpr,
    RELEASE: tl.constexpr,
):
    """RELEASE is when a slot is given back: after its dot, before the wait for it ("early"), or a step later."""
    a_ring = tlx.local_alloc((128, 64), tlx.dtype_of(a), STAGES)
    b_ring = tlx.local_alloc((64, 128), tlx.dtype_of(b), STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES, arrive_count=EMPTY_COUNT)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((128, 128), tl.float32)
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(full[slot], phase)  # consumer waits
                if tlx.dtype_of(a) == tlx.dtype_of(b):
                    acc = tlx.async_dot(a_ring[slot], b_ring[slot], acc)  # dot
                    if RELEASE == "early":
                        tlx.barrier_arrive(empty[slot])  # early release
                    acc = tlx.async_dot_wait(1 if RELEASE == "a step later" else 0, acc)
                else:
                    acc = tl.dot(tlx.local_load(a_ring[slot]).to(tl.float16), tlx.local_load(b_ring[slot]), acc)
                if RELEASE == "after the dot":
                    tlx.barrier_arrive(empty[slot])
                if RELEASE == "a step later" and k > 0:
                    tlx.barrier_arrive(empty[(k - 1) % STAGES])
            acc = tlx.async_dot_wait(0, acc)
            i, j = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :]
            tl.store(c + i * 128 + j, acc.to(tl.float16))
        with tlx.async_task(num_warps=1):
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(empty[slot], phase ^ FIRST_PARITY)  # producer waits
                tlx.barrier_expect_bytes(full[slot], BYTES)
                tlx.async_descriptor_load(a, a_ring[slot], [0, k * 64], full[slot])  # loads A
                tlx.async_descriptor_load(b, b_ring[slot], [k * 64, 0], full[slot])  # loads B


def run(
    k: int,
    seed: int,
    *,
    bytes: int = ALL_BYTES,
    a_dtype: str = "float16",
    empty_count: int = 1,
    first_parity: int = 1,
    release: str = "after the dot",
) -> tuple[list[Finding], np.ndarray, np.ndarray]:
    """What the check finds, C as computed, and as it should be."""
    i, depth = np.ogrid[:128, :k]
    a = (3 * i + 5 * depth) % 7 - 3
    depth, j = np.ogrid[:k, :128]
    b = (2 * depth + 11 * j) % 5 - 2
    c = np.full((128, 128), 7, np.float16)
    with checking(seed=seed, schedules=1) as checker:
        gemm[(1,)](
            TensorDescriptor.from_tensor(sim.array(a, a_dtype), [128, 64]),
            TensorDescriptor.from_tensor(sim.array(b, "float16"), [64, 128]),
            sim.array(c),
            -(-k // 64),
            STAGES,
            bytes,
            empty_count,
            first_parity,
            release,
        )
    return checker.findings, c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


@cache
def line_of(mark: str) -> int:
    """The line of the kernel with this comment."""
    lines = open(gemm.fn.__code__.co_filename).read().splitlines()  # noqa: PTH123, SIM115
    (line,) = [number for number, text in enumerate(lines, 1) if text.endswith(f"# {mark}")]
    return line

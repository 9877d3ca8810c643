"""Kernels that are tuned: other processes import them from here."""

from __future__ import annotations

import os
import time

import triton
import triton.language as tl

import tlx
from tlx.tune.work.memory import Placeholder


@triton.jit
def double(x, y, n, BLOCK: tl.constexpr, WRONG: tl.constexpr = False):
    """y = 2 x. WRONG leaves the last block away."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    limit = n - BLOCK if WRONG else n
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < limit)


@triton.jit
def add_to(x, y, n, BLOCK: tl.constexpr):
    """y += x."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(y + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)


def blocks(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


@tlx.jit
def gemm(
    a,
    b,
    c,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    STAGES: tl.constexpr,
    EMPTY_COUNT: tl.constexpr = 1,
    SKIPPED: tl.constexpr = 0,
):
    """C = A @ B, one tile a program. EMPTY_COUNT other than 1 deadlocks; SKIPPED K steps are left away at the end."""
    a_ring = tlx.local_alloc((BLOCK_M, BLOCK_K), tlx.dtype_of(a), STAGES)
    b_ring = tlx.local_alloc((BLOCK_K, BLOCK_N), tlx.dtype_of(b), STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES, arrive_count=EMPTY_COUNT)
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    steps = tl.cdiv(K, BLOCK_K) - SKIPPED
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(full[slot], phase)
                acc = tlx.async_dot(a_ring[slot], b_ring[slot], acc)
                acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(empty[slot])
            i = row + tl.arange(0, BLOCK_M)
            j = column + tl.arange(0, BLOCK_N)
            tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i < M)[:, None] & (j < N)[None, :])
        with tlx.async_task(num_warps=1):
            for k in tl.range(0, steps):
                slot, phase = tlx.get_bufidx_phase(k, STAGES)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], (BLOCK_M + BLOCK_N) * BLOCK_K * 2)
                tlx.async_descriptor_load(a, a_ring[slot], [row, k * BLOCK_K], full[slot])
                tlx.async_descriptor_load(b, b_ring[slot], [k * BLOCK_K, column], full[slot])


def set_blocks(arguments):
    """The descriptors' blocks are those of the config."""
    arguments["a"].block_shape = [arguments["BLOCK_M"], arguments["BLOCK_K"]]
    arguments["b"].block_shape = [arguments["BLOCK_K"], arguments["BLOCK_N"]]


def tiles(meta):
    return triton.cdiv(meta["M"], meta["BLOCK_M"]), triton.cdiv(meta["N"], meta["BLOCK_N"])


# --- hooks that break the process that launches; nothing while a config is compiled ---


def abort(arguments):
    if not isinstance(arguments["x"], Placeholder):
        os.abort()


def hang(arguments):
    if not isinstance(arguments["x"], Placeholder):
        time.sleep(600)


def abort_at_third_launch(arguments):
    """The first launch is the check."""
    global launches
    launches += not isinstance(arguments["x"], Placeholder)
    if launches == 3:
        os.abort()


launches = 0


@triton.jit
def write_far(x, y, n, BLOCK: tl.constexpr, FAR: tl.constexpr = 0):
    """y = 2 x, written FAR elements away."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + FAR + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def spin(x, y, n, BLOCK: tl.constexpr, FOREVER: tl.constexpr = False):
    """y = 2 x, after a while."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if FOREVER:
        while tl.load(x, volatile=True) == tl.load(x, volatile=True):
            pass
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def half(x, y, n, BLOCK: tl.constexpr, SKIP: tl.constexpr = 0):
    """y = x, of which SKIP leaves the end as it was."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n - SKIP)


@triton.jit
def through_a_lock(lock, y, n, BLOCK: tl.constexpr):
    """The first program to come writes y; the lock must be 0 before each launch."""
    if tl.atomic_add(lock, 1) == 0:
        i = tl.arange(0, BLOCK)
        tl.store(y + i, i.to(tl.float32), mask=i < n)

"""Buffers that share memory: over one another, side by side, in groups of slots."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output

N = 64


@tlx.jit
def over_another(x, y, N: tl.constexpr):
    """A ring at the beginning of another one has its bytes: 2 slots of halves lie in one slot of words."""
    words = tlx.local_alloc((N,), tl.int32, 2)
    halves = tlx.local_alloc((N,), tl.int16, 2, reuse=words)
    i = tl.arange(0, N)
    tlx.local_store(words[0], tl.load(x + i))
    tlx.local_store(words[1], tl.load(x + N + i))
    tl.store(y + i, tlx.local_load(halves[0]).to(tl.int32))
    tl.store(y + N + i, tlx.local_load(halves[1]).to(tl.int32))


@tlx.jit
def over_one_slot(x, y, N: tl.constexpr):
    words = tlx.local_alloc((N,), tl.int32, 2)
    floats = tlx.local_alloc((N // 2,), tl.float32, 2, tlx.storage_kind.smem, words[1])
    i = tl.arange(0, N)
    half = tl.arange(0, N // 2)
    tlx.local_store(words[1], tl.load(x + i))
    tl.store(y + half, tlx.local_load(floats[1]).to(tl.int32, bitcast=True))


@tlx.jit
def from_the_beginning(x, y, N: tl.constexpr):
    """Without an overlap, slot 0 of each ring lies at the beginning of the storage."""
    spec = tlx.storage_alias_spec()
    one = tlx.local_alloc((N,), tl.int32, 1, reuse=spec)
    four = tlx.local_alloc((N // 2,), tl.int32, 4, reuse=spec)
    i, half = tl.arange(0, N), tl.arange(0, N // 2)
    for t in range(4):
        tlx.local_store(four[t], tl.load(x + t * (N // 2) + half))
    tl.store(y + i, tlx.local_load(one[0]))


@tlx.jit
def overlapping(x, y, N: tl.constexpr, at: tl.constexpr, SIZE: tl.constexpr):
    """Slot t of `wide` has slot t of `left` and `right` in its two halves, and of `parts` its quarters 4t..4t+3."""
    spec = tlx.storage_alias_spec(tlx.storage_kind.smem, SIZE)
    wide = tlx.local_alloc((N,), tl.int32, 3, reuse=spec)
    left = tlx.local_alloc((N // 2,), tl.int32, 3, reuse=spec)
    right = tlx.local_alloc((N // 2,), tl.float32, 3, reuse=spec)
    parts = tlx.local_alloc((N // 4,), tl.int32, 12, reuse=spec)
    spec.set_buffer_overlap(
        tlx.reuse_group(
            wide,
            tlx.reuse_group(left, right, group_type=tlx.reuse_group_type.distinct),
            tlx.reuse_group(parts, group_size=4),
        )
    )
    i, half, quarter = tl.arange(0, N), tl.arange(0, N // 2), tl.arange(0, N // 4)
    for t in range(3):
        tlx.local_store(wide[t], tl.load(x + t * N + i))
    tl.store(y + half, tlx.local_load(left[at]))
    tl.store(y + N // 2 + half, tlx.local_load(right[at]).to(tl.int32, bitcast=True))
    for t in range(12):
        tl.store(y + N + t * (N // 4) + quarter, tlx.local_load(parts[t]))


@tlx.jit
def slots_in_groups(x, y, N: tl.constexpr):
    """Two slots of `p` and one of `scale` share a slot of `qk`: p[2t], p[2t + 1], scale[t] side by side."""
    spec = tlx.storage_alias_spec()
    qk = tlx.local_alloc((4, N), tl.int32, 2, reuse=spec)
    p = tlx.local_alloc((N,), tl.int32, 4, reuse=spec)
    scale = tlx.local_alloc((N,), tl.int32, 2, reuse=spec)
    overlap = tlx.reuse_group(
        qk, tlx.reuse_group(tlx.reuse_group(p, group_size=2), scale, group_type=tlx.reuse_group_type.distinct)
    )
    spec.set_buffer_overlap(overlap)
    i = tl.arange(0, N)
    for t in range(4):
        tlx.local_store(p[t], tl.load(x + t * N + i))
    for t in range(2):
        tlx.local_store(scale[t], tl.load(x + (4 + t) * N + i))
    for t in range(4):
        tl.store(y + t * N + i, tlx.local_load(p[t]))
    tl.store(y + 4 * N + i, tlx.local_load(p[3]))
    for t in range(2):
        tl.store(y + (5 + t) * N + i, tlx.local_load(scale[t]))


@tlx.jit
def turn(ring, t, value):
    """Leaves a value in a slot and returns what it finds there."""
    tlx.local_store(ring[t], value)
    return tlx.local_load(ring[t])


@tlx.jit
def between_tasks(x, y, n, N: tl.constexpr):
    """The result is stored over the input it was made of; rings pass through tasks and helpers."""
    spec = tlx.storage_alias_spec(storage=tlx.storage_kind.smem)
    inputs = tlx.local_alloc((N, N), tl.float16, 2, reuse=spec)
    results = tlx.local_alloc((N, N), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(inputs, results))
    full, done, empty = tlx.alloc_barriers(2), tlx.alloc_barriers(2), tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
            for t in range(n):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(done[slot], phase)
                tl.store(y + t * N * N + at, tlx.local_load(results[slot]))
                tlx.barrier_arrive(empty[slot])
        with tlx.async_task(num_warps=4):
            for t in range(n):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(full[slot], phase)
                value = tlx.local_load(inputs[slot]).to(tl.float32) * 2
                turn(results, slot, value)
                tlx.barrier_arrive(done[slot])
        with tlx.async_task(num_warps=4):
            at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
            for t in range(n):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.local_store(inputs[slot], tl.load(x + t * N * N + at))
                tlx.barrier_arrive(full[slot])


WORDS = integers(3 * N, low=-(2**31), high=2**31, dtype=np.int64).astype(np.int32)
HALVES = WORDS[:N].view(np.int16).astype(np.int32)
ROWS = integers(6, N, dtype=np.int32)
BLOCKS = integers(5, 32, 32, dtype=np.float16)
ALLOC = "= ttg.local_alloc :"


def overlap_case(at: int, size: int | None) -> Case:
    expected = np.concatenate([WORDS[at * N : (at + 1) * N], WORDS])
    arguments = {"x": WORDS, "y": output(4 * N, dtype=np.int32), "N": N, "at": at, "SIZE": size}
    return Case(f"overlap, slot {at} of {size} B", overlapping, arguments, {"y": expected}, ttgir={ALLOC: 1})


CASES = [
    Case(
        "a ring over another",
        over_another,
        {"x": WORDS, "y": output(2 * N, dtype=np.int32), "N": N},
        {"y": HALVES},
        ttgir={ALLOC: 1, "ttg.memdesc_reinterpret": 1},
    ),
    Case(
        "a ring over one slot",
        over_one_slot,
        {"x": WORDS, "y": output(N // 2, dtype=np.int32), "N": N},
        {"y": WORDS[N // 2 : N]},
        ttgir={ALLOC: 1},
    ),
    Case(
        "rings from one beginning",
        from_the_beginning,
        {"x": WORDS, "y": output(N, dtype=np.int32), "N": N},
        {"y": WORDS[:N]},
        ttgir={ALLOC: 1},
    ),
    *(overlap_case(at, size) for at, size in ((0, None), (2, 768), (1, 1000))),
    Case(
        "groups of slots side by side",
        slots_in_groups,
        {"x": ROWS, "y": output(7, N, dtype=np.int32), "N": N},
        {"y": ROWS[[0, 1, 2, 3, 3, 4, 5]]},
        ttgir={ALLOC: 1},
    ),
    Case(
        "a result over its input, in tasks",
        between_tasks,
        {"x": BLOCKS, "y": output(5, 32, 32), "n": 5, "N": 32},
        {"y": 2 * BLOCKS.astype(np.float32)},
    ),
]

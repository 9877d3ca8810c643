"""What single threads and warps see, and the hardware's named barriers."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output


@tlx.jit
def ping_pong(x, y, n, N: tl.constexpr):
    """Two tasks of 128 threads take turns with one buffer: 9 says that it is full, 10 that it is empty."""
    buffer = tlx.local_alloc((N,), tl.float32, 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, n):
                if t > 0:
                    tlx.named_barrier_wait(10, 256)
                tlx.local_store(buffer[0], tl.load(x + t * N + tl.arange(0, N)))
                tlx.named_barrier_arrive(9, 256)
        with tlx.async_task(num_warps=4):
            for t in tl.range(0, n):
                tlx.named_barrier_wait(9, 256)
                value = tlx.local_load(buffer[0])
                if t < n - 1:
                    tlx.named_barrier_arrive(10, 256)
                tl.store(y + t * N + tl.arange(0, N), value * 2)


@tlx.jit
def votes_and_clock(y, n):
    start = tlx.clock64()
    tl.store(y, tlx.vote_ballot_sync(-1, n > 5))
    tl.store(y + 1, tlx.vote_ballot_sync(-1, n > 6))
    tl.store(y + 2, (tlx.clock64() > start).to(tl.int32))


@tlx.jit
def votes_of_a_tensor(x, y, N: tl.constexpr, LAYOUT: tl.constexpr):
    """Each warp votes on what its lanes hold: on 32 neighbours by default, on every fourth element in LAYOUT."""
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(y + i, tlx.vote_ballot_sync(-1, values > 0))
    tl.store(y + N + i, tlx.vote_ballot_sync(-1, tlx.require_layout(values, LAYOUT) > 0))


@tlx.jit
def thread_index(y):
    """The thread that stores is the first one."""
    tl.store(y, tlx.thread_id(0))
    tl.store(y + 1, tlx.thread_id(1) + 10)
    tl.store(y + 2, tlx.thread_id(2) + 20)


def ballots(flags: np.ndarray) -> np.ndarray:
    """The ballot of each row of 32 flags, as often as there are lanes."""
    bits = (flags.astype(np.uint32) << np.arange(32, dtype=np.uint32)).sum(1, dtype=np.uint32)
    return np.repeat(bits.view(np.int32)[:, None], 32, axis=1)


X = integers(5 * 128)
FLAGS = X[:128] > 0
CASES = [
    Case(
        "named barriers",
        ping_pong,
        {"x": X, "y": output(5 * 128), "n": 5, "N": 128},
        {"y": X * 2},
        ptx={"bar.sync \t9, 256": 1, "bar.arrive \t10, 256": 1},
    ),
    Case(
        "votes and the clock",
        votes_and_clock,
        {"y": output(3, dtype=np.int32), "n": 6},
        {"y": np.array([-1, 0, 1])},
        ptx={"vote.sync.ballot.b32": 2, "%clock64": 2},
    ),
    Case(
        "votes of a tensor",
        votes_of_a_tensor,
        {
            "x": X[:128],
            "y": output(256, dtype=np.int32),
            "N": 128,
            "LAYOUT": tlx.layout(shape=((32, 4), (1,)), stride=((4, 1), (0,))),
        },
        {"y": np.concatenate([ballots(FLAGS.reshape(4, 32)).ravel(), ballots(FLAGS.reshape(32, 4).T).T.ravel()])},
        ptx={"vote.sync.ballot.b32": 2},
    ),
    Case(
        "the thread index",
        thread_index,
        {"y": output(3, dtype=np.int32)},
        {"y": np.array([0, 10, 20])},
        ptx={"%tid.y": 1, "%tid.z": 1},
    ),
]

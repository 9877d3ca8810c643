"""Mistakes with the other CTAs of a cluster.

What `tlx` makes impossible (a signal to a peer that hasn't started or has ended, a sync that some warps never join) has
no row: `docs/check.md` and `tests/refused` show it.
"""

import triton.language as tl

import tlx
from tlx.check.rules import DEADLOCK, RACE_READ_WRITE

from .row import BYTES, put, row

PAIR = {"ctas_per_cga": (2, 1, 1)}


@row(6, "bytes that land in every CTA, expected by the first only", DEADLOCK, grid=2, options=PAIR)
@tlx.jit
def expected_by_the_loader(x, z, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    loads = tlx.cluster_cta_rank() == 0
    if FIXED:
        tlx.barrier_expect_bytes(full[0], BYTES)
    else:
        tlx.barrier_expect_bytes(full[0], BYTES, pred=loads)
    tlx.async_descriptor_load(x, tile[0], [0, 0], full[0], pred=loads, multicast_targets=[0, 1])
    tlx.barrier_wait(full[0], 0)
    put(z + tl.program_id(0) * 4096, tlx.local_load(tile[0]))


@row(57, "a slot of a multicast that a peer's store overwrites", RACE_READ_WRITE, grid=2, options=PAIR)
@tlx.jit
def overwritten_by_a_peer(x, z, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    tlx.barrier_expect_bytes(full[0], BYTES)
    tlx.async_descriptor_load(x, tile[0], [0, 0], full[0], pred=rank == 0, multicast_targets=[0, 1])
    tlx.barrier_wait(full[0], 0)
    values = tlx.local_load(tile[0])
    if FIXED:
        tlx.cluster_barrier()
    tlx.remote_shmem_store(tile[0], values, rank ^ 1)
    tlx.cluster_barrier()
    put(z + tl.program_id(0) * 4096, tlx.local_load(tile[0]))

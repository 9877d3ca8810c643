"""Warp-specialized kernels in Gluon, which ships with Triton: what the simulator is tested with.

`gemm` has faults to switch on, each a constexpr with the right value as its default in `FAULTLESS`.
"""

import triton.experimental.gluon.language as gl
from triton.experimental import gluon
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

# Renamed in 3.8.
tma_load = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
tma_store = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global

FAULTLESS = {
    "EMPTY_COUNT": 1,  # arrivals of an empty barrier; each slot gets one per round
    "FIRST_PARITY": 1,  # parity of the producer's first wait on an empty barrier
    "EXTRA_BYTES": 0,  # bytes expected beyond those copied
    "WAIT_MMA": True,  # whether the accumulator is waited for before it is used
    "WAIT_STORE": True,  # whether the TMA store is waited for
    "WAIT_FULL": True,  # whether the consumer waits for the data
    "EARLY_RELEASE": False,  # whether the consumer releases a slot before the MMA has read it
}


@gluon.jit
def load_tiles(
    a_desc,
    b_desc,
    a,
    b,
    full,
    empty,
    tiles_n,
    tiles,
    steps,
    STAGES: gl.constexpr,
    FIRST_PARITY: gl.constexpr,
    EXTRA_BYTES: gl.constexpr,
):
    count = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        row = (tile // tiles_n) * a_desc.block_type.shape[0]
        column = (tile % tiles_n) * b_desc.block_type.shape[1]
        for k in range(steps):
            slot = count % STAGES
            mbarrier.wait(empty.index(slot), (count // STAGES & 1) ^ FIRST_PARITY)
            size: gl.constexpr = a_desc.block_type.nbytes + b_desc.block_type.nbytes + EXTRA_BYTES
            mbarrier.expect(full.index(slot), size)
            depth = k * a_desc.block_type.shape[1]
            tma_load(a_desc, [row, depth], full.index(slot), a.index(slot))
            tma_load(b_desc, [depth, column], full.index(slot), b.index(slot))
            count += 1


@gluon.jit
def multiply_tiles(
    c_desc,
    a,
    b,
    c,
    full,
    empty,
    tiles_n,
    tiles,
    steps,
    STAGES: gl.constexpr,
    WAIT_MMA: gl.constexpr,
    WAIT_STORE: gl.constexpr,
    WAIT_FULL: gl.constexpr,
    EARLY_RELEASE: gl.constexpr,
):
    BM: gl.constexpr = c.type.shape[0]
    BN: gl.constexpr = c.type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    count = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        acc = gl.zeros([BM, BN], gl.float32, layout)
        for _ in range(steps):
            slot = count % STAGES
            if WAIT_FULL:
                mbarrier.wait(full.index(slot), count // STAGES & 1)
            acc = warpgroup_mma(a.index(slot), b.index(slot), acc, is_async=True)
            if EARLY_RELEASE:
                mbarrier.arrive(empty.index(slot), count=1)
            acc = warpgroup_mma_wait(0 if WAIT_MMA else 1, deps=[acc])
            if not EARLY_RELEASE:
                mbarrier.arrive(empty.index(slot), count=1)
            count += 1
        tma.store_wait(0)
        c.store(acc.to(c.dtype))
        fence_async_shared()
        tma_store(c_desc, [(tile // tiles_n) * BM, (tile % tiles_n) * BN], c)
    if WAIT_STORE:
        tma.store_wait(0)


@gluon.jit
def gemm(
    a_desc,
    b_desc,
    c_desc,
    M,
    N,
    K,
    STAGES: gl.constexpr,
    EMPTY_COUNT: gl.constexpr,
    FIRST_PARITY: gl.constexpr,
    EXTRA_BYTES: gl.constexpr,
    WAIT_MMA: gl.constexpr,
    WAIT_STORE: gl.constexpr,
    WAIT_FULL: gl.constexpr,
    EARLY_RELEASE: gl.constexpr,
):
    a = gl.allocate_shared_memory(a_desc.dtype, [STAGES] + a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, [STAGES] + b_desc.block_type.shape, b_desc.layout)
    c = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=EMPTY_COUNT)
    steps = (K + a_desc.block_type.shape[1] - 1) // a_desc.block_type.shape[1]
    tiles_n = (N + c_desc.block_type.shape[1] - 1) // c_desc.block_type.shape[1]
    tiles = (M + c_desc.block_type.shape[0] - 1) // c_desc.block_type.shape[0] * tiles_n
    gl.warp_specialize(
        [
            (
                multiply_tiles,
                (
                    c_desc,
                    a,
                    b,
                    c,
                    full,
                    empty,
                    tiles_n,
                    tiles,
                    steps,
                    STAGES,
                    WAIT_MMA,
                    WAIT_STORE,
                    WAIT_FULL,
                    EARLY_RELEASE,
                ),
            ),
            (load_tiles, (a_desc, b_desc, a, b, full, empty, tiles_n, tiles, steps, STAGES, FIRST_PARITY, EXTRA_BYTES)),
        ],
        [1],
        [24],
    )

"""The kernel of `tlx_kernels.gemm.ws` written in Gluon by hand: what its compile time is compared with."""

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


@gluon.jit
def grouped_tile(tile, tiles_m, tiles_n, GROUP_M: gl.constexpr):
    group_size = GROUP_M * tiles_n
    first_m = tile // group_size * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    inside = tile % group_size
    return first_m + inside % rows, inside // rows


@gluon.jit
def produce(
    a, b, a_ring, b_ring, full, empty, tiles_m, tiles_n, steps, STAGES: gl.constexpr, CONSUMERS: gl.constexpr,
    GROUP_M: gl.constexpr,
):  # fmt: skip
    ROWS: gl.constexpr = a.block_type.shape[0]
    BLOCK_K: gl.constexpr = a.block_type.shape[1]
    BLOCK_N: gl.constexpr = b.block_type.shape[1]
    BYTES: gl.constexpr = CONSUMERS * a.block_type.nbytes + b.block_type.nbytes
    use = 0
    for tile in range(gl.program_id(0), tiles_m * tiles_n, gl.num_programs(0)):
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        for k in range(steps):
            slot = use % STAGES
            mbarrier.wait(empty.index(slot), (use // STAGES & 1) ^ 1)
            mbarrier.expect(full.index(slot), BYTES)
            for i in gl.static_range(CONSUMERS):
                row = (tile_m * CONSUMERS + i) * ROWS
                tma_load(a, [row, k * BLOCK_K], full.index(slot), a_ring.index(slot * CONSUMERS + i))
            tma_load(b, [k * BLOCK_K, tile_n * BLOCK_N], full.index(slot), b_ring.index(slot))
            use += 1


@gluon.jit
def consume(
    c, a_ring, b_ring, c_tile, full, empty, tiles_m, tiles_n, steps, consumer: gl.constexpr, STAGES: gl.constexpr,
    CONSUMERS: gl.constexpr, GROUP_M: gl.constexpr,
):  # fmt: skip
    ROWS: gl.constexpr = c.block_type.shape[0]
    BLOCK_N: gl.constexpr = c.block_type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BLOCK_N, 16])
    use = 0
    for tile in range(gl.program_id(0), tiles_m * tiles_n, gl.num_programs(0)):
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        acc = gl.zeros([ROWS, BLOCK_N], gl.float32, layout)
        for k in range(steps):
            slot = use % STAGES
            mbarrier.wait(full.index(slot), use // STAGES & 1)
            acc = warpgroup_mma(a_ring.index(slot * CONSUMERS + consumer), b_ring.index(slot), acc, is_async=True)
            acc = warpgroup_mma_wait(1, deps=[acc])
            if k > 0:
                mbarrier.arrive(empty.index((use - 1) % STAGES), count=1)
            use += 1
        acc = warpgroup_mma_wait(0, deps=[acc])
        if steps > 0:
            mbarrier.arrive(empty.index((use - 1) % STAGES), count=1)
        tma.store_wait(0)
        c_tile.index(consumer).store(acc.to(c.dtype))
        fence_async_shared()
        tma_store(c, [(tile_m * CONSUMERS + consumer) * ROWS, tile_n * BLOCK_N], c_tile.index(consumer))
    tma.store_wait(0)


@gluon.jit
def gemm(a, b, c, M, N, K, BLOCK_M: gl.constexpr, STAGES: gl.constexpr, CONSUMERS: gl.constexpr, GROUP_M: gl.constexpr):
    BLOCK_N: gl.constexpr = b.block_type.shape[1]
    BLOCK_K: gl.constexpr = b.block_type.shape[0]
    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES * CONSUMERS] + a.block_type.shape, a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)
    c_tile = gl.allocate_shared_memory(c.dtype, [CONSUMERS] + c.block_type.shape, c.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=CONSUMERS)
    tiles_m = (M + BLOCK_M - 1) // BLOCK_M
    tiles_n = (N + BLOCK_N - 1) // BLOCK_N
    steps = (K + BLOCK_K - 1) // BLOCK_K
    gl.warp_specialize(
        [
            (consume, (c, a_ring, b_ring, c_tile, full, empty, tiles_m, tiles_n, steps, 0, STAGES, CONSUMERS, GROUP_M)),
            (consume, (c, a_ring, b_ring, c_tile, full, empty, tiles_m, tiles_n, steps, 1, STAGES, CONSUMERS, GROUP_M)),
            (produce, (a, b, a_ring, b_ring, full, empty, tiles_m, tiles_n, steps, STAGES, CONSUMERS, GROUP_M)),
        ],
        [4, 1],
        [240, 24],
    )

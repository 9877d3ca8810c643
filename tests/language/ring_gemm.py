"""A persistent warp-specialized GEMM over a ring that owns its phases."""

import numpy as np
import triton.language as tl

import tlx
from tlx_kernels.gemm.order import grouped_tile

from .case import TMA, Case, integers, output

ROWS, BLOCK_N, BLOCK_K, TILES = 64, 64, 64, (2, 2)


@tlx.jit
def ring_gemm(
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
    CONSUMERS: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """C = A @ B; each program computes every num_programs-th tile of C, each consumer ROWS rows of it."""
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    dtype: tl.constexpr = tlx.dtype_of(a)
    ring = tlx.ring(
        a=((ROWS, BLOCK_K), dtype, CONSUMERS), b=((BLOCK_K, BLOCK_N), dtype), stages=STAGES, consumers=CONSUMERS
    )
    c_tile = tlx.local_alloc((ROWS, BLOCK_N), tlx.dtype_of(c), CONSUMERS)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, BLOCK_K)

    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS, registers=240):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            use = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                acc = tl.zeros((ROWS, BLOCK_N), tl.float32)
                for k in tl.range(0, steps):
                    slot = ring.wait(use)
                    acc = tlx.async_dot(slot.a[consumer], slot.b, acc)
                    # One MMA stays in flight: the wait completes the one before, so its slot can be refilled.
                    acc = tlx.async_dot_wait(1, acc)
                    if k > 0:
                        ring.release(use - 1)
                    use += 1
                acc = tlx.async_dot_wait(0, acc)
                if steps > 0:
                    ring.release(use - 1)
                tlx.async_descriptor_store_wait(0)
                tlx.local_store(c_tile[consumer], acc.to(tlx.dtype_of(c)))
                at = [tile_m * BLOCK_M + consumer * ROWS, tile_n * BLOCK_N]
                tlx.async_descriptor_store(c, c_tile[consumer], at)
            tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=24):
            fill = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                for k in tl.range(0, steps):
                    with ring.fill(fill) as slot:
                        for i in tl.static_range(CONSUMERS):
                            slot.load(a, slot.a[i], [tile_m * BLOCK_M + i * ROWS, k * BLOCK_K])
                        slot.load(b, slot.b, [k * BLOCK_K, tile_n * BLOCK_N])
                    fill += 1


def gemm_case(stages: int, consumers: int, steps: int) -> Case:
    block_m, k = ROWS * consumers, max(steps * BLOCK_K, BLOCK_K)
    m, n = TILES[0] * block_m, TILES[1] * BLOCK_N
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16)
    product = a.astype(np.float32) @ b.astype(np.float32) if steps else np.zeros((m, n))
    arguments = {
        "a": TMA(a, (ROWS, BLOCK_K)),
        "b": TMA(b, (BLOCK_K, BLOCK_N)),
        "c": TMA(output(m, n, dtype=np.float16), (ROWS, BLOCK_N)),
        "M": m,
        "N": n,
        "K": steps * BLOCK_K,
        "BLOCK_M": block_m,
        "BLOCK_N": BLOCK_N,
        "BLOCK_K": BLOCK_K,
        "STAGES": stages,
        "CONSUMERS": consumers,
        "GROUP_M": 2,
    }
    name = f"GEMM over a ring: {stages} stages, {consumers} consumers, {steps} steps"
    return Case(name, ring_gemm, arguments, {"c": product.astype(np.float16)})


# One program computes all four tiles.
CASES = [
    gemm_case(stages, consumers, steps) for stages, consumers in ((2, 2), (3, 1)) for steps in range(2 * stages + 2)
]

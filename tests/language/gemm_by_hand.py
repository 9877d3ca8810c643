"""The kernel of `tlx_kernels.gemm.ws` with barriers, slots and phases written by hand, to compare its ring with."""

import triton.language as tl

import tlx
from tlx_kernels.gemm.order import grouped_tile


@tlx.jit
def gemm_by_hand(  # noqa: PLR0915 -- as long as what the ring replaces
    a,
    b,
    c,
    M,
    N,
    K,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    STAGES: tl.constexpr,
    CONSUMERS: tl.constexpr,
    GROUP_M: tl.constexpr,
    A_TRANS: tl.constexpr,
    B_TRANS: tl.constexpr,
    C_TMA: tl.constexpr,
):
    """C = A @ B; arguments as for `gemm_ws`."""
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    dtype: tl.constexpr = tlx.dtype_of(a)
    out_dtype: tl.constexpr = tlx.dtype_of(c)
    a_ring = tlx.local_alloc((BLOCK_K, ROWS) if A_TRANS else (ROWS, BLOCK_K), dtype, STAGES * CONSUMERS)
    b_ring = tlx.local_alloc((BLOCK_N, BLOCK_K) if B_TRANS else (BLOCK_K, BLOCK_N), dtype, STAGES)
    if C_TMA:
        c_tile = tlx.local_alloc((ROWS, BLOCK_N), out_dtype, CONSUMERS)
    else:
        c_tile = None
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=CONSUMERS)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, BLOCK_K)

    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS, registers=240):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            use = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                acc = tl.zeros((ROWS, BLOCK_N), tl.float32)
                for k in tl.range(0, steps):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    tlx.barrier_wait(full[slot], phase)
                    a_tile = a_ring[slot * CONSUMERS + consumer]
                    b_tile = b_ring[slot]
                    acc = tlx.async_dot(
                        tlx.local_trans(a_tile) if A_TRANS else a_tile,
                        tlx.local_trans(b_tile) if B_TRANS else b_tile,
                        acc,
                    )
                    # One MMA stays in flight: the wait completes the one before, so its slot can be refilled.
                    acc = tlx.async_dot_wait(1, acc)
                    if k > 0:
                        tlx.barrier_arrive(empty[(use - 1) % STAGES])
                    use += 1
                acc = tlx.async_dot_wait(0, acc)
                if steps > 0:
                    tlx.barrier_arrive(empty[(use - 1) % STAGES])
                row = tile_m * BLOCK_M + consumer * ROWS
                column = tile_n * BLOCK_N
                if C_TMA:
                    # The store of the tile before has had this tile's whole K loop to read the buffer.
                    tlx.async_descriptor_store_wait(0)
                    tlx.local_store(c_tile[consumer], acc.to(out_dtype))
                    tlx.async_descriptor_store(c, c_tile[consumer], [row, column])
                else:
                    i = row + tl.arange(0, ROWS)
                    j = column + tl.arange(0, BLOCK_N)
                    # 64 bits: an output may have more than 2^31 elements.
                    offsets = i[:, None].to(tl.int64) * stride_cm + j[None, :].to(tl.int64) * stride_cn
                    tl.store(c + offsets, acc.to(out_dtype), mask=(i < M)[:, None] & (j < N)[None, :])
            if C_TMA:
                tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=24):
            STAGE_BYTES: tl.constexpr = (BLOCK_M + BLOCK_N) * BLOCK_K * tlx.size_of(dtype)
            use = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                for k in tl.range(0, steps):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    tlx.barrier_wait(empty[slot], phase ^ 1)
                    tlx.barrier_expect_bytes(full[slot], STAGE_BYTES)
                    for i in tl.static_range(CONSUMERS):
                        row = tile_m * BLOCK_M + i * ROWS
                        at = [k * BLOCK_K, row] if A_TRANS else [row, k * BLOCK_K]
                        tlx.async_descriptor_load(a, a_ring[slot * CONSUMERS + i], at, full[slot])
                    column = tile_n * BLOCK_N
                    at = [column, k * BLOCK_K] if B_TRANS else [k * BLOCK_K, column]
                    tlx.async_descriptor_load(b, b_ring[slot], at, full[slot])
                    use += 1

"""Persistent warp-specialized GEMM: one warp loads through TMA, warp groups multiply, tiles of C leave through TMA."""

import triton.language as tl

import tlx

from .order import grouped_tile


@tlx.jit
def gemm_ws(
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
    """C = A @ B; each program computes every num_programs-th tile of C.

    Args:
        a: descriptor of A [M, K] with blocks of ROWS x BLOCK_K; with A_TRANS of A^T [K, M], BLOCK_K x ROWS.
        b: descriptor of B [K, N] with blocks of BLOCK_K x BLOCK_N; with B_TRANS of B^T [N, K], BLOCK_N x BLOCK_K.
        c: descriptor of C [M, N] with blocks of ROWS x BLOCK_N if C_TMA, else a pointer to it.
        STAGES: slots of the ring between producer and consumers; at least 2 unless K is a single step.
        CONSUMERS: warp groups that multiply, each ROWS = BLOCK_M / CONSUMERS rows of a tile.
        GROUP_M: rows of tiles that are walked together, for reuse in L2.
    """
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    dtype: tl.constexpr = tlx.dtype_of(a)
    out_dtype: tl.constexpr = tlx.dtype_of(c)
    ring = tlx.ring(
        a=((BLOCK_K, ROWS) if A_TRANS else (ROWS, BLOCK_K), dtype, CONSUMERS),
        b=((BLOCK_N, BLOCK_K) if B_TRANS else (BLOCK_K, BLOCK_N), dtype),
        stages=STAGES,
        consumers=CONSUMERS,
    )
    if C_TMA:
        c_tile = tlx.local_alloc((ROWS, BLOCK_N), out_dtype, CONSUMERS)
    else:
        c_tile = None
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
                    slot = ring.wait(use)
                    acc = tlx.async_dot(
                        tlx.local_trans(slot.a[consumer]) if A_TRANS else slot.a[consumer],
                        tlx.local_trans(slot.b) if B_TRANS else slot.b,
                        acc,
                    )
                    # One MMA stays in flight: the wait completes the one before, so its slot can be refilled.
                    acc = tlx.async_dot_wait(1, acc)
                    if k > 0:
                        ring.release(use - 1)
                    use += 1
                acc = tlx.async_dot_wait(0, acc)
                if steps > 0:
                    ring.release(use - 1)
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
            fill = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                for k in tl.range(0, steps):
                    with ring.fill(fill) as slot:
                        for i in tl.static_range(CONSUMERS):
                            row = tile_m * BLOCK_M + i * ROWS
                            slot.load(a, slot.a[i], [k * BLOCK_K, row] if A_TRANS else [row, k * BLOCK_K])
                        column = tile_n * BLOCK_N
                        slot.load(b, slot.b, [column, k * BLOCK_K] if B_TRANS else [k * BLOCK_K, column])
                    fill += 1

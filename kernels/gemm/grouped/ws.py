"""Persistent warp-specialized grouped GEMM: the programs find their tiles from the groups' ends on the device."""

import triton.language as tl

import tlx

from ..mainloop import multiply
from ..order import grouped_tile
from ..stores import store_tile
from .tiles import find_tile, tile_table


@tlx.jit
def grouped_ws(
    a,
    b,
    c,
    c_blocks,
    ends,
    GROUP_COUNT,
    M,
    N,
    K,
    stride_cm,
    stride_cn,
    GROUPS: tl.constexpr,
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
    """C[rows of g] = A[rows of g] @ B[g] for each group g; a tile never has rows of two groups.

    Args:
        a: descriptor of A [M, K] with blocks of ROWS x BLOCK_K; with A_TRANS of A^T [K, M], BLOCK_K x ROWS.
        b: descriptor of B [groups, K, N], 1 x BLOCK_K x BLOCK_N; with B_TRANS of [groups, N, K], 1 x BLOCK_N x BLOCK_K.
        c: pointer to C [M, N].
        c_blocks: if C_TMA, the descriptor of C with blocks of ROWS x BLOCK_N, else None.
        ends: pointer to the row behind the last one of each group.
        GROUPS: power of two, at least the number of groups.
        STAGES: slots of the ring between producer and consumers; at least 2 unless K is a single step.
        CONSUMERS: warp groups that multiply, each ROWS = BLOCK_M / CONSUMERS rows of a tile.
        GROUP_M: rows of tiles that are walked together, for reuse in L2.
    """
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    dtype: tl.constexpr = tlx.dtype_of(a)
    out_dtype: tl.constexpr = c.dtype.element_ty
    ring = tlx.ring(
        a=((BLOCK_K, ROWS) if A_TRANS else (ROWS, BLOCK_K), dtype, CONSUMERS),
        b=((1, BLOCK_N, BLOCK_K) if B_TRANS else (1, BLOCK_K, BLOCK_N), dtype),
        stages=STAGES,
        consumers=CONSUMERS,
    )
    if C_TMA:
        staged = tlx.local_alloc((ROWS, BLOCK_N), out_dtype, CONSUMERS)
    else:
        staged = None
    tiles_n = tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, BLOCK_K)

    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS, registers=216):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            end, tiles = tile_table(ends, GROUP_COUNT, M, tiles_n, BLOCK_M, GROUPS)
            use = 0
            for tile in tl.range(tl.program_id(0), tl.max(tiles, 0), tl.num_programs(0)):
                group, inside, start, stop = find_tile(tile, end, tiles)
                tile_m, tile_n = grouped_tile(inside, tl.cdiv(stop - start, BLOCK_M), tiles_n, GROUP_M)
                acc, use = multiply(ring, use, steps, consumer, ROWS, BLOCK_N, BLOCK_K, A_TRANS, B_TRANS)
                row = start + tile_m * BLOCK_M + consumer * ROWS
                column = tile_n * BLOCK_N
                i = row + tl.arange(0, ROWS)
                j = column + tl.arange(0, BLOCK_N)
                if C_TMA:
                    # The store of the tile before has had this tile's whole K loop to read the buffer.
                    tlx.async_descriptor_store_wait(0)
                    tlx.local_store(staged[consumer], acc.to(out_dtype))
                    tlx.fence_async_shared()  # here for both branches, or the next tile's MMAs would each get one
                    if row + ROWS <= stop:
                        tlx.async_descriptor_store(c_blocks, staged[consumer], [row, column])
                    else:  # TMA would write rows of the next group
                        store_tile(c, tlx.local_load(staged[consumer]), i, j, stop, N, stride_cm, stride_cn)
                else:
                    store_tile(c, acc, i, j, stop, N, stride_cm, stride_cn)
            if C_TMA:
                tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=72):
            end, tiles = tile_table(ends, GROUP_COUNT, M, tiles_n, BLOCK_M, GROUPS)
            fill = 0
            for tile in tl.range(tl.program_id(0), tl.max(tiles, 0), tl.num_programs(0)):
                group, inside, start, stop = find_tile(tile, end, tiles)
                tile_m, tile_n = grouped_tile(inside, tl.cdiv(stop - start, BLOCK_M), tiles_n, GROUP_M)
                column = tile_n * BLOCK_N
                for step in tl.range(0, steps):
                    with ring.fill(fill) as slot:
                        k = step * BLOCK_K
                        for i in tl.static_range(CONSUMERS):
                            row = start + tile_m * BLOCK_M + i * ROWS
                            slot.load(a, slot.a[i], [k, row] if A_TRANS else [row, k])
                        slot.load(b, slot.b, [group, column, k] if B_TRANS else [group, k, column])
                    fill += 1

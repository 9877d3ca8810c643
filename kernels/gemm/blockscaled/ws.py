"""Persistent warp-specialized product of fp8 matrices with a scale for each block, applied every 128 of K."""

import triton
import triton.language as tl

import tlx

from ..order import grouped_tile
from ..stores import store_tile


@triton.jit
def scales_at(a_scales, b_scales, step, steps, row_mask):
    """The scales of the blocks of one step of K: for each row of A, times that of B; 0 behind the last step."""
    a_scale = tl.load(a_scales, mask=row_mask & (step < steps), other=0.0)
    return a_scale * tl.load(b_scales, mask=step < steps, other=0.0)


@tlx.jit
def blockscaled_ws(
    a,
    b,
    c,
    a_scales,
    b_scales,
    M,
    N,
    K,
    stride_cm,
    stride_cn,
    stride_am,
    stride_ak,
    stride_bn,
    stride_bk,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    STAGES: tl.constexpr,
    CONSUMERS: tl.constexpr,
    GROUP_M: tl.constexpr,
    C_TMA: tl.constexpr,
):
    """C[i, j] = sum over k of A[i, k] * a_scales[i, k / 128] * B[k, j] * b_scales[j / 128, k / 128].

    Args:
        a: descriptor of A [M, K] with blocks of ROWS x 128.
        b: descriptor of B^T [N, K] with blocks of BLOCK_N x 128.
        c: descriptor of C [M, N] with blocks of ROWS x BLOCK_N if C_TMA, else a pointer to it.
        a_scales: pointer to float32 [M, K / 128], strides stride_am and stride_ak.
        b_scales: pointer to float32 [N / 128, K / 128], strides stride_bn and stride_bk.
        BLOCK_N: columns of a tile; it divides 128.
        STAGES: slots of the ring between producer and consumers.
        CONSUMERS: warp groups that multiply, each ROWS = BLOCK_M / CONSUMERS rows; one scales while another multiplies.
        GROUP_M: rows of tiles that are walked together, for reuse in L2.
    """
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    DEPTH: tl.constexpr = 128
    ring = tlx.ring(
        a=((ROWS, DEPTH), tlx.dtype_of(a), CONSUMERS),
        b=((BLOCK_N, DEPTH), tlx.dtype_of(b)),
        stages=STAGES,
        consumers=CONSUMERS,
    )
    if C_TMA:
        staged = tlx.local_alloc((ROWS, BLOCK_N), tlx.dtype_of(c), CONSUMERS)
    else:
        staged = None
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, DEPTH)

    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS, registers=232 if CONSUMERS < 3 else 160):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            use = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                row = tile_m * BLOCK_M + consumer * ROWS
                column = tile_n * BLOCK_N
                i = row + tl.arange(0, ROWS)
                j = column + tl.arange(0, BLOCK_N)
                a_scale_ptrs = a_scales + i.to(tl.int64) * stride_am
                b_scale_ptr = b_scales + (column // DEPTH).to(tl.int64) * stride_bn
                scale = scales_at(a_scale_ptrs, b_scale_ptr, 0, steps, i < M)
                acc = tl.zeros((ROWS, BLOCK_N), tl.float32)
                for step in tl.range(0, steps):
                    slot = ring.wait(use)
                    part = tlx.async_dot(slot.a[consumer], tlx.local_trans(slot.b))
                    # The next step's scales come while the MMA runs.
                    a_scale_ptrs += stride_ak
                    b_scale_ptr += stride_bk
                    next_scale = scales_at(a_scale_ptrs, b_scale_ptr, step + 1, steps, i < M)
                    part = tlx.async_dot_wait(0, part)
                    ring.release(use)
                    use += 1
                    acc += part * scale[:, None]
                    scale = next_scale
                if C_TMA:
                    # The store of the tile before has had this tile's whole K loop to read the buffer.
                    tlx.async_descriptor_store_wait(0)
                    tlx.local_store(staged[consumer], acc.to(tlx.dtype_of(c)))
                    tlx.async_descriptor_store(c, staged[consumer], [row, column])
                else:
                    store_tile(c, acc, i, j, M, N, stride_cm, stride_cn)
            if C_TMA:
                tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=32):
            fill = 0
            for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
                for step in tl.range(0, steps):
                    with ring.fill(fill) as slot:
                        for i in tl.static_range(CONSUMERS):
                            slot.load(a, slot.a[i], [tile_m * BLOCK_M + i * ROWS, step * DEPTH])
                        slot.load(b, slot.b, [tile_n * BLOCK_N, step * DEPTH])
                    fill += 1

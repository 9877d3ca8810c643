"""Warp-specialized stream-K GEMM: each program takes an equal share of all steps, and parts of tiles are added up."""

import triton
import triton.language as tl

import tlx

from ..mainloop import multiply
from ..stores import store_tile
from .work import first_step, program_of


@triton.jit
def part_of(parts, program, begins, consumer: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CONSUMERS):
    """Pointers to a program's part of a tile: of the one that it begins with K = 0 (1), or of the one before (0)."""
    number = (program * 2 + begins) * CONSUMERS + consumer
    inside = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    return parts + number.to(tl.int64) * (ROWS * COLUMNS) + inside


@triton.jit
def is_last(arrived, tile, parts_of_tile, consumer: tl.constexpr, CONSUMERS: tl.constexpr):
    """Counts a part of a tile that is stored; whether all others were before it. The count is 0 again behind the last.

    The addition releases this part and acquires the others'.
    """
    count = arrived + tile * CONSUMERS + consumer
    tl.debug_barrier()  # all threads have stored
    last = tl.atomic_add(count, 1, sem="acq_rel") == parts_of_tile - 1
    if last:
        tl.store(count, 0)
    return last


@tlx.jit
def streamk_ws(
    a,
    b,
    c,
    parts,
    arrived,
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
    A_TRANS: tl.constexpr,
    B_TRANS: tl.constexpr,
):
    """C = A @ B. The last program that finishes a part of a tile adds all parts in the order of K, always the same.

    Args:
        a: descriptor of A [M, K] with blocks of ROWS x BLOCK_K; with A_TRANS of A^T [K, M], BLOCK_K x ROWS.
        b: descriptor of B [K, N] with blocks of BLOCK_K x BLOCK_N; with B_TRANS of B^T [N, K], BLOCK_N x BLOCK_K.
        c: pointer to C [M, N].
        parts: float32, 2 * BLOCK_M * BLOCK_N for each program: the parts of tiles.
        arrived: int32, CONSUMERS for each tile: 0 before and after.
        STAGES: slots of the ring between producer and consumers; at least 2 unless K is a single step.
        CONSUMERS: warp groups that multiply, each ROWS = BLOCK_M / CONSUMERS rows of a tile.

    The grid has at most as many programs as there are steps in all tiles.
    """
    ROWS: tl.constexpr = BLOCK_M // CONSUMERS
    dtype: tl.constexpr = tlx.dtype_of(a)
    ring = tlx.ring(
        a=((BLOCK_K, ROWS) if A_TRANS else (ROWS, BLOCK_K), dtype, CONSUMERS),
        b=((BLOCK_N, BLOCK_K) if B_TRANS else (BLOCK_K, BLOCK_N), dtype),
        stages=STAGES,
        consumers=CONSUMERS,
    )
    tiles_m = tl.cdiv(M, BLOCK_M)
    steps = tl.cdiv(K, BLOCK_K)
    total = tiles_m * tl.cdiv(N, BLOCK_N) * steps
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    begin = first_step(program, total, programs)
    end = first_step(program + 1, total, programs)

    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS, registers=224):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            use = 0
            for tile in tl.range(begin // steps, tl.cdiv(end, steps)):
                first = tl.maximum(begin - tile * steps, 0)
                last = tl.minimum(end - tile * steps, steps)
                acc, use = multiply(ring, use, last - first, consumer, ROWS, BLOCK_N, BLOCK_K, A_TRANS, B_TRANS)
                i = tile % tiles_m * BLOCK_M + consumer * ROWS + tl.arange(0, ROWS)
                j = tile // tiles_m * BLOCK_N + tl.arange(0, BLOCK_N)
                if last - first == steps:
                    store_tile(c, acc, i, j, M, N, stride_cm, stride_cn)
                else:
                    tl.store(
                        part_of(parts, program, (first == 0).to(tl.int32), consumer, ROWS, BLOCK_N, CONSUMERS), acc
                    )
                    first_program = program_of(tile * steps, total, programs)
                    last_program = program_of(tile * steps + steps - 1, total, programs)
                    if is_last(arrived, tile, last_program - first_program + 1, consumer, CONSUMERS):
                        pointers = part_of(parts, first_program, 1, consumer, ROWS, BLOCK_N, CONSUMERS)
                        total_of_tile = tl.load(pointers, cache_modifier=".cg")
                        for other in tl.range(first_program + 1, last_program + 1):
                            pointers = part_of(parts, other, 0, consumer, ROWS, BLOCK_N, CONSUMERS)
                            total_of_tile += tl.load(pointers, cache_modifier=".cg")
                        store_tile(c, total_of_tile, i, j, M, N, stride_cm, stride_cn)

        with tlx.async_task(num_warps=1, registers=40):
            for step in tl.range(begin, end):
                tile = step // steps
                row = tile % tiles_m * BLOCK_M
                column = tile // tiles_m * BLOCK_N
                k = step % steps * BLOCK_K
                with ring.fill(step - begin) as slot:
                    for i in tl.static_range(CONSUMERS):
                        slot.load(a, slot.a[i], [k, row + i * ROWS] if A_TRANS else [row + i * ROWS, k])
                    slot.load(b, slot.b, [column, k] if B_TRANS else [k, column])

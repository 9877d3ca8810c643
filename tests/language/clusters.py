"""Clusters: the CTAs' numbering, barriers and memory of peers, multicast loads."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output

PAIR = {"ctas_per_cga": (2, 1, 1)}
SYNCS = "barrier.cluster.arrive.aligned"


@tlx.jit
def places(y, CX: tl.constexpr, CY: tl.constexpr):
    """Where each program is in the grid: its indices, its rank, and that of the first program of its cluster."""
    x, z = tl.program_id(0), tl.program_id(2)
    row = tl.program_id(1)
    at = y + 6 * (x + tl.num_programs(0) * (row + tl.num_programs(1) * z))
    tl.store(at, x)
    tl.store(at + 1, row)
    tl.store(at + 2, z)
    tl.store(at + 3, tlx.cluster_cta_rank())
    tl.store(at + 4, tlx.cluster_size_1d())
    tl.store(at + 5, x % CX + CX * (row % CY))


def expected_places(grid: tuple[int, int, int], cluster: tuple[int, int, int]) -> np.ndarray:
    rows = []
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                rank = x % cluster[0] + cluster[0] * (y % cluster[1] + cluster[1] * (z % cluster[2]))
                first = x % cluster[0] + cluster[0] * (y % cluster[1])
                rows.append((x, y, z, rank, cluster[0] * cluster[1] * cluster[2], first))
    return np.array(rows, np.int32)


@tlx.jit
def alone(y):
    """Without a cluster each CTA is one of its own."""
    tl.store(y, tlx.cluster_cta_rank())
    tl.store(y + 1, tlx.cluster_size_1d())


@tlx.jit
def exchanged(x, y, N: tl.constexpr, M: tl.constexpr):
    """Each CTA of a pair stores its tile into its peer's buffer, and writes out what it got."""
    buffer = tlx.local_alloc((M, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + tl.program_id(0) * M * N + at)
    tlx.remote_shmem_store(buffer[0], tile, rank ^ 1)
    tlx.barrier_arrive(full[0], 1, remote_cta_rank=rank ^ 1)
    tlx.barrier_wait(full[0], 0)
    tl.store(y + tl.program_id(0) * M * N + at, tlx.local_load(buffer[0]))


@tlx.jit
def exchanged_async(x, y, N: tl.constexpr, M: tl.constexpr):
    """The same by asynchronous stores, whose bytes complete the peer's barrier."""
    buffer = tlx.local_alloc((M, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    tlx.barrier_expect_bytes(full[0], M * N * tlx.size_of(tlx.dtype_of(x)))
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + tl.program_id(0) * M * N + at)
    tlx.async_remote_shmem_store(buffer[0], tile, rank ^ 1, full[0])
    tlx.barrier_wait(full[0], 0)
    tl.store(y + tl.program_id(0) * M * N + at, tlx.local_load(buffer[0]))


@tlx.jit
def row_sums_async(x, y, N: tl.constexpr):
    """Sums of rows, fewer than the task has threads: each is sent once."""
    buffer = tlx.local_alloc((N,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    tlx.barrier_expect_bytes(full[0], N * 4)
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    sums = tl.sum(tl.load(x + tl.program_id(0) * N * N + at), axis=1)
    tlx.async_remote_shmem_store(buffer[0], sums, rank ^ 1, full[0])
    tlx.barrier_wait(full[0], 0)
    tl.store(y + tl.program_id(0) * N + tl.arange(0, N), tlx.local_load(buffer[0]) + sums)


@tlx.jit
def exchanged_copy(x, y, N: tl.constexpr, M: tl.constexpr):
    """The same by one bulk copy of a buffer that threads have filled."""
    own = tlx.local_alloc((M, N), tlx.dtype_of(x), 1)
    buffer = tlx.local_alloc((M, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    tlx.barrier_expect_bytes(full[0], M * N * tlx.size_of(tlx.dtype_of(x)))
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tlx.local_store(own[0], tl.load(x + tl.program_id(0) * M * N + at))
    tlx.async_remote_shmem_copy(buffer[0], own[0], rank ^ 1, full[0])
    tlx.barrier_wait(full[0], 0)
    tl.store(y + tl.program_id(0) * M * N + at, tlx.local_load(buffer[0]))


@tlx.jit
def swapped_by_tasks(x, y, trips, N: tl.constexpr, WARPS: tl.constexpr):
    """A task of each CTA sends tiles to the peer, whose default task frees the slot by an arrival on the sender's."""
    buffer = tlx.local_alloc((1, N), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            peer = tlx.cluster_cta_rank() ^ 1
            for t in tl.range(0, trips):
                tlx.barrier_wait(full[0], t & 1)
                row = tlx.local_load(buffer[0])
                tlx.barrier_arrive(empty[0], 1, remote_cta_rank=peer)
                tl.store(y + (tl.program_id(0) * trips + t) * N + tl.arange(0, N)[None, :], row)
        with tlx.async_task(num_warps=WARPS):
            peer = tlx.cluster_cta_rank() ^ 1
            for t in tl.range(0, trips):
                tlx.barrier_wait(empty[0], (t & 1) ^ 1)
                row = tl.load(x + (tl.program_id(0) * trips + t) * N + tl.arange(0, N)[None, :])
                tlx.remote_shmem_store(buffer[0], row, peer)
                tlx.barrier_arrive(full[0], 1, remote_cta_rank=peer)


@tlx.jit
def arrived_through_views(y, WARPS: tl.constexpr):
    """Every thread of a task arrives on the peer's warp barrier, through a view that a branch passes on."""
    bars = tlx.alloc_warp_barrier(1, num_warps=WARPS)
    done = tlx.alloc_barriers(1, arrive_count=3)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(bars[0], 0)
            tlx.barrier_wait(done[0], 0)
            tl.store(y + tl.program_id(0), 5)
        with tlx.async_task(num_warps=WARPS):
            rank = tlx.cluster_cta_rank()
            view = tlx.remote_view(bars[0], rank ^ 1)
            tlx.barrier_arrive(view, pred=rank >= 0)
            tlx.barrier_arrive(tlx.remote_view(done[0], rank ^ 1), 2)
            tlx.barrier_arrive(done[0], 1, remote_cta_rank=rank)


@tlx.jit
def met_in_tasks(x, y, N: tl.constexpr):
    """Cluster barriers alone order the stores to the peer: one before them, one behind."""
    buffer = tlx.local_alloc((1, N), tl.float32, 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()
            row = tl.load(x + tl.program_id(0) * N + tl.arange(0, N)[None, :])
            tlx.remote_shmem_store(buffer[0], row, tlx.cluster_cta_rank() ^ 1)
            tlx.cluster_barrier()
            tl.store(y + tl.program_id(0) * N + tl.arange(0, N)[None, :], tlx.local_load(buffer[0]))
        with tlx.async_task(num_warps=2):
            tlx.cluster_barrier()
            tlx.cluster_barrier()


@tlx.jit
def met_without_traffic(y, trips):
    """Cluster barriers in a loop, where nothing else reaches the peer: no others are added."""
    for _ in tl.range(0, trips):
        tlx.cluster_barrier()
    tl.store(y + tl.program_id(0), trips)


@tlx.jit
def met_by_hand(y):
    """The author publishes the barriers, too, before the first arrival on the peer's."""
    bars = tlx.alloc_barriers(1)
    tlx.fence_mbarrier_init_cluster()
    tlx.cluster_barrier()
    tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)
    tlx.barrier_wait(bars[0], 0)
    tl.store(y + tl.program_id(0), 1)


@tlx.jit
def multicast_all(x, y, CTAS: tl.constexpr, N: tl.constexpr):
    """The CTA of rank r loads tile r for all; each adds up all tiles."""
    buffers = tlx.local_alloc((N, N), tlx.dtype_of(x), CTAS)
    full = tlx.alloc_barriers(CTAS)
    rank = tlx.cluster_cta_rank()
    for i in tl.static_range(CTAS):
        tlx.barrier_expect_bytes(full[i], N * N * tlx.size_of(tlx.dtype_of(x)))
    for i in tl.static_range(CTAS):
        if CTAS == 2:
            tlx.async_descriptor_load(
                x, buffers[i], [i * N, 0], full[i], pred=rank == i, multicast_targets=[rank, rank ^ 1]
            )
        else:
            tlx.async_descriptor_load(
                x, buffers[i], [i * N, 0], full[i], pred=rank == i, multicast_targets=[0, 1, 2, 3]
            )
    total = tl.zeros((N, N), tl.float32)
    for i in tl.static_range(CTAS):
        tlx.barrier_wait(full[i], 0)
        total += tlx.local_load(buffers[i]).to(tl.float32)
    program = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + program * N * N + at, total)


@tlx.jit
def gemm(
    a, b, c, tiles, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr, WARPS: tl.constexpr
):
    """Pairs of CTAs share B: each loads half of every block for both. Several tiles one after the other."""
    a_ring = tlx.local_alloc((BM, BK), tlx.dtype_of(a), STAGES)
    b_ring = tlx.local_alloc((BK, BN), tlx.dtype_of(b), STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES, arrive_count=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            rank = tlx.cluster_cta_rank()
            use = 0
            for tile in tl.range(0, tiles):
                acc = tl.zeros((BM, BN), tl.float32)
                for _ in tl.range(0, K, BK):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    tlx.barrier_wait(full[slot], phase)
                    acc = tlx.async_dot(a_ring[slot], b_ring[slot], acc)
                    acc = tlx.async_dot_wait(0, acc)
                    tlx.barrier_arrive(empty[slot])
                    tlx.barrier_arrive(empty[slot], 1, remote_cta_rank=rank ^ 1)
                    use += 1
                row = (tile * tl.num_programs(0) + tl.program_id(0)) * BM
                at = (row + tl.arange(0, BM))[:, None] * BN + tl.arange(0, BN)[None, :]
                tl.store(c + at, acc)
        with tlx.async_task(num_warps=WARPS):
            rank = tlx.cluster_cta_rank()
            use = 0
            for tile in tl.range(0, tiles):
                row = (tile * tl.num_programs(0) + tl.program_id(0)) * BM
                for k in tl.range(0, K, BK):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    tlx.barrier_wait(empty[slot], phase ^ 1)
                    tlx.barrier_expect_bytes(full[slot], (BM + BN) * BK * tlx.size_of(tlx.dtype_of(a)))
                    tlx.async_descriptor_load(a, a_ring[slot], [row, k], full[slot])
                    for half in tl.static_range(2):
                        part = tlx.local_slice(b_ring[slot], [half * BK // 2, 0], [BK // 2, BN])
                        tlx.async_descriptor_load(
                            b,
                            part,
                            [k + half * BK // 2, 0],
                            full[slot],
                            pred=rank == half,
                            multicast_targets=[rank, rank ^ 1],
                        )
                    use += 1


def place_case(grid: tuple[int, int, int], cluster: tuple[int, int, int]) -> Case:
    found = expected_places(grid, cluster)
    return Case(
        f"places in clusters of {cluster}",
        places,
        {"y": output(*found.shape, dtype=np.int32), "CX": cluster[0], "CY": cluster[1]},
        {"y": found},
        grid=grid,
        options={"ctas_per_cga": cluster},
        ptx={SYNCS: 0},
    )


def pair_case(name: str, kernel, dtype, shape: tuple[int, int], warps: int = 4, syncs: int = 2) -> Case:
    x = integers(4, *shape).astype(dtype)
    return Case(
        f"{name}, {np.dtype(dtype).name} {shape[0]}x{shape[1]} in {warps} warps",
        kernel,
        {"x": x, "y": np.zeros_like(x), "M": shape[0], "N": shape[1]},
        {"y": x[[1, 0, 3, 2]]},
        grid=4,
        options={**PAIR, "num_warps": warps},
        ptx={SYNCS: syncs},
    )


ROWS = integers(4, 32, 32)
SUMS = ROWS.sum(axis=2)
TILES = integers(4, 6, 64)
VECTORS = integers(4, 64)
SQUARES = integers(4 * 64, 64, dtype=np.float16)


def swap_case(trips: int, warps: int) -> Case:
    x = integers(4, max(trips, 1), 64)[:, :trips]
    return Case(
        f"{trips} tiles swapped by tasks of {warps} warps",
        swapped_by_tasks,
        {"x": x.reshape(-1) if trips else output(1), "y": output(max(4 * trips * 64, 1)), "trips": trips}
        | {"N": 64, "WARPS": warps},
        {"y": x[[1, 0, 3, 2]].reshape(-1) if trips else output(1)},
        grid=4,
        options=PAIR,
        # In each of the tasks and fillers, one at its head and one at its end.
        ttgir={"nvvm.cluster.arrive": 2 * (2 + {1: 2, 2: 1, 4: 0}[warps])},
    )


def multicast_case(cluster: tuple[int, int, int]) -> Case:
    ctas = cluster[0] * cluster[1]
    total = SQUARES.reshape(4, 64, 64)[:ctas].astype(np.float32).sum(axis=0)
    return Case(
        f"multicast in clusters of {cluster}",
        multicast_all,
        {"x": TMA(SQUARES, (64, 64)), "y": output(2 * ctas, 64, 64), "CTAS": ctas, "N": 64},
        {"y": np.broadcast_to(total, (2 * ctas, 64, 64))},
        grid=(2 * cluster[0], cluster[1]),
        options={"ctas_per_cga": cluster},
        ptx={"multicast::cluster": ctas},
    )


def gemm_case(tiles: int, k: int, bn: int, warps: int) -> Case:
    a, b = integers(2 * tiles * 64, k, dtype=np.float16), integers(k, bn, dtype=np.float16)
    return Case(
        f"multicast GEMM of {tiles} tiles, K = {k}, N = {bn}, loaded by {warps} warps",
        gemm,
        {"a": TMA(a, (64, 64)), "b": TMA(b, (32, bn)), "c": output(2 * tiles * 64, bn), "tiles": tiles, "K": k}
        | {"BM": 64, "BN": bn, "BK": 64, "STAGES": 2, "WARPS": warps},
        {"c": a.astype(np.float32) @ b.astype(np.float32)},
        grid=2,
        options=PAIR,
    )


CASES = [
    *[
        place_case(grid, cluster)
        for grid, cluster in [
            ((4, 1, 1), (2, 1, 1)),
            ((3, 2, 1), (1, 2, 1)),
            ((4, 2, 1), (2, 2, 1)),
            ((3, 2, 2), (1, 1, 2)),
            ((6, 2, 2), (3, 1, 2)),
        ]
    ],
    Case("rank and size without a cluster", alone, {"y": output(2, dtype=np.int32)}, {"y": np.array([0, 1], np.int32)}),
    pair_case("exchanged by stores", exchanged, np.float32, (32, 64)),
    pair_case("exchanged by stores", exchanged, np.float16, (64, 128)),
    pair_case("exchanged by stores", exchanged, np.int8, (16, 32)),
    pair_case("exchanged by stores", exchanged, np.int64, (16, 16)),
    pair_case("exchanged by stores", exchanged, np.float16, (4, 8), warps=1),
    pair_case("exchanged by stores", exchanged, np.float16, (8, 16), warps=8),
    pair_case("exchanged asynchronously", exchanged_async, np.float32, (32, 64)),
    pair_case("exchanged asynchronously", exchanged_async, np.float16, (64, 128)),
    pair_case("exchanged asynchronously", exchanged_async, np.int64, (16, 16)),
    pair_case("exchanged asynchronously", exchanged_async, np.float16, (4, 16), warps=1),
    pair_case("exchanged asynchronously", exchanged_async, np.float16, (4, 16), warps=8),
    pair_case("exchanged by a bulk copy", exchanged_copy, np.float32, (32, 64)),
    pair_case("exchanged by a bulk copy", exchanged_copy, np.float16, (64, 128), warps=8),
    Case(
        "row sums exchanged",
        row_sums_async,
        {"x": ROWS, "y": output(4, 32), "N": 32},
        {"y": SUMS + SUMS[[1, 0, 3, 2]]},
        grid=4,
        options=PAIR,
    ),
    *[swap_case(trips, warps) for trips, warps in [(0, 1), (1, 1), (5, 1), (5, 2), (5, 4)]],
    *[
        Case(
            f"arrivals through remote views of {warps} warps",
            arrived_through_views,
            {"y": output(2, dtype=np.int32), "WARPS": warps},
            {"y": np.array([5, 5], np.int32)},
            grid=2,
            options=PAIR,
            ptx={"mapa.shared::cluster.u32": 3},
        )
        for warps in (1, 4)
    ],
    Case(
        "cluster barriers in tasks",
        met_in_tasks,
        {"x": VECTORS, "y": output(4, 64), "N": 64},
        {"y": VECTORS[[1, 0, 3, 2]]},
        grid=4,
        options=PAIR,
        ptx={SYNCS: 3 * 4},
    ),
    Case(
        "cluster barriers in a loop",
        met_without_traffic,
        {"y": output(4, dtype=np.int32), "trips": 3},
        {"y": np.full(4, 3, np.int32)},
        grid=4,
        options={"ctas_per_cga": (4, 1, 1)},
        ttgir={"nvvm.cluster.arrive": 1},
    ),
    Case(
        "barriers published by hand",
        met_by_hand,
        {"y": output(2, dtype=np.int32)},
        {"y": np.ones(2, np.int32)},
        grid=2,
        options=PAIR,
        ptx={"fence.mbarrier_init.release.cluster": 2, SYNCS: 3},
    ),
    *[multicast_case(cluster) for cluster in [(2, 1, 1), (1, 2, 1), (2, 2, 1)]],
    *[gemm_case(*shape) for shape in [(1, 64, 64, 1), (2, 192, 64, 1), (3, 320, 128, 4)]],
]

"""Clusters: their shape, ranks, barriers that some warps never join, memory and barriers of peers."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

PAIR = {"ctas_per_cga": (2, 1, 1)}
DESC = "tensordesc<fp16[64, 64]>"


# --- shapes ----------------------------------------------------------------------------------------------------------


@refused(errors.InvalidCluster, "multicast_targets must be a list of ranks, not 3", options=PAIR, x=DESC)
def mask_instead_of_ranks(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], full[0], multicast_targets=3)  # <- error


@refused(errors.InvalidCluster, "is (2, 1), it must be three integers of at least 1", options={"ctas_per_cga": (2, 1)})
def cluster_of_two_axes():  # <- error
    tlx.cluster_barrier()


@refused(errors.InvalidCluster, "ctas_per_cga is 2, it must be three integers", options={"ctas_per_cga": 2})
def cluster_of_a_number():  # <- error
    tlx.cluster_barrier()


@refused(errors.InvalidCluster, "ctas_per_cga is (2, 0, 1), it must be three", options={"ctas_per_cga": (2, 0, 1)})
def cluster_of_no_ctas():  # <- error
    tlx.cluster_barrier()


@refused(
    errors.InvalidCluster,
    "ctas_per_cga: 4 x 4 x 1 = 16 CTAs, a cluster of sm_90 has at most 8",
    options={"ctas_per_cga": (4, 4, 1)},
)
def cluster_of_16():  # <- error
    tlx.cluster_barrier()


@refused(errors.InvalidCluster, "and num_ctas=2: give one of the two", options={**PAIR, "num_ctas": 2})
def two_kinds_of_clusters():  # <- error
    tlx.cluster_barrier()


# --- no cluster ------------------------------------------------------------------------------------------------------


@refused(errors.NoCluster, "barrier_arrive: this kernel is compiled without a cluster")
def arrival_without_cluster():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=0)  # <- error


@refused(errors.NoCluster, "cluster_barrier: this kernel is compiled without a cluster")
def barrier_without_cluster():
    tlx.cluster_barrier()  # <- error


@refused(errors.NoCluster, "remote_view: this kernel is compiled without a cluster")
def view_without_cluster():
    bars = tlx.alloc_barriers(1)
    tlx.remote_view(bars[0], 0)  # <- error


@refused(errors.NoCluster, "remote_shmem_store: this kernel is compiled without a cluster")
def store_without_cluster():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.remote_shmem_store(a[0], tl.zeros((64,), tl.float32), 1)  # <- error


@refused(errors.NoCluster, "multicast_targets: this kernel is compiled without a cluster", x=DESC)
def multicast_without_cluster(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], full[0], multicast_targets=[0, 1])  # <- error


# --- ranks -----------------------------------------------------------------------------------------------------------


@refused(errors.RankOutOfRange, "barrier_arrive: rank 2 in a cluster of 2 CTAs (2x1x1)", options=PAIR)
def third_of_a_pair():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=2)  # <- error


@refused(errors.RankOutOfRange, "rank -1 in a cluster of 4 CTAs (2x2x1)", options={"ctas_per_cga": (2, 2, 1)})
def rank_before_the_first():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.remote_shmem_store(a[0], tl.zeros((64,), tl.float32), -1)  # <- error


@refused(errors.RankOutOfRange, "multicast_targets: rank 4 in a cluster of 2 CTAs", options=PAIR, x=DESC)
def multicast_to_the_fifth(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], full[0], multicast_targets=[0, 4])  # <- error


@refused(errors.InvalidCluster, "barrier_arrive: the rank must be an integer scalar, not 0.5", options=PAIR)
def half_a_rank():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], 1, remote_cta_rank=0.5)  # <- error


@refused(errors.InvalidCluster, "remote_view: the rank must be an integer scalar, not a tensor of type", options=PAIR)
def ranks_as_a_tensor():
    bars = tlx.alloc_barriers(1)
    tlx.remote_view(bars[0], tl.arange(0, 2))  # <- error


@refused(errors.InvalidCluster, "remote_shmem_store: the rank must be an integer scalar, not None", options=PAIR)
def store_to_nobody():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.remote_shmem_store(a[0], tl.zeros((64,), tl.float32), None)  # <- error


# --- barriers of the cluster -----------------------------------------------------------------------------------------


@refused(errors.ClusterSyncMismatch, "never calls it: this hangs", options=PAIR, y="*i32")
def barrier_in_one_task(y):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()  # <- error
        with tlx.async_task(num_warps=4):
            tl.store(y, 1)


@refused(errors.ClusterSyncMismatch, "calls cluster_barrier 2 times, the task in line", options=PAIR)
def barriers_of_different_number():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()  # <- error
        with tlx.async_task(num_warps=4):
            tlx.cluster_barrier()
            tlx.cluster_barrier()


@refused(errors.ClusterSyncMismatch, "while 3 warps of the CTA have no task", options=PAIR, n="i32")
def barrier_in_a_loop_beside_idle_warps(n):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for _ in tl.range(0, n):
                tlx.cluster_barrier()  # <- error
        with tlx.async_task(num_warps=1):
            for _ in tl.range(0, n):
                tlx.cluster_barrier()


@refused(errors.ClusterSyncMismatch, "cluster_barrier outside of the tasks of this kernel", options=PAIR, y="*i32")
def barrier_outside_of_tasks(y):
    tlx.cluster_barrier()  # <- error
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4):
            tl.store(y + 1, 1)


@refused(errors.ClusterSyncMismatch, "other tasks of the kernel have 8: 4 warps never join", options=PAIR, y="*i32")
def fewer_warps_in_one_region(y):
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            tlx.cluster_barrier()
        with tlx.async_task(num_warps=4):
            tlx.cluster_barrier()
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=8):
            tl.store(y + 1, 1)


@refused(errors.RemoteOutsideTasks, "has tasks, and reaches another CTA outside of them", options=PAIR, y="*i32")
def arrival_outside_of_tasks(y):
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=1)  # <- error
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4):
            tl.store(y + 1, 1)


# --- barriers of peers -----------------------------------------------------------------------------------------------


@refused(errors.RemoteBarrier, "barrier_wait takes a barrier of this CTA, not another CTA's", options=PAIR)
def wait_for_a_peers_barrier():
    bars = tlx.alloc_barriers(1)
    view = tlx.remote_view(bars[0], 1)
    tlx.barrier_wait(view, 0)  # <- error


@refused(errors.RemoteBarrier, "barrier_expect_bytes takes a barrier of this CTA", options=PAIR)
def bytes_expected_for_a_peer():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(tlx.remote_view(bars[0], 1), 64)  # <- error


@refused(errors.RemoteBarrier, "remote_view takes a barrier of this CTA", options=PAIR)
def view_of_a_view():
    bars = tlx.alloc_barriers(1)
    tlx.remote_view(tlx.remote_view(bars[0], 1), 0)  # <- error


@refused(errors.RemoteBarrier, "async_remote_shmem_store takes a barrier of this CTA", options=PAIR)
def bytes_for_a_view():
    a = tlx.local_alloc((64,), tl.float32, 1)
    bars = tlx.alloc_barriers(1)
    view = tlx.remote_view(bars[0], 1)
    tlx.async_remote_shmem_store(a[0], tl.zeros((64,), tl.float32), 1, view)  # <- error


@refused(errors.InvalidBarrier, "arrives 2 times at once, a phase of this barrier takes 1", options=PAIR)
def two_arrivals_of_one():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], 2, remote_cta_rank=1)  # <- error


@refused(errors.InvalidBarrier, "128 threads of this task arrive 1 times each", options=PAIR)
def more_threads_than_a_peer_expects():
    bars = tlx.alloc_warp_barrier(1, num_warps=2)
    tlx.barrier_arrive(tlx.remote_view(bars[0], 1))  # <- error


# --- memory of peers -------------------------------------------------------------------------------------------------


@refused(errors.NotABuffer, "remote_shmem_store's dst", options=PAIR)
def store_into_a_peers_tensor():
    tlx.remote_shmem_store(tl.zeros((64,), tl.float32), tl.zeros((64,), tl.float32), 1)  # <- error


@refused(errors.ShapeMismatch, "remote_shmem_store's src must be a tensor, not a constexpr of type", options=PAIR)
def number_for_a_peer():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.remote_shmem_store(a[0], 1, 1)  # <- error


@refused(errors.ShapeMismatch, "remote_shmem_store of a 32 tensor into 64 fp32", options=PAIR)
def half_a_buffer_for_a_peer():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.remote_shmem_store(a[0], tl.zeros((32,), tl.float32), 1)  # <- error


@refused(errors.DtypeMismatch, "async_remote_shmem_store of fp32 into 64 fp16", options=PAIR)
def another_type_for_a_peer():
    a = tlx.local_alloc((64,), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_remote_shmem_store(a[0], tl.zeros((64,), tl.float32), 1, full[0])  # <- error


@refused(errors.InvalidCopy, "rows of 1 elements are 2 bytes, an asynchronous store takes at least 4", options=PAIR)
def asynchronous_store_of_two_bytes():
    a = tlx.local_alloc((32, 1), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_remote_shmem_store(a[0], tl.zeros((32, 1), tl.float16), 1, full[0])  # <- error


@refused(errors.NotABarrier, "async_remote_shmem_copy takes an mbarrier", options=PAIR)
def copy_that_signals_a_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    tlx.async_remote_shmem_copy(a[0], a[1], 1, a[0])  # <- error


@refused(errors.NotABuffer, "async_remote_shmem_copy's src", options=PAIR)
def copy_of_a_tensor_to_a_peer():
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_remote_shmem_copy(a[0], tl.zeros((64,), tl.float32), 1, full[0])  # <- error


@refused(errors.ShapeMismatch, "async_remote_shmem_copy of 32 fp32 in shared memory into 64 fp32", options=PAIR)
def copy_into_a_larger_buffer():
    a = tlx.local_alloc((64,), tl.float32, 1)
    b = tlx.local_alloc((32,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_remote_shmem_copy(a[0], b[0], 1, full[0])  # <- error


@refused(errors.InvalidCopy, "async_remote_shmem_copy of 8 bytes, a bulk copy takes multiples of 16", options=PAIR)
def copy_of_eight_bytes():
    a = tlx.local_alloc((2,), tl.float32, 2)
    full = tlx.alloc_barriers(1)
    tlx.async_remote_shmem_copy(a[0], a[1], 1, full[0])  # <- error


@refused(errors.NotInTriton, "knows them only in their default layout, not", options=PAIR)
def transposed_view_for_a_peer():
    a = tlx.local_alloc((64, 32), tl.float16, 1)
    view = tlx.local_trans(a[0])
    tlx.remote_shmem_store(view, tl.zeros((32, 64), tl.float16), 1)  # <- error


@refused(errors.NotInTriton, "remote_shmem_store takes whole buffers, not a slice", options=PAIR)
def slice_for_a_peer():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    part = tlx.local_slice(a[0], [0, 0], [32, 64])
    tlx.remote_shmem_store(part, tl.zeros((32, 64), tl.float16), 1)  # <- error


@refused(errors.NotInTriton, "the rows of this slice don't follow", options=PAIR, x="tensordesc<fp16[2, 32, 64]>")
def multicast_into_halves_of_two_matrices(x):
    a = tlx.local_alloc((2, 64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    part = tlx.local_slice(a[0], [0, 0, 0], [2, 32, 64])
    tlx.async_descriptor_load(x, part, [0, 0, 0], full[0], multicast_targets=[0, 1])  # <- error

"""The CTA's place in its cluster, and the cluster's barrier."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import builtin

from ..compiler.async_state import Unseen
from ..compiler.clusters import size_of_cluster
from ..compiler.late_ops import emit
from ..errors import NoCluster

__all__ = ["cluster_barrier", "cluster_cta_rank", "cluster_size_1d", "fence_mbarrier_init_cluster"]


@builtin
def cluster_cta_rank(_semantic=None):
    """The CTA's number in its cluster, i32: x + cx * (y + cy * z) of its place there; 0 without a cluster.

    sm_90. PTX `%cluster_ctarank`.
    """
    if _semantic.task.kernel.cluster is None:
        return _semantic.to_tensor(0)
    return tl.tensor(emit("cluster_rank", [], tl.int32.to_ir(_semantic.builder), _semantic), tl.int32)


@builtin
def cluster_size_1d(_semantic=None):
    """The number of CTAs in the cluster, i32; 1 without a cluster."""
    shape = _semantic.task.kernel.cluster
    return _semantic.to_tensor(1 if shape is None else size_of_cluster(shape))


@builtin
def cluster_barrier(_semantic=None, _generator=None):
    """Waits until all threads of all CTAs of the cluster have come here.

    In a kernel with tasks, every task calls it equally often. Warps that have no task join as the compiler sees to.

    Raises NoCluster; ClusterSyncMismatch where some warps would never join. sm_90. PTX `barrier.cluster.arrive` and
    `barrier.cluster.wait`.
    """
    if _semantic.task.kernel.cluster is None:
        raise NoCluster(
            "cluster_barrier: this kernel is compiled without a cluster", "launch it with ctas_per_cga=(2, 1, 1)"
        )
    _semantic.task.cluster_use.join(_semantic.here(), _generator.at_task_top_level)
    _semantic.make_stores_visible()
    emit("cluster_barrier", [], None, _semantic)
    _semantic.engines.unseen &= ~Unseen.PEERS  # it releases at the cluster's scope


@builtin
def fence_mbarrier_init_cluster(_semantic=None):
    """Makes the barriers that this thread has initialized visible to the cluster, once a cluster barrier has followed.

    The compiler does both where a kernel reaches other CTAs. sm_90. PTX `fence.mbarrier_init.release.cluster`.
    """
    emit("fence_mbarrier_init", [], None, _semantic)

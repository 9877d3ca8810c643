"""How findings speak of ops, agents and barriers."""

from __future__ import annotations

from ..ir.model import Op
from ..language.bulk import BULK_LOAD_PTX, BULK_STORE_PTX
from ..language.cluster_ptx import (
    ARRIVE_REMOTE_PTX,
    ASYNC_STORE_BYTES,
    BOX_RANKS,
    COPY_REMOTE_PTX,
    MAPA_PTX,
    STORE_BYTES,
    async_store_remote_ptx,
    multicast_load_ptx,
    store_remote_ptx,
)
from ..language.thread_arrivals import ARRIVE_PTX
from ..sim.agents import Agent
from ..sim.cta import CTA

__all__ = ["agent_words", "home_of", "memory_words", "op_words", "place_words", "slot_of", "task_words"]

_OPS = {
    "gpu.barrier": "barrier",
    "llvm.call_intrinsic": "named barrier",
    "nvvm.cluster.arrive": "arrival",
    "nvvm.cluster.wait": "wait",
    "nvvm.fence.mbarrier.init": "fence_mbarrier_init_cluster",
    "tt.atomic_cas": "atomic_cas",
    "tt.atomic_poll": "atomic_poll",
    "tt.atomic_rmw": "atomic",
    "tt.load": "load",
    "tt.store": "store",
    "ttg.async_copy_global_to_local": "cp.async",
    "ttg.async_wait": "wait for cp.async",
    "ttg.local_alloc": "local_alloc",
    "ttg.local_gather": "local_gather",
    "ttg.local_load": "local_load",
    "ttg.local_scatter": "local_scatter",
    "ttg.local_store": "local_store",
    "ttg.warp_specialize": "start of the warp groups",
    "ttng.arrive_barrier": "barrier_arrive",
    "ttng.async_copy_mbarrier_arrive": "arrival of cp.async",
    "ttng.async_tma_copy_global_to_local": "TMA load",
    "ttng.async_tma_copy_local_to_global": "TMA store",
    "ttng.async_tma_reduce": "TMA reduction",
    "ttng.async_tma_store_wait": "wait for TMA stores",
    "ttng.barrier_expect": "barrier_expect_bytes",
    "ttng.fence_async_shared": "fence.proxy.async",
    "ttng.init_barrier": "initialisation",
    "ttng.inval_barrier": "invalidation",
    "ttng.wait_barrier": "barrier_wait",
    "ttng.warp_group_dot": "MMA",
    "ttng.warp_group_dot_wait": "wait for MMAs",
}
_ENGINES = {
    "tma_load": "the TMA load",
    "tma_store": "the TMA store",
    "mma": "the MMA",
    "cp_async": "the cp.async",
    "st_async": "the async store",
    "bulk_copy": "the bulk copy",
}


_PTX = {
    ARRIVE_PTX: "barrier_arrive",
    BULK_LOAD_PTX: "async_load",
    BULK_STORE_PTX: "async_store",
    ARRIVE_REMOTE_PTX: "barrier_arrive",
    MAPA_PTX: "mapa",
    COPY_REMOTE_PTX: "async_remote_shmem_copy",
    **{store_remote_ptx(num_bytes): "remote_shmem_store" for num_bytes in STORE_BYTES},
    **{async_store_remote_ptx(num_bytes): "async_remote_shmem_store" for num_bytes in ASYNC_STORE_BYTES},
    **{multicast_load_ptx(rank): "TMA load" for rank in BOX_RANKS},
}


def op_words(op: Op, of: str = "") -> str:
    """`barrier_arrive(empty[1])`, as the source would say.

    Args:
        of: the buffer or barrier that it acts on.
    """
    name = _OPS.get(op.name, op.name)
    if op.name == "tt.elementwise_inline_asm":
        name = _PTX.get(op.attributes["asm_string"], "inline PTX")
    return f"`{name}({of})`" if of else f"`{name}`"


def place_words(op: Op | None) -> str:
    """` at line 41`; "" where the line isn't known."""
    return f" at line {op.location.line}" if op is not None and op.location.known else ""


def home_of(agent: Agent) -> CTA:
    """The CTA whose code started it; an engine may act in another one of the cluster."""
    return agent.cta if agent.issuer is None else agent.issuer.cta


def task_words(agent: Agent) -> str:
    """`default`, or `the MMA of default`, in whatever CTA."""
    return f"{_ENGINES[agent.kind]} of {agent.issuer.name}" if agent.issuer is not None else agent.name


def agent_words(agent: Agent) -> str:
    """`the MMA of default`; in a cluster with its rank: `default of CTA 1`."""
    home = home_of(agent)
    return task_words(agent) if home.cluster.size == 1 else f"{task_words(agent)} of CTA {home.rank}"


def memory_words(cta: CTA) -> str:
    """` in CTA 1` of a cluster, as the place of something in shared memory; "" without a cluster."""
    return f" in CTA {cta.rank}" if cta.cluster.size > 1 else ""


def slot_of(path: tuple[int, ...]) -> int | None:
    """The place in a ring, of a view's path."""
    return path[-1] if path else None

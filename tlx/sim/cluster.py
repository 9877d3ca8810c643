"""A cluster: CTAs that are resident together, reach each other's shared memory, and meet at a barrier of the hardware.

An address of shared memory has the rank of its CTA above its offset there, as on the hardware: PTX `mapa` only
replaces the rank.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..ir.model import Op
from .agents import Agent, Observer
from .cluster_barrier import ClusterBarrier
from .cta import CTA
from .errors import NoSuchPeer, PeerGone, PeerNotReady
from .layouts import LayoutMap
from .memory import Buffer, MemDesc
from .scheduler import Scheduler

if TYPE_CHECKING:
    from .barriers import Barrier
    from .launch import Launch

__all__ = ["Cluster"]

_RANK_SHIFT = 24
"""Bits of an offset in shared memory; the rank is above them (seen in SASS of sm_90: `SR_CgaCtaId` << 24)."""


class Cluster:
    """The CTAs of one cluster of a launch.

    Args:
        launch: the launch it belongs to.
        place: its place in the grid of clusters.
        scheduler: runs the agents.
        observer: sees their events.

    `ctas` are ordered by rank.
    """

    def __init__(self, launch: Launch, place: tuple[int, int, int], scheduler: Scheduler, observer: Observer):
        self.place = place
        self.shape = launch.code.cluster
        self.ctas: list[CTA] = []
        self.barrier = ClusterBarrier(self, launch.code.total_warps, observer)
        for rank in range(launch.code.cluster_size):
            self.ctas.append(CTA(launch, self, rank, scheduler, observer))

    @property
    def size(self) -> int:
        """CTAs."""
        return len(self.ctas)

    @property
    def running(self) -> bool:
        """Whether a CTA of it hasn't ended."""
        return not all(cta.ended for cta in self.ctas)

    def map(self, address: int, rank: int) -> int:
        """The address of the same offset in the CTA of another rank (`mapa`).

        Raises:
            NoSuchPeer: the cluster has no such rank.
        """
        if not 0 <= rank < self.size:
            raise NoSuchPeer(
                f"CTA {rank} of a cluster of {self.size}: ranks are 0 to {self.size - 1}",
                hint="take the rank modulo the cluster's size",
            )
        return self.address(rank, _offset(address))

    def address(self, rank: int, offset: int) -> int:
        """The address of an offset in the shared memory of the CTA of that rank."""
        return rank << _RANK_SHIFT | offset

    def reach(self, agent: Agent, address: int, op: Op) -> tuple[CTA, int]:
        """The CTA that an address is in, which must be there, and the offset.

        Raises:
            NoSuchPeer: the cluster has no such rank.
            PeerNotReady: the CTA hasn't started.
            PeerGone: the CTA has ended.
        """
        rank = address >> _RANK_SHIFT
        if not 0 <= rank < self.size:
            raise NoSuchPeer(f"{address:#x} is no address of shared memory in a cluster of {self.size}")
        cta = self.ctas[rank]
        self._check_present(agent, cta, op)
        return cta, _offset(address)

    def barrier_at(self, agent: Agent, address: int, op: Op) -> Barrier:
        """The mbarrier at an address.

        Raises:
            PeerNotReady: it isn't initialised, in another CTA.
            BarrierMisuse: it isn't initialised, in the agent's own.
        """
        cta, offset = self.reach(agent, address, op)
        if cta is not agent.cta and not cta.barriers.has(offset):
            raise PeerNotReady(
                f"CTA {cta.rank} of the cluster has no initialised mbarrier at shared address {offset}",
                hint="initialise barriers, fence (tlx.fence_mbarrier_init_cluster) and sync the cluster first",
            )
        return cta.barriers.at_address(offset)

    def elements(self, agent: Agent, addresses: np.ndarray, dtype: np.dtype, op: Op) -> tuple[CTA, MemDesc]:
        """The CTA in which elements at these addresses are, and a view of them.

        Raises:
            NoSuchPeer: they are in several CTAs.
            BufferBoundsError: they leave their buffer.
        """
        addresses = np.asarray(addresses).astype(np.int64)
        low = int(addresses.min())
        if int(addresses.max()) >> _RANK_SHIFT != low >> _RANK_SHIFT:
            raise NoSuchPeer("the elements of one store are in several CTAs of the cluster")
        cta, start = self.reach(agent, low, op)
        offsets = addresses - low
        return cta, self.view(agent, start, _map_of(offsets.tobytes(), offsets.shape, dtype.itemsize), dtype)

    def view(self, agent: Agent, start: int, map: LayoutMap, dtype: np.dtype) -> MemDesc:
        """A view from an offset on, good in every CTA: their buffers are the same, as they run the same kernel.

        Raises:
            BufferBoundsError: it leaves its buffer.
        """
        buffer = agent.cta.memory.buffer_at(start, map.high)
        return MemDesc(buffer, start, map, dtype, _slot(buffer, start))

    def _check_present(self, agent: Agent, cta: CTA, op: Op) -> None:
        """Nobody may reach into a CTA that hasn't started, or that has ended.

        Raises:
            PeerNotReady, PeerGone: it is not there.
        """
        if not cta.started:
            error = PeerNotReady(
                f"the shared memory of CTA {cta.rank} of the cluster is reached before that CTA has started",
                hint="sync the cluster first (tlx.cluster_barrier)",
            )
            agent.cta.observer.mistake(agent, error, op, cta)
        if cta.ended:
            error = PeerGone(
                f"the shared memory of CTA {cta.rank} of the cluster is reached after that CTA has ended",
                hint="sync the cluster before the kernel ends",
            )
            agent.cta.observer.mistake(agent, error, op, cta)


@lru_cache(maxsize=1024)
def _map_of(offsets: bytes, shape: tuple[int, ...], itemsize: int) -> LayoutMap:
    # Equal views must have one map: the checker tells views apart by it.
    return LayoutMap(np.frombuffer(offsets, np.int64).reshape(shape), itemsize)


def _offset(address: int) -> int:
    return address & (1 << _RANK_SHIFT) - 1


def _slot(buffer: Buffer, offset: int) -> tuple[int, ...]:
    """Which of several buffers of one allocation an offset is in, as a path."""
    shape = buffer.op.result.type.shape
    return ((offset - buffer.start) * shape[0] // buffer.nbytes,) if len(shape) > 1 else ()

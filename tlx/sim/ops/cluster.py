"""Clusters: the barrier of a cluster, ranks, and what reaches the shared memory of its other CTAs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...language.cluster_ptx import (
    ARRIVE_REMOTE_PTX,
    ASYNC_STORE_BYTES,
    BOX_RANKS,
    COPY_REMOTE_PTX,
    MAPA_PTX,
    STORE_BYTES,
    async_store_remote_ptx,
    message_box,
    multicast_load_ptx,
    store_remote_ptx,
)
from ..errors import BarrierMisuse, MisalignedAccess, NoSuchPeer
from ..layouts import layout_map
from ..per_thread import agreed
from .external import group_ptx
from .registry import simulates

_COPY_ALIGNMENT = 16
"""Bytes of which sizes and addresses of bulk copies are multiples (PTX ISA, `cp.async.bulk`)."""


# --- the cluster's barrier -------------------------------------------------------------------------------------------


@simulates("nvvm.cluster.arrive")
def cluster_arrive(group, op):
    """All threads of the group arrive (`barrier.cluster.arrive`)."""
    group.cta.cluster.barrier.arrive(group, op)


@simulates("nvvm.cluster.wait")
def cluster_wait(group, op):
    """Waits until all threads of the cluster have arrived (`barrier.cluster.wait`)."""
    yield from group.cta.cluster.barrier.wait(group, op)
    group.passed[op] += 1


@simulates("nvvm.fence.mbarrier.init")
def fence_mbarrier_init(group, op):
    """Makes initialised mbarriers known to the cluster (`fence.mbarrier_init.release.cluster`)."""
    group.cta.observer.publish(group, op)


# --- ranks, elected threads, addresses -------------------------------------------------------------------------------


@simulates("nvvm.read.ptx.sreg.cluster.ctarank")
def cluster_ctarank(group, op):
    """The CTA's rank in its cluster, i32."""
    return np.int32(group.cta.rank)


@simulates("nvvm.read.ptx.sreg.cluster.nctarank")
def cluster_nctarank(group, op):
    """CTAs of the cluster, i32."""
    return np.int32(group.cta.cluster.size)


@simulates("nvvm.elect.sync")
def elect_sync(group, op):
    """Holds in one thread of each warp, here its first; which one it is PTX leaves open."""
    return np.arange(group.num_threads) % group.warp_size == 0


@simulates("builtin.unrealized_conversion_cast")
def unrealized_conversion_cast(group, op, descriptor):
    """A descriptor as a pointer to it."""
    return group.launch.place_descriptor(descriptor, op.operands[0].type.block.encoding)


@simulates("llvm.ptrtoint")
def ptrtoint(group, op, pointer):
    """A pointer to a descriptor as a number."""
    return np.int64(pointer)


@group_ptx(MAPA_PTX)
def mapa(group, op, address, rank):
    """The same place in the CTA of another rank."""
    rank = int(agreed(rank, "the rank of a CTA"))
    return np.int32(group.cta.cluster.map(int(address), rank))


# --- what reaches other CTAs -----------------------------------------------------------------------------------------


def _executions(group, predicate) -> int:
    """How many threads execute an instruction whose predicate is a scalar, or one number for each thread."""
    return int(np.count_nonzero(np.broadcast_to(predicate, group.num_threads)))


@group_ptx(ARRIVE_REMOTE_PTX)
def arrive_remote(group, op, address, count, predicate):
    """Each thread arrives `count` times on the barrier of another CTA."""
    arrivals = int(count) * _executions(group, predicate)
    if arrivals:
        group.cta.cluster.barrier_at(group, int(address), op).arrive(group, arrivals, op)
    return np.int32(0)


@group_ptx(COPY_REMOTE_PTX)
def copy_remote(group, op, target, source, nbytes, word, predicate):
    """Each thread starts a copy to another CTA; its bytes land on a barrier there."""
    for _ in range(_executions(group, predicate)):
        _start_copy(group, op, int(target), int(source), int(nbytes), int(word))
    return np.int32(0)


def _start_copy(group, op, target: int, source: int, nbytes: int, word: int) -> None:
    if nbytes <= 0 or any(number % _COPY_ALIGNMENT for number in (target, source, nbytes)):
        raise MisalignedAccess(
            f"a bulk copy of {nbytes:,} B from {source:#x} to {target:#x}: all three must be multiples of 16 B"
        )
    cluster = group.cta.cluster
    places = np.arange(nbytes)
    cta, from_view = cluster.elements(group, source + places, np.dtype(np.uint8), op)
    destination, to_view = cluster.elements(group, target + places, np.dtype(np.uint8), op)
    barrier = _barrier_in(group, op, destination, word)

    def work(engine):
        values = cta.memory.read(engine, from_view, op)
        yield None
        destination.memory.write(engine, to_view, values, op)
        del cta.loads[engine]
        _land(engine, barrier, nbytes, op)

    engine = group.issue("bulk_copy", op, work, signals=barrier, cta=destination)
    cta.loads[engine] = destination.loads[engine] = None


def _barrier_in(group, op, cta, word: int):
    """The mbarrier at an address, which must be in that CTA.

    Raises:
        BarrierMisuse: it is in another one.
    """
    barrier = group.cta.cluster.barrier_at(group, word, op)
    if barrier.cta is not cta:
        raise BarrierMisuse(
            f"{barrier.full_name} of CTA {barrier.cta.rank} of the cluster can't count bytes written to CTA {cta.rank}",
            hint="take the barrier of the CTA that is written to",
        )
    return barrier


def _land(engine, barrier, nbytes: int, op) -> None:
    barrier.land(engine, nbytes, op)
    barrier.cta.loads.pop(engine, None)


def _elements_of(num_bytes: int, addresses, words, chosen=True):
    """Addresses and values of what is stored, in pieces of at most 4 bytes, without what isn't chosen.

    Raises:
        MisalignedAccess: an address is no multiple of the bytes that are stored at once.
    """
    piece = min(num_bytes, 4)
    addresses, *words, chosen = np.broadcast_arrays(addresses, *words, chosen)
    addresses = addresses[chosen].astype(np.int64)[:, None]
    if (addresses % num_bytes).any():
        raise MisalignedAccess(f"stores of {num_bytes} B to shared memory must be at multiples of {num_bytes}")
    addresses = addresses + piece * np.arange(len(words))
    values = np.stack([word[chosen] for word in words], axis=-1)
    return addresses, values.astype(f"u{piece}")


def _register_stores(num_bytes: int) -> None:
    @group_ptx(store_remote_ptx(num_bytes))
    def store_remote(group, op, addresses, *words):
        """Stores elements in the shared memory of another CTA."""
        addresses, values = _elements_of(num_bytes, addresses, words)
        cta, view = group.cta.cluster.elements(group, addresses, values.dtype, op)
        cta.memory.write(group, view, values, op)
        return np.zeros(np.shape(words[0]), np.int32)[()]


def _register_async_stores(num_bytes: int) -> None:
    @group_ptx(async_store_remote_ptx(num_bytes))
    def async_store_remote(group, op, addresses, word, *words_and_predicate):
        """Stores elements in another CTA, later; their bytes land on a barrier there."""
        *words, predicate = words_and_predicate
        outcome = np.zeros(np.shape(words[0]), np.int32)[()]
        addresses, values = _elements_of(num_bytes, addresses, words, np.asarray(predicate, np.bool_))
        if not values.size:
            return outcome
        cta, view = group.cta.cluster.elements(group, addresses, values.dtype, op)
        barrier = _barrier_in(group, op, cta, int(np.asarray(word).flat[0]))

        def work(engine):
            cta.memory.write(engine, view, values, op)
            yield None
            _land(engine, barrier, values.nbytes, op)

        cta.loads[group.issue("st_async", op, work, signals=barrier, cta=cta)] = None
        return outcome


for _num_bytes in STORE_BYTES:
    _register_stores(_num_bytes)
for _num_bytes in ASYNC_STORE_BYTES:
    _register_async_stores(_num_bytes)


# --- multicast -------------------------------------------------------------------------------------------------------


def _register_multicast(rank: int) -> None:
    @group_ptx(multicast_load_ptx(rank))
    def multicast_load(group, op, address, descriptor, *operands):
        """Loads one box into several CTAs, at the same address in each, and signals the same barrier in each."""
        *corner, word, mask, predicate = operands
        mask = int(agreed(mask, "the CTAs of a multicast"))
        if mask < 0 or mask >> group.cta.cluster.size:
            raise NoSuchPeer(
                f"multicast to CTAs {mask:#b} of a cluster of {group.cta.cluster.size}: only its own ranks have a bit"
            )
        targets = [cta for cta in group.cta.cluster.ctas if mask >> cta.rank & 1]
        for _ in range(_executions(group, predicate)):
            for cta in targets:
                _start_load(group, op, cta, int(address), int(descriptor), tuple(map(int, corner[::-1])), int(word))
        return np.int32(0)


def _start_load(group, op, cta, address: int, descriptor: int, corner: tuple[int, ...], word: int) -> None:
    cluster = group.cta.cluster
    tensor, layout = group.launch.descriptors[descriptor]
    box = message_box(tensor.block, 8 * tensor.dtype.itemsize, layout.get("swizzlingByteWidth", 0))
    tensor = replace(tensor, block=tuple(box))
    _, offset = cluster.reach(group, cluster.map(address, cta.rank), op)
    view = cluster.view(group, offset, layout_map(tensor.block, layout, tensor.dtype.itemsize), tensor.dtype)
    barrier = cluster.barrier_at(group, cluster.map(word, cta.rank), op)

    def work(engine):
        cta.memory.write(engine, view, tensor.load(group.launch.memory, corner), op)
        yield None
        group.launch.tma_load_bytes += tensor.tile_bytes
        _land(engine, barrier, tensor.tile_bytes, op)

    cta.loads[group.issue("tma_load", op, work, signals=barrier, cta=cta)] = None


for _rank in BOX_RANKS:
    _register_multicast(_rank)

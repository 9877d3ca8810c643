"""Copies of tiles between global and shared memory by the TMA engine, and the descriptors made by a kernel."""

from __future__ import annotations

import numpy as np

from ..descriptors import DESCRIPTOR_BYTES, TensorDescriptor
from ..errors import DescriptorError, UnsupportedOp
from ..pointers import Pointers
from ..values import dtype_of
from .atomic import UPDATES
from .registry import simulates


def note_use(engine, descriptor: TensorDescriptor, op) -> None:
    """Tells the observer that an engine reads a descriptor that the kernel has made."""
    if descriptor.place is not None:
        engine.cta.observer.load(engine, np.array([descriptor.place]), DESCRIPTOR_BYTES, op)


@simulates("ttng.async_tma_copy_global_to_local")
def async_tma_copy_global_to_local(group, op, descriptor, *operands):
    """Fills a buffer and signals the barrier with the bytes of the whole tile (`cp.async.bulk.tensor`)."""
    rank = len(descriptor.block)
    if len(operands) != rank + 3 or op.attributes.get("multicast"):
        raise UnsupportedOp("TMA loads with im2col offsets or multicast are not simulated")
    corner = tuple(map(int, operands[:rank]))
    view, word, predicate = operands[rank:]
    if not predicate:
        return
    barrier = group.cta.barriers.at(word)

    def work(engine):
        note_use(engine, descriptor, op)
        tile = descriptor.load(group.launch.memory, corner)
        group.cta.memory.write(engine, view, tile.reshape(view.shape), op)
        yield None
        group.launch.tma_load_bytes += descriptor.tile_bytes
        barrier.land(engine, descriptor.tile_bytes, op)
        del loads[engine]

    loads = group.cta.loads
    loads[group.issue("tma_load", op, work, signals=barrier)] = None


@simulates("ttng.async_tma_copy_local_to_global")
def async_tma_copy_local_to_global(group, op, descriptor, *operands):
    """Stores a buffer, clipped to the tensor, as a commit group of its own (`cp.async.bulk.tensor`)."""
    *corner, view = operands
    corner = tuple(map(int, corner))

    def work(engine):
        note_use(engine, descriptor, op)
        tile = group.cta.memory.read(engine, view, op)
        engine.finish_reads()
        yield None
        group.launch.note_overrun(op, descriptor.store(group.launch.memory, corner, tile))
        group.launch.tma_store_bytes += descriptor.tile_bytes

    group.issue("tma_store", op, work, group.stores)
    group.stores.commit()


@simulates("ttng.async_tma_reduce")
def async_tma_reduce(group, op, descriptor, *operands):
    """Combines a tensor's elements with a buffer's, atomically, as a commit group of its own (`cp.reduce.async.bulk`).

    Integers are compared as the descriptor's type says; sums of floats are rounded at each update.
    """
    *corner, view = operands
    corner = tuple(map(int, corner))
    kind, element = op.attributes["kind"], str(op.operands[0].type.block.element)
    _check_reduction(kind, element, corner)
    unsigned = element.startswith("u")
    update = UPDATES[f"u{kind}" if unsigned and kind in ("min", "max") else kind]

    def work(engine):
        note_use(engine, descriptor, op)
        tile = group.cta.memory.read(engine, view, op)
        engine.finish_reads()
        yield None
        group.launch.note_overrun(op, descriptor.store(group.launch.memory, corner, tile, update))
        group.launch.tma_store_bytes += descriptor.tile_bytes

    group.issue("tma_store", op, work, group.stores)
    group.stores.commit()


def _check_reduction(kind: str, element: str, corner: tuple[int, ...]) -> None:
    """What is an illegal instruction on an H200.

    Raises:
        DescriptorError: a block that begins before the tensor, or bits of signed 64-bit integers.
    """
    if min(corner) < 0:
        raise DescriptorError(
            f"a reduction at {corner} begins before the tensor, which TMA can't",
            hint="begin inside the tensor; blocks may hang over its ends",
        )
    if kind in ("and", "or", "xor") and element in ("i64", "si64"):
        raise DescriptorError(f"TMA can't {kind} elements of {element}", hint="use a descriptor of uint64")


@simulates("ttng.async_tma_store_wait")
def async_tma_store_wait(group, op):
    """Waits until all but the last `pendings` stores have read their buffers, or, if asked, have been written."""
    wait = group.stores.wait_reads if group.launch.code.waits_for_reads(op) else group.stores.wait
    yield from wait(group, op.attributes["pendings"])


@simulates("ttg.global_scratch_alloc")
def global_scratch_alloc(group, op):
    """Global memory for descriptors, the same each time that a CTA comes here; nothing else may be kept in it."""
    places = group.launch.scratch
    if (group.cta, op) not in places:
        places[group.cta, op] = group.launch.scratch_address(op.attributes["nbytes"])
    return Pointers(np.int64(places[group.cta, op]))


@simulates("ttng.tensormap_create")
def tensormap_create(group, op, target, base, *numbers):
    """Writes a descriptor: box, sizes, strides in bytes, element strides, the contiguous axis first in each."""
    rank = (len(numbers) + 1) // 4
    sizes = tuple(map(int, numbers[rank : 2 * rank]))[::-1]
    strides = tuple(map(int, numbers[2 * rank : 3 * rank - 1]))[::-1]
    fill = np.nan if op.attributes["fill_mode"] else 0
    place = int(target.addresses)
    group.cta.observer.store(group, np.array([place]), np.zeros(1, f"V{DESCRIPTOR_BYTES}"), op)
    group.launch.tensor_maps[place] = base, sizes, strides, fill


@simulates("ttng.tensormap_fenceproxy_acquire")
def tensormap_fenceproxy_acquire(group, op, target):
    """Makes a descriptor visible to TMA; here it is so at once."""


@simulates("ttng.reinterpret_tensor_descriptor")
def reinterpret_tensor_descriptor(group, op, target):
    """The descriptor at an address.

    Raises:
        DescriptorError: none was written there.
    """
    place = int(target.addresses)
    if place not in group.launch.tensor_maps:
        raise DescriptorError(
            "a tensor descriptor is used that nothing has written yet",
            hint="make_tensor_descriptor first; in another task, before a barrier that this one waits for",
            location=op.location,
        )
    group.cta.observer.load(group, np.array([place]), DESCRIPTOR_BYTES, op)
    base, sizes, strides, fill = group.launch.tensor_maps[place]
    block = op.result.type.block
    dtype = dtype_of(block.element)
    steps = (*(stride // dtype.itemsize for stride in strides), 1)
    return TensorDescriptor(base.argument, int(base.addresses), sizes, steps, block.shape, dtype, fill, place)

"""Shared memory: allocations, views, loads and stores, and what orders the warps of a group."""

from __future__ import annotations

import re

import numpy as np

from ..memory import Buffer, MemDesc, buffer_map
from ..values import dtype_of
from .registry import simulates


def _name(op) -> str:
    # MLIR numbers equal names: `full`, `full_0`.
    return op.location.name or re.sub(r"_\d+$", "", op.result.name)


@simulates("ttg.local_alloc")
def local_alloc(group, op, values=None):
    """A buffer, poisoned, or filled with `values`."""
    type = op.result.type
    map = buffer_map(type)
    start = group.shared_base + op.attributes.get("allocation.offset", 0)
    buffer = Buffer(_name(op), start, map.high, op)
    group.cta.barriers.abandon_unused(group, buffer)
    group.cta.memory.poison(buffer)
    view = MemDesc(buffer, start, map, dtype_of(type.element))
    if values is not None:
        group.cta.memory.write(group, view, values, op)
    return view


@simulates("ttg.local_dealloc")
def local_dealloc(group, op, view):
    """The buffer's data may not be read any more."""
    group.cta.memory.poison(view.buffer)


@simulates("ttg.local_load")
def local_load(group, op, view, token=None):
    """A tensor of the view's elements."""
    return group.cta.memory.read(group, view, op)


@simulates("ttg.local_store")
def local_store(group, op, values, view):
    """Writes a tensor."""
    group.cta.memory.write(group, view, values, op)


@simulates("ttg.local_gather")
def local_gather(group, op, view, indices):
    """The elements that the indices choose along an axis."""
    return group.cta.memory.read(group, view.chosen(op.attributes["axis"], np.asarray(indices)), op)


@simulates("ttg.local_scatter")
def local_scatter(group, op, view, indices, values):
    """Writes the elements that the indices choose along an axis."""
    group.cta.memory.write(group, view.chosen(op.attributes["axis"], np.asarray(indices)), values, op)


@simulates("ttg.memdesc_index")
def memdesc_index(group, op, view, index):
    """One of several buffers."""
    return view.index(int(index))


@simulates("ttg.memdesc_subslice")
def memdesc_subslice(group, op, view):
    """A part of a buffer, at constant offsets."""
    return view.slice(tuple(op.attributes["offsets"]), op.result.type.shape)


@simulates("ttg.memdesc_trans")
def memdesc_trans(group, op, view):
    """The buffer with its axes permuted."""
    return view.transpose(tuple(op.attributes["order"]))


@simulates("ttg.memdesc_reshape")
def memdesc_reshape(group, op, view):
    """The buffer with another shape."""
    return view.reshape(op.result.type.shape)


@simulates("ttg.memdesc_reinterpret")
def memdesc_reinterpret(group, op, view):
    """The buffer's bytes under another type."""
    return view.reinterpret(op.result.type)


@simulates("ttng.fence_async_shared")
def fence_async_shared(group, op):
    """Makes the group's stores to shared memory visible to TMA and MMA (`fence.proxy.async`)."""
    group.fence(op)


@simulates("gpu.barrier", "ttg.barrier", "ttg.local_barrier")
def barrier(group, op, *_):
    """Orders the warps of the group, which is one thread of control here."""
    group.cta.observer.synchronize([group], op)

"""Copies of consecutive bytes by the bulk engine, and prefetches, in inline PTX that tlx writes."""

from __future__ import annotations

import numpy as np

from ...language.bulk import BULK_LOAD_PTX, BULK_STORE_PTX
from ...language.cache_hints import EVICTION_POLICIES
from ...language.cluster_ptx import BOX_RANKS
from ...language.prefetch import LEVELS, PREFETCH_TENSORMAP_PTX, prefetch_ptx, prefetch_tensor_ptx
from ..errors import MisalignedAccess
from ..per_thread import agreed
from ..values import shape_of
from .external import group_ptx
from .pointer import pointee_dtype, reported

_ALIGNMENT = 16
"""Bytes of which sizes and addresses of bulk copies are multiples (PTX ISA, `cp.async.bulk`)."""


def _executions(group, predicate) -> int:
    """How many threads execute an instruction whose predicate is a scalar, or one number for each thread."""
    return int(np.count_nonzero(np.broadcast_to(predicate, group.num_threads)))


def _ends(group, op, pointers, pointer_type, address: int, nbytes: int):
    """The elements' addresses in global memory, and the view of the buffer.

    Raises:
        MisalignedAccess: a size or an address that the engine doesn't take.
    """
    start = int(agreed(pointers.addresses, "the pointer of a bulk copy"))
    if nbytes <= 0 or any(number % _ALIGNMENT for number in (start, address, nbytes)):
        raise MisalignedAccess(
            f"a bulk copy of {nbytes:,} B between global {start:#x} and shared {address:#x}: all must be "
            f"multiples of {_ALIGNMENT} B",
            location=op.location,
        )
    dtype = pointee_dtype(pointer_type)
    places = np.arange(0, nbytes, dtype.itemsize)
    _, view = group.cta.cluster.elements(group, address + places, dtype, op)
    return start + places, view


@group_ptx(BULK_LOAD_PTX)
def bulk_load(group, op, address, pointers, nbytes, word, predicate):
    """Each thread starts a copy from global memory; its bytes land on a barrier."""
    for _ in range(_executions(group, predicate)):
        _start_load(group, op, int(address), pointers, int(agreed(nbytes, "the size of a bulk copy")), int(word))
    return np.int32(0)


def _start_load(group, op, address: int, pointers, nbytes: int, word: int) -> None:
    sources, view = _ends(group, op, pointers, op.operands[1].type, address, nbytes)
    barrier = group.cta.cluster.barrier_at(group, word, op)

    def work(engine):
        with reported(group, op):
            values = group.launch.memory.read(pointers.argument, sources, view.dtype)
        group.cta.memory.write(engine, view, values, op)
        yield None
        del group.cta.loads[engine]
        barrier.land(engine, nbytes, op)

    group.cta.loads[group.issue("bulk_copy", op, work, signals=barrier)] = None


@group_ptx(BULK_STORE_PTX)
def bulk_store(group, op, pointers, address, nbytes, predicate):
    """Each thread starts a copy to global memory as a commit group of its own."""
    for _ in range(_executions(group, predicate)):
        _start_store(group, op, pointers, int(address), int(agreed(nbytes, "the size of a bulk copy")))
    return np.int32(0)


def _start_store(group, op, pointers, address: int, nbytes: int) -> None:
    targets, view = _ends(group, op, pointers, op.operands[0].type, address, nbytes)

    def work(engine):
        values = group.cta.memory.read(engine, view, op)
        engine.finish_reads()
        yield None
        with reported(group, op):
            group.launch.memory.write(pointers.argument, targets, values)

    group.issue("tma_store", op, work, group.stores)
    group.stores.commit()


# --- prefetches: no effect, and pointers may be bad ------------------------------------------------------------------


def _no_effect(group, op, *_):
    return np.zeros(shape_of(op.result.type), np.int32)[()]


for _text in (
    PREFETCH_TENSORMAP_PTX,
    *map(prefetch_ptx, LEVELS),
    *(prefetch_tensor_ptx(rank, policy) for rank in BOX_RANKS for policy in EVICTION_POLICIES),
):
    group_ptx(_text)(_no_effect)

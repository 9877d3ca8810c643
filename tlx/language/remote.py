"""Shared memory of other CTAs of the cluster (distributed shared memory)."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import DtypeMismatch, InvalidCopy, ShapeMismatch
from .arguments import describe, list_text
from .barriers import as_barrier
from .buffers import as_buffer, buffered_tensor
from .cluster_access import elected, inline_ptx, own_address, peer_address, reach_peer
from .cluster_ptx import COPY_REMOTE_PTX, async_store_remote_ptx, store_remote_ptx
from .remote_words import chunks_of, one_thread_each
from .shared_offsets import boxes_of

__all__ = ["async_remote_shmem_copy", "async_remote_shmem_store", "remote_shmem_store"]

BULK_UNIT = 16  # bytes, of which a bulk copy takes a multiple
ASYNC_UNIT = 4  # bytes that an asynchronous store takes at least


@builtin
def remote_shmem_store(dst, src, remote_cta_rank, _semantic=None):
    """Stores a tensor into the same buffer of another CTA of the cluster.

    The peer may read it once it has waited for a barrier on which this task arrives afterwards
    (`barrier_arrive(bar, remote_cta_rank=...)`, `cluster_barrier`).

    Args:
        dst: one buffer of this CTA, which stands for the peer's.
        src: tensor of its shape and element type.
        remote_cta_rank: the peer's rank, a compile-time or run-time i32.

    Raises NoCluster, RankOutOfRange, ShapeMismatch, DtypeMismatch, NotInTriton. sm_90. PTX `st.shared::cluster`.
    """
    buffer = as_buffer(dst, "remote_shmem_store's dst")
    check_source(buffer, src, "remote_shmem_store")
    rank = reach_peer("remote_shmem_store", remote_cta_rank, _semantic)
    chunks = chunks_of(src, boxes_of(buffer, "remote_shmem_store"), 1, _semantic)
    base = peer_address(buffer, rank, _semantic)
    address = _semantic.add(chunks.offsets, base, False)
    inline_ptx(store_remote_ptx(chunks.num_bytes), [address, *chunks.words], _semantic)
    _semantic.note_shared_store()


@builtin
def async_remote_shmem_store(dst, src, remote_cta_rank, barrier, _semantic=None):
    """Starts storing a tensor into the same buffer of another CTA; its bytes count towards the peer's barrier.

    Args:
        dst: one buffer of this CTA, which stands for the peer's; its rows have at least 4 bytes.
        src: tensor of its shape and element type.
        remote_cta_rank: the peer's rank, a compile-time or run-time i32.
        barrier: one mbarrier of this CTA, which stands for the peer's, where the peer calls `barrier_expect_bytes`.

    Raises NoCluster, RankOutOfRange, ShapeMismatch, DtypeMismatch, InvalidCopy, NotInTriton. sm_90. PTX `st.async`.
    """
    buffer = as_buffer(dst, "async_remote_shmem_store's dst")
    check_source(buffer, src, "async_remote_shmem_store")
    bar = as_barrier(barrier, "async_remote_shmem_store", _semantic)
    rank = reach_peer("async_remote_shmem_store", remote_cta_rank, _semantic)
    chunks = chunks_of(src, boxes_of(buffer, "async_remote_shmem_store"), ASYNC_UNIT, _semantic)
    (offsets, *words), counts = one_thread_each([chunks.offsets, *chunks.words], _semantic)
    base = peer_address(buffer, rank, _semantic)
    signalled = peer_address(bar, rank, _semantic)
    address = _semantic.add(offsets, base, False)
    signalled = _semantic.splat(signalled, offsets.shape, offsets.type.layout)
    _semantic.make_stores_visible()
    inline_ptx(async_store_remote_ptx(chunks.num_bytes), [address, signalled, *words, counts], _semantic)


@builtin
def async_remote_shmem_copy(dst, src, remote_cta_rank, barrier, _semantic=None):
    """Starts a copy of a buffer into a buffer of another CTA; its bytes count towards the peer's barrier.

    Args:
        dst: one buffer of this CTA, which stands for the peer's.
        src: one buffer of the same shape, element type and layout; not to be written before the peer's phase is over.
        remote_cta_rank: the peer's rank, a compile-time or run-time i32.
        barrier: one mbarrier of this CTA, which stands for the peer's, where the peer calls `barrier_expect_bytes`.

    Raises NoCluster, RankOutOfRange, ShapeMismatch, InvalidCopy. sm_90. PTX
    `cp.async.bulk.shared::cluster.shared::cta`.
    """
    target, source = (
        as_buffer(dst, "async_remote_shmem_copy's dst"),
        as_buffer(src, "async_remote_shmem_copy's src"),
    )
    if target.type != source.type:
        raise ShapeMismatch(f"async_remote_shmem_copy of {source.type} into {target.type}")
    boxes_of(source, "async_remote_shmem_copy")
    size = source.type.slot_bytes
    if size % BULK_UNIT:
        raise InvalidCopy(f"async_remote_shmem_copy of {size} bytes, a bulk copy takes multiples of {BULK_UNIT}")
    bar = as_barrier(barrier, "async_remote_shmem_copy", _semantic)
    rank = reach_peer("async_remote_shmem_copy", remote_cta_rank, _semantic)
    _semantic.make_stores_visible()
    _semantic.debug_barrier()  # all warps have stored what one thread now sends
    operands = [
        peer_address(target, rank, _semantic),
        own_address(source, _semantic),
        _semantic.to_tensor(size),
        peer_address(bar, rank, _semantic),
        elected(None, _semantic),
    ]
    inline_ptx(COPY_REMOTE_PTX, operands, _semantic)


def check_source(buffer: buffered_tensor, src: Any, op: str) -> None:
    """Raises unless the tensor fits the buffer."""
    if not isinstance(src, tl.tensor):
        raise ShapeMismatch(f"{op}'s src must be a tensor, not {describe(src)}")
    shape = [_unwrap_if_constexpr(d) for d in src.shape]
    if shape != buffer.shape:
        raise ShapeMismatch(f"{op} of a {list_text(shape)} tensor into {buffer.type}")
    if src.dtype != buffer.dtype:
        raise DtypeMismatch(f"{op} of {src.dtype} into {buffer.type}", hint=f"convert: src.to({buffer.dtype})")

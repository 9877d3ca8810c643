"""Copies of consecutive bytes between global and shared memory by the bulk engine, without a descriptor."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import DtypeMismatch, InvalidCopy
from .arguments import describe, int32_scalar
from .barriers import as_barrier
from .buffers import as_buffer, buffered_tensor
from .cluster_access import elected, inline_ptx, own_address
from .shared_offsets import boxes_of

__all__ = ["BULK_LOAD_PTX", "BULK_STORE_PTX", "async_store", "load_bulk"]

UNIT = 16  # bytes, of which sizes and addresses are multiples: PTX ISA, "cp.async.bulk"

# Operands: own address of the first byte written i32, pointer to the first byte read, bytes i32, own address of an
# mbarrier i32, predicate i32. Each thread whose predicate isn't 0 starts a copy. `$0` is a dummy result.
BULK_LOAD_PTX = (
    "{ .reg .pred p; setp.ne.b32 p, $5, 0; "
    "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$2], $3, [$4]; } mov.b32 $0, 0;"
)

# Operands: pointer to the first byte written, own address of the first byte read i32, bytes i32, predicate i32. Each
# thread whose predicate isn't 0 starts a copy as a bulk group of its own.
BULK_STORE_PTX = (
    "{ .reg .pred p; setp.ne.b32 p, $4, 0; @p cp.async.bulk.global.shared::cta.bulk_group [$1], [$2], $3; "
    "@p cp.async.bulk.commit_group; } mov.b32 $0, 0;"
)


def load_bulk(src: Any, buffer: buffered_tensor, size: Any, barrier: Any, semantic) -> None:
    """Starts a copy into a buffer; the bytes count towards the barrier's phase. `async_load(..., bulk=True)`."""
    op = "async_load with bulk=True"
    check_ends(src, buffer, op)
    if _unwrap_if_constexpr(barrier) is None:
        raise InvalidCopy(f"{op} needs a barrier", hint="pass barrier=, on which barrier_expect_bytes was called")
    bar = as_barrier(barrier, op, semantic)
    count = byte_count(size, buffer, op, semantic)
    semantic.make_stores_visible()  # what was stored into this buffer must not come after the copy
    semantic.debug_barrier()  # all warps have read what one thread now overwrites
    operands = [own_address(buffer, semantic), src, count, own_address(bar, semantic), elected(None, semantic)]
    inline_ptx(BULK_LOAD_PTX, operands, semantic)


@builtin
def async_store(dst_global_ptr, src_smem, size, _semantic=None):
    """Starts a copy of a buffer's first bytes to global memory, as a bulk group of its own.

    Args:
        dst_global_ptr: pointer to the buffer's element type, aligned to 16 bytes.
        src_smem: one buffer of rank 1; it must not be written again before `async_descriptor_store_wait`.
        size: bytes, a multiple of 16 and at most the buffer's; a compile-time or run-time i32.

    Raises DtypeMismatch, InvalidCopy. sm_90. PTX `cp.async.bulk.global.shared::cta` and `cp.async.bulk.commit_group`.
    """
    buffer = as_buffer(src_smem, "async_store's src_smem")
    check_ends(dst_global_ptr, buffer, "async_store")
    count = byte_count(size, buffer, "async_store", _semantic)
    _semantic.make_stores_visible()
    _semantic.debug_barrier()  # all warps have stored what one thread now sends
    operands = [dst_global_ptr, own_address(buffer, _semantic), count, elected(None, _semantic)]
    inline_ptx(BULK_STORE_PTX, operands, _semantic)


def check_ends(pointer: Any, buffer: buffered_tensor, op: str) -> None:
    """Raises unless it is one pointer to the elements of a buffer whose bytes follow each other."""
    if not isinstance(pointer, tl.tensor) or pointer.type.is_block() or not pointer.dtype.is_ptr():
        raise DtypeMismatch(f"{op} takes one pointer, not {describe(pointer)}", hint="pass that to the first byte")
    if pointer.dtype.element_ty != buffer.dtype:
        raise DtypeMismatch(f"{op}: the pointer is to {pointer.dtype.element_ty}, the buffer is {buffer.type}")
    if len(buffer.shape) != 1:
        raise InvalidCopy(
            f"{op}: {buffer.type} has rank {len(buffer.shape)}, its bytes may be swizzled",
            hint="allocate it with rank 1",
        )
    boxes_of(buffer, op)


def byte_count(size: Any, buffer: buffered_tensor, op: str, semantic) -> tl.tensor:
    """The number of bytes, i32; None means the whole buffer. Raises InvalidCopy for a constant that is not copied."""
    size = _unwrap_if_constexpr(size)
    size = buffer.type.slot_bytes if size is None else size
    if isinstance(size, int):
        if size % UNIT or size <= 0:
            raise InvalidCopy(f"{op} of {size} bytes, a bulk copy takes multiples of {UNIT}")
        if size > buffer.type.slot_bytes:
            raise InvalidCopy(f"{op} of {size} bytes, {buffer.type} has {buffer.type.slot_bytes}")
    return int32_scalar(size, f"the size of {op}", InvalidCopy, semantic)

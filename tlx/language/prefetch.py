"""Prefetches: global memory on its way to a cache before it is needed. They change no result."""

from __future__ import annotations

from itertools import product
from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.late_ops import emit
from ..errors import DtypeMismatch, InvalidHint, ShapeMismatch
from .arguments import describe, int32_tensor
from .cache_hints import eviction_policy_of
from .cluster_access import elected, inline_ptx
from .cluster_ptx import message_box
from .tma import as_descriptor

__all__ = [
    "LEVELS",
    "PREFETCH_TENSORMAP_PTX",
    "async_descriptor_prefetch_tensor",
    "prefetch",
    "prefetch_ptx",
    "prefetch_tensor_ptx",
]

LEVELS = ("L1", "L2")

# Operands: descriptor i64, predicate i32. `$0` is a dummy result.
PREFETCH_TENSORMAP_PTX = "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p prefetch.tensormap [$1]; } mov.b32 $0, 0;"


def prefetch_ptx(level: str) -> str:
    """A prefetch of the line at a pointer. Operands: pointer, predicate i32."""
    return f"{{ .reg .pred p; setp.ne.b32 p, $2, 0; @p prefetch.global.{level} [$1]; }} mov.b32 $0, 0;"


def prefetch_tensor_ptx(rank: int, eviction_policy: str) -> str:
    """A prefetch of one box of a descriptor to L2.

    Operands: descriptor i64, `rank` coordinates of the box's first element i32, the contiguous axis first, predicate
    i32. Each thread whose predicate isn't 0 starts one.
    """
    coordinates = ", ".join(f"${2 + i}" for i in range(rank))
    box = f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile"
    start = f"{{ .reg .pred p; setp.ne.b32 p, ${2 + rank}, 0; "
    if not eviction_policy:
        return f"{start}@p {box} [$1, {{{coordinates}}}]; }} mov.b32 $0, 0;"
    return (
        f"{start}.reg .b64 h; createpolicy.fractional.L2::{eviction_policy}.b64 h, 1.0; "
        f"@p {box}.L2::cache_hint [$1, {{{coordinates}}}], h; }} mov.b32 $0, 0;"
    )


@builtin
def prefetch(pointer, level="L2", mask=None, tensormap=False, _semantic=None):
    """Brings global memory, or a tensor descriptor, nearer. Bad pointers do no harm.

    Args:
        pointer: pointer or tensor of pointers, one prefetch for each; with `tensormap`, a tensor descriptor.
        level: "L1" or "L2".
        mask: which pointers are prefetched; None means all.
        tensormap: fetch the descriptor itself; `level` and `mask` don't matter then.

    Raises InvalidHint, DtypeMismatch, InvalidPredicate, NotADescriptor. PTX `prefetch.global`, `prefetch.tensormap`.
    """
    if _unwrap_if_constexpr(tensormap):
        desc = as_descriptor(pointer, "prefetch with tensormap=True")
        inline_ptx(PREFETCH_TENSORMAP_PTX, [address_of(desc, _semantic), elected(None, _semantic)], _semantic)
        return
    level = _unwrap_if_constexpr(level)
    if level not in LEVELS:
        raise InvalidHint(f"prefetch: level is {level!r}, it must be 'L1' or 'L2'")
    if not isinstance(pointer, tl.tensor) or not pointer.dtype.is_ptr():
        raise DtypeMismatch(f"prefetch takes pointers, not {describe(pointer)}")
    inline_ptx(prefetch_ptx(level), [pointer, predicates(mask, pointer, _semantic)], _semantic)


def predicates(mask: Any, pointer: tl.tensor, semantic) -> tl.tensor:
    """The mask as i32, of the pointers' shape and layout; one thread prefetches a single pointer.

    Raises InvalidPredicate.
    """
    if not pointer.type.is_block():
        return elected(mask, semantic)
    mask = _unwrap_if_constexpr(mask)
    mask = semantic.cast(semantic.to_tensor(True if mask is None else mask), tl.int32)
    return semantic.like(mask, pointer)


@builtin
def async_descriptor_prefetch_tensor(desc, offsets, pred=None, eviction_policy="", _semantic=None):
    """Brings a block of a tensor to L2.

    Args:
        desc: descriptor.
        offsets: first element of the block along each axis, i32.
        pred: scalar condition; None means always.
        eviction_policy: "", "evict_first" or "evict_last"; a hint.

    Raises NotADescriptor, ShapeMismatch, InvalidHint. sm_90. PTX `cp.async.bulk.prefetch.tensor`.
    """
    desc = as_descriptor(desc, "async_descriptor_prefetch_tensor")
    policy = eviction_policy_of(eviction_policy, "async_descriptor_prefetch_tensor")
    block = list(desc.block_shape)
    if len(offsets) != len(block):
        raise ShapeMismatch(
            f"async_descriptor_prefetch_tensor: {len(offsets)} offsets for a descriptor of rank {len(block)}"
        )
    address, chosen = address_of(desc, _semantic), elected(pred, _semantic)
    box = message_box(block, desc.dtype.primitive_bitwidth, desc.layout.swizzle_byte_width if len(block) > 1 else 0)
    corner = [int32_tensor(offset, _semantic) for offset in offsets]
    for steps in product(*(range(0, size, part) for size, part in zip(block, box))):
        place = [_semantic.add(axis, _semantic.to_tensor(step), False) for axis, step in zip(corner, steps)]
        inline_ptx(prefetch_tensor_ptx(len(block), policy), [address, *reversed(place), chosen], _semantic)


def address_of(desc, semantic) -> tl.tensor:
    """The address of a descriptor, i64."""
    return tl.tensor(emit("descriptor_address", [desc.handle], tl.int64.to_ir(semantic.builder), semantic), tl.int64)

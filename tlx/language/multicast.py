"""TMA loads that fill the same buffer in several CTAs of the cluster."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr

from ..compiler.late_ops import emit
from ..errors import InvalidCluster
from .arguments import describe, int32_tensor
from .cluster_access import elected, inline_ptx, reach_peer, unranked_address
from .cluster_ptx import multicast_load_ptx
from .shared_offsets import messages_of

__all__ = ["load_multicast", "targets_of"]

OP = "async_descriptor_load"


def targets_of(multicast_targets: Any) -> list[Any]:
    """The ranks as a list, empty for an ordinary load; raises InvalidCluster for what is no list."""
    targets = _unwrap_if_constexpr(multicast_targets)
    if targets is None:
        return []
    if not isinstance(targets, list | tuple | tl.tuple):
        raise InvalidCluster(f"multicast_targets must be a list of ranks, not {describe(targets)}")
    return list(targets)


def load_multicast(desc, offsets, bar, buffer, pred: Any, targets: list[Any], semantic) -> None:
    """Starts a TMA load into the same buffer of several CTAs; the bytes count towards the same barrier of each.

    Args:
        desc: the descriptor.
        offsets: first element of the block along each axis.
        bar: one mbarrier; each of the CTAs calls `barrier_expect_bytes` on its own.
        buffer: one buffer.
        pred: scalar condition or None.
        targets: ranks of the CTAs.
        semantic: of the trace.

    Raises NoCluster, RankOutOfRange. PTX `cp.async.bulk.tensor` with `.multicast::cluster`.
    """
    mask = mask_of(targets, semantic)
    semantic.make_stores_visible()
    semantic.debug_barrier()  # all warps have read what is overwritten
    handle = emit("descriptor_address", [desc.handle], tl.int64.to_ir(semantic.builder), semantic)
    descriptor = tl.tensor(handle, tl.int64)
    # Of these addresses only the place within a CTA counts: the same in each of the targets.
    base, signalled = unranked_address(buffer, semantic), unranked_address(bar, semantic)
    chosen = elected(pred, semantic)
    corner = [int32_tensor(offset, semantic) for offset in offsets]
    for start, offset in messages_of(buffer, OP):
        place = [plus(axis, step, semantic) for axis, step in zip(corner, start)]
        operands = [plus(base, offset, semantic), descriptor, *reversed(place), signalled, mask, chosen]
        inline_ptx(multicast_load_ptx(len(place)), operands, semantic)


def plus(value: tl.tensor, number: int, semantic) -> tl.tensor:
    """The sum with a constant."""
    return semantic.add(value, semantic.to_tensor(number), False) if number else value


def mask_of(targets: list[Any], semantic) -> tl.tensor:
    """Bit r stands for the CTA of rank r, i32."""
    mask = semantic.to_tensor(0)
    for target in targets:
        rank = reach_peer(f"{OP}'s multicast_targets", target, semantic)
        mask = semantic.or_(mask, semantic.shl(semantic.to_tensor(1), rank))
    return mask

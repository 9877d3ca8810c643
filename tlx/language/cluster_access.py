"""What every op that reaches another CTA of the cluster shares: ranks, addresses, the elected thread, inline PTX."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._core import distributed_type
from triton.language.core import _unwrap_if_constexpr

from ..compiler.clusters import describe_cluster, size_of_cluster
from ..compiler.late_ops import emit
from ..compiler.versions import SHARED_ADDRESS_BITS, SHARED_ADDRESS_HAS_RANK
from ..errors import InvalidCluster, NoCluster, RankOutOfRange
from .arguments import int32_scalar, predicate
from .cluster_ptx import MAPA_PTX

__all__ = ["elected", "inline_ptx", "own_address", "peer_address", "reach", "reach_peer", "unranked_address"]


def reach(op: str, semantic) -> None:
    """Notes that an op reaches other CTAs, for which the compiler makes the CTAs wait for each other.

    Raises NoCluster.
    """
    if semantic.task.kernel.cluster is None:
        raise NoCluster(f"{op}: this kernel is compiled without a cluster", "launch it with ctas_per_cga=(2, 1, 1)")
    semantic.task.cluster_use.reach(semantic.here())


def reach_peer(op: str, rank: Any, semantic) -> tl.tensor:
    """`reach` for the CTA of a rank, which is returned as an i32.

    Raises RankOutOfRange for a constant that is none, InvalidCluster for what is no integer.
    """
    reach(op, semantic)
    shape = semantic.task.kernel.cluster
    constant = _unwrap_if_constexpr(rank)
    if isinstance(constant, int) and not 0 <= constant < size_of_cluster(shape):
        raise RankOutOfRange(
            f"{op}: rank {constant} in a cluster of {size_of_cluster(shape)} CTAs ({describe_cluster(shape)})"
        )
    return int32_scalar(rank, f"{op}: the rank", InvalidCluster, semantic)


def own_address(view, semantic) -> tl.tensor:
    """The address of a buffer's or barrier's first byte in this CTA's shared memory, i32.

    In a cluster it says which CTA's: without the rank it would be that of the first one.
    """
    if SHARED_ADDRESS_HAS_RANK or semantic.task.kernel.cluster is None:
        return unranked_address(view, semantic)
    rank = tl.tensor(emit("cluster_rank", [], tl.int32.to_ir(semantic.builder), semantic), tl.int32)
    return peer_address(view, rank, semantic)


def unranked_address(view, semantic) -> tl.tensor:
    """The address of a buffer's or barrier's first byte, i32; the CTA's rank may be in it or not."""
    wide = tl.int64 if SHARED_ADDRESS_BITS == 64 else tl.int32
    handle = emit("shared_address", [view.handle], wide.to_ir(semantic.builder), semantic)
    return semantic.cast(tl.tensor(handle, wide), tl.int32)


def peer_address(view, rank: tl.tensor, semantic) -> tl.tensor:
    """The address of the same buffer's or barrier's first byte in the CTA of that rank, i32."""
    return inline_ptx(MAPA_PTX, [unranked_address(view, semantic), rank], semantic, pure=True)


def elected(pred: Any, semantic) -> tl.tensor:
    """A condition that is 1 in exactly one thread of the task, if `pred` holds, and else 0, i32."""
    task = semantic.task
    lane = tl.tensor(emit("elect_sync", [], tl.int1.to_ir(semantic.builder), semantic), tl.int1)
    thread = tl.tensor(emit("thread_id_x", [], tl.int32.to_ir(semantic.builder), semantic), tl.int32)
    # The threads of a task follow each other and are a power of two: its first warp's indices end in one way only.
    in_task = semantic.and_(thread, semantic.to_tensor(task.num_warps * task.kernel.target.warp_size - 1))
    first_warp = semantic.less_than(in_task, semantic.to_tensor(task.kernel.target.warp_size))
    chosen = semantic.and_(lane, first_warp)
    if _unwrap_if_constexpr(pred) is not None:
        chosen = semantic.and_(chosen, predicate(pred, semantic))
    return semantic.cast(chosen, tl.int32)


def inline_ptx(text: str, operands: list[tl.tensor], semantic, pure: bool = False) -> tl.tensor:
    """Executes PTX on scalars, or on tensors of one shape and layout; returns its i32 result."""
    builder, kind = semantic.builder, operands[0].type
    wide = [operand.dtype.is_ptr() or operand.dtype.primitive_bitwidth == 64 for operand in operands]
    registers = ["l" if is_wide else "r" for is_wide in wide]
    result = distributed_type(tl.int32, kind.shape, kind.layout) if kind.is_block() else tl.int32
    handles = [operand.handle for operand in operands]
    op = builder.create_inline_asm(text, ",".join(["=r", *registers]), handles, [result.to_ir(builder)], pure, 1)
    return tl.tensor(op.get_result(0), result)

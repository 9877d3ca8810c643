"""The layout policy: which layout a register tensor gets, and which of two wins where they meet.

Layouts are decided while ops are emitted, for the warps of the task at hand, because no stock pass knows tasks of
different sizes. The stock passes that follow (coalesce, remove_layout_conversions) only clean up.

The policy, in full:
- a tensor that nothing decides gets the blocked layout of `default_layout`;
- where two layouts meet, the one that costs more to leave wins (`stronger`): one that the author pinned, then MMA, then
  a slice of either, then blocked;
- a value carried by a loop has the layout that the loop's body gives it (`tlx.compiler.control_flow`);
- shared buffers that TMA or the tensor cores read have the swizzled layout that `shared_layout` gives their shape.
"""

from __future__ import annotations

import math

from triton.experimental.gluon.language._layouts import (
    BlockedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    SliceLayout,
)
from triton.language.core import _unwrap_if_constexpr

from .targets import Target

__all__ = [
    "PinnedLayout",
    "accumulator_layout",
    "default_layout",
    "expandable",
    "operand_layout",
    "shared_layout",
    "stronger",
]

VECTOR_BYTES = 16  # the widest load or store of one thread


class PinnedLayout(DistributedLinearLayout):
    """A register layout that the kernel's author asked for."""

    def mangle(self) -> str:
        return f"pinned_{super().mangle()}"


def default_layout(shape: list[int], bits: int, num_warps: int, warp_size: int = 32) -> BlockedLayout:
    """The blocked layout for a tensor that nothing else decides.

    Each thread holds 16 contiguous bytes, lanes go along the contiguous axis first and warps along the slowest, so
    that memory accesses are wide and a reduction along a row stays inside a warp.

    Args:
        shape: the tensor's shape, powers of two.
        bits: width of an element.
        num_warps: warps of the task that holds the tensor.
        warp_size: lanes of a warp.
    """
    rank = len(shape)
    per_thread, lanes, warps = [1] * rank, [1] * rank, [1] * rank
    wanted = max(1, VECTOR_BYTES * 8 // bits)
    # Never a longer vector than lets every thread of the task have one: idle threads cost more than narrow accesses.
    elements = math.prod(shape)
    per_thread[-1] = max(1, min(wanted, shape[-1], elements // (warp_size * num_warps)))
    left = warp_size
    for axis in reversed(range(rank)):
        lanes[axis] = max(1, min(left, shape[axis] // per_thread[axis]))
        left //= lanes[axis]
    lanes[0] *= left  # a tensor smaller than a warp is replicated
    left = num_warps
    for axis in range(rank):
        warps[axis] = max(1, min(left, shape[axis] // (per_thread[axis] * lanes[axis])))
        left //= warps[axis]
    warps[0] *= left
    return BlockedLayout(per_thread, lanes, warps, list(reversed(range(rank))))


def strength(layout: DistributedLayout) -> int:
    """How much it costs to leave a layout: 4 pinned, 3 MMA, 2 a slice of either, 1 a slice, 0 blocked and the rest."""
    if isinstance(layout, PinnedLayout):
        return 4
    if isinstance(layout, NVMMADistributedLayout):
        return 3
    if isinstance(layout, SliceLayout):
        return 2 if strength(layout.parent) >= 2 else 1
    return 0


def stronger(left: DistributedLayout, right: DistributedLayout) -> DistributedLayout:
    """The layout that both sides of an op take; the left one where they are equally strong."""
    return left if strength(left) >= strength(right) else right


def expandable(layout: DistributedLayout, axis: int) -> bool:
    """Whether a tensor of this layout can get a new axis there without moving data."""
    return isinstance(layout, SliceLayout) and layout.dim == axis


def accumulator_layout(n: int, operand_bits: int, num_warps: int, target: Target) -> NVMMADistributedLayout:
    """The layout of a `wgmma` accumulator with `n` columns: each warp group takes its rows, all columns.

    Args:
        n: columns of the accumulator.
        operand_bits: width of an element of A.
        num_warps: warps of the task.
        target: gives the instruction's shape.
    """
    instruction_n = n
    while instruction_n > target.mma_n[1]:
        instruction_n //= 2
    k = target.mma_k_bytes * 8 // operand_bits
    return NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[num_warps, 1], instr_shape=[target.mma_m // target.warp_group, instruction_n, k]
    )


def operand_layout(accumulator: NVMMADistributedLayout, operand_bits: int) -> DotOperandLayout:
    """The layout of operand A where it comes from registers: 32 bits of consecutive K per thread."""
    return DotOperandLayout(operand_index=0, parent=accumulator, k_width=32 // operand_bits)


def shared_layout(shape: list[int], dtype, transposed: bool = False) -> NVMMASharedLayout:
    """The shared layout of a buffer, and of a descriptor with that block: the widest swizzle that its rows allow; its
    columns, if they are contiguous (`transposed`)."""
    return _unwrap_if_constexpr(NVMMASharedLayout.get_default_for(shape, dtype, transposed=transposed))

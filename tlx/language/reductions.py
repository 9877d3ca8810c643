"""Reductions that the TMA engine does where it stores: which there are, and of which elements."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton._C.libtriton import ir
from triton.language.core import _unwrap_if_constexpr

from ..errors import DtypeMismatch, IndexOutOfRange, InvalidReduction

__all__ = ["REDUCTIONS", "check_corner", "reduction_of"]

REDUCTIONS = {
    "add": ir.DESCRIPTOR_REDUCE_KIND.ADD,
    "min": ir.DESCRIPTOR_REDUCE_KIND.MIN,
    "max": ir.DESCRIPTOR_REDUCE_KIND.MAX,
    "and": ir.DESCRIPTOR_REDUCE_KIND.AND,
    "or": ir.DESCRIPTOR_REDUCE_KIND.OR,
    "xor": ir.DESCRIPTOR_REDUCE_KIND.XOR,
}

# PTX ISA, "cp.reduce.async.bulk.tensor" and the types of "cp.reduce.async.bulk". float64 is left out: no Triton has it.
ADDED = (tl.int32, tl.uint32, tl.uint64, tl.float16, tl.bfloat16, tl.float32)
COMPARED = (tl.int32, tl.uint32, tl.int64, tl.uint64, tl.float16, tl.bfloat16)
# Not int64, which the PTX ISA lists as .b64: on an H200 it is an illegal instruction.
BITWISE = (tl.int32, tl.uint32, tl.uint64)
TAKEN = {"add": ADDED, "min": COMPARED, "max": COMPARED, "and": BITWISE, "or": BITWISE, "xor": BITWISE}


def reduction_of(kind: Any, dtype: tl.dtype, op: str) -> str:
    """The name of a reduction of such elements; "" for a plain store.

    Raises InvalidReduction for a name that is none, DtypeMismatch for elements that the hardware doesn't reduce so.
    """
    kind = _unwrap_if_constexpr(kind)
    if kind == "":
        return kind
    if kind not in REDUCTIONS:
        raise InvalidReduction(f"{op}: {kind!r} is no reduction, TMA has {', '.join(REDUCTIONS)}")
    if dtype not in TAKEN[kind]:
        names = ", ".join(map(str, TAKEN[kind]))
        raise DtypeMismatch(f"{op}: TMA can't {kind} elements of {dtype}, only of {names}")
    return kind


def check_corner(offsets: list[Any], op: str) -> None:
    """Raises IndexOutOfRange for a block that begins before the tensor: an illegal instruction on an H200."""
    constants = [_unwrap_if_constexpr(offset) for offset in offsets]
    if any(isinstance(offset, int) and offset < 0 for offset in constants):
        raise IndexOutOfRange(
            f"{op}: a block at {constants} begins before the tensor, which TMA reductions can't",
            hint="begin inside the tensor; blocks may hang over its ends",
        )

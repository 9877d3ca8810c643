"""Late ops of tensor descriptors that a kernel makes (tensor maps), which no builder of the supported minors has."""

from __future__ import annotations

import re
from collections.abc import Callable

import triton.language as tl

__all__ = ["create_name", "scratch_name", "tensor_map_op"]

DESCRIPTOR_BYTES = 128
# PTX ISA, "tensormap.replace": `.elemtype`, `.swizzle_mode`, `.fill_mode`. Types that aren't named count as bits.
ELEMENTS = {
    tl.uint32: 2, tl.int32: 3, tl.uint64: 4, tl.int64: 5,
    tl.float16: 6, tl.float32: 7, tl.float64: 9, tl.bfloat16: 10,
}  # fmt: skip
BITS = {8: 0, 16: 1}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
FILLS = {"zero": 0, "nan": 1}

CREATE = re.compile(r"tensormap_create_e(\d+)_s(\d+)_f(\d+)")
SCRATCH = re.compile(r"descriptor_scratch_n(\d+)")

Speller = Callable[[list[str], list[str], str], str]


def create_name(dtype: tl.dtype, swizzle_bytes: int, padding: str) -> str:
    """The late op that writes a descriptor of such elements.

    Its operands: place, base, then box, sizes, strides in bytes (one less) and element strides, contiguous axis first.
    """
    element = ELEMENTS[dtype] if dtype in ELEMENTS else BITS[dtype.primitive_bitwidth]
    return f"tensormap_create_e{element}_s{SWIZZLES[swizzle_bytes]}_f{FILLS[padding]}"


def scratch_name(num: int) -> str:
    """The late op that gives global scratch memory for so many descriptors."""
    return f"descriptor_scratch_n{num}"


def tensor_map_op(name: str) -> Speller | None:
    """The spelling of a late op of descriptors whose name holds its attributes; None if it is another's name."""
    if match := CREATE.fullmatch(name):
        return lambda operands, types, result: create(*match.groups(), operands, types)
    if match := SCRATCH.fullmatch(name):
        nbytes = int(match[1]) * DESCRIPTOR_BYTES
        text = f"ttg.global_scratch_alloc {{alignment = {DESCRIPTOR_BYTES} : i32, nbytes = {nbytes} : i32}}"
        return lambda operands, types, result: f"{text} : {result}"
    return None


def create(element: str, swizzle: str, fill: str, operands: list[str], types: list[str]) -> str:
    """`ttng.tensormap_create`."""
    place, base, *numbers = operands
    rank = (len(numbers) + 1) // 4
    ends = (0, rank, 2 * rank, 3 * rank - 1, 4 * rank - 1)
    lists = [f"[{', '.join(numbers[start:end])}]" for start, end in zip(ends, ends[1:])]
    attributes = (
        f"{{elem_type = {element} : i32, fill_mode = {fill} : i32, interleave_layout = 0 : i32, "
        f"swizzle_mode = {swizzle} : i32}}"
    )
    return f"ttng.tensormap_create {place}, {base}, {', '.join(lists)} {attributes} : ({', '.join(types)}) -> ()"

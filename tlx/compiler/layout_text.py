"""Layouts in CuTe's form of sizes and strides, for messages and comparisons."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from triton.experimental.gluon.language._layouts import DistributedLinearLayout

from ..ir.attributes import read_type
from ..ir.model import MemDescType

__all__ = ["same_places", "shared_text", "thread_value"]


def thread_value(layout: DistributedLinearLayout) -> str:
    """`(thread, value) -> element: ((32, 4), (8, 2)):((1, 512), (32, 256))`, elements by row-major index."""
    threads = modes(row_major_indices(layout.lane_bases + layout.warp_bases, layout.shape))
    values = modes(row_major_indices(layout.reg_bases, layout.shape))
    sizes = tuple(tuple(size for size, _ in part) for part in (threads, values))
    strides = tuple(tuple(stride for _, stride in part) for part in (threads, values))
    return f"(thread, value) -> element: {sizes}:{strides}"


def row_major_indices(bases: list[list[int]], shape: list[int]) -> list[int]:
    """The elements to which the bases lead."""
    return [sum(c * prod(shape[axis + 1 :]) for axis, c in enumerate(base)) for base in bases]


def modes(steps: list[int]) -> list[tuple[int, int]]:
    """(size, stride) of the fewest modes whose bits make these steps."""
    found: list[tuple[int, int]] = []
    for step in steps:
        size, stride = found[-1] if found else (1, None)
        if stride is not None and step == size * stride:
            found[-1] = (2 * size, stride)
        else:
            found.append((2, step))
    return found or [(1, 0)]


def shared_text(type: Any) -> str:
    """Type and layout of a buffer in one line.

    Args:
        type: of the IR; slots of a ring and slices are like the buffer that they are parts of.
    """
    memdesc = read_type(str(type))
    return f"{memdesc}: offset -> element: {offsets_text(memdesc)}"


def same_places(left: Any, right: Any) -> bool:
    """Whether two buffers, of these types of the IR, have each element at the same offset."""
    places = [element_offsets(read_type(str(type))) for type in (left, right)]
    return np.array_equal(*places)


def element_offsets(memdesc: MemDescType) -> np.ndarray:
    """The offset of each element of a whole buffer, in elements."""
    from ..sim.layouts import buffer_rank, layout_map
    from ..sim.values import dtype_of

    shape = memdesc.alloc_shape[-buffer_rank(memdesc.encoding, len(memdesc.alloc_shape)) :]
    itemsize = dtype_of(memdesc.element).itemsize
    return layout_map(shape, memdesc.encoding, itemsize).offsets // itemsize


def offsets_text(memdesc: MemDescType) -> str:
    """The elements of a buffer in the order of their offsets, which padding doesn't change."""
    order = np.argsort(element_offsets(memdesc), axis=None)
    gaps = "".join(f", {pad} behind every {every}" for every, pad in memdesc.encoding.get("intervals", ()))
    steps = [int(order[1 << bit]) for bit in range(order.size.bit_length() - 1)]
    swizzle, plain = unswizzled(steps)
    sizes, strides = zip(*modes(plain))
    return f"{swizzle}{sizes}:{strides}{gaps}"


def unswizzled(steps: list[int]) -> tuple[str, list[int]]:
    """CuTe's `Swizzle<bits, base, shift>` and the steps that it leaves: a step of several bits is the XOR of a step of
    one bit with the step of a lower bit of the offset."""
    pairs = []
    plain = list(steps)
    for high, step in enumerate(steps):
        if step.bit_count() > 1:
            lows = [low for low in range(high) if (step ^ steps[low]).bit_count() == 1 and step & steps[low]]
            if lows:
                plain[high] = step ^ steps[lows[0]]
                pairs.append((lows[0], high - lows[0]))
    if not pairs:
        return "", plain
    base, shift = pairs[0]
    if pairs != [(base + i, shift) for i in range(len(pairs))]:
        return "XOR of ", steps
    return f"Swizzle<{len(pairs)}, {base}, {shift}> o ", plain

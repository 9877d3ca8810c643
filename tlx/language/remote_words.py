"""A register tensor as the 32-bit words that its threads send to another CTA."""

from __future__ import annotations

import math
from dataclasses import dataclass

import triton.language as tl
from triton.experimental.gluon.language._layouts import BlockedLayout

from ..compiler.held_ops import hold_pin
from ..compiler.layouts import VECTOR_BYTES, default_layout
from ..errors import InvalidCopy
from .shared_offsets import Boxes, chunk_offsets

__all__ = ["Chunks", "chunks_of", "one_thread_each"]

WORD_BYTES = 4


@dataclass(frozen=True)
class Chunks:
    """A tensor cut along its last axis into chunks that one store takes.

    Args:
        num_bytes: bytes of a chunk.
        words: its 32-bit words, the lowest first: i32 tensors with an element for each chunk.
        offsets: byte offset of each chunk in the buffer, i32.
    """

    num_bytes: int
    words: list[tl.tensor]
    offsets: tl.tensor


def chunks_of(src: tl.tensor, boxes: Boxes, least_bytes: int, semantic) -> Chunks:
    """Cuts a tensor into chunks of up to 16 bytes, as wide as leaves each thread of the task one.

    Args:
        src: the tensor.
        boxes: layout of the buffer that it goes into.
        least_bytes: what a store takes at least.
        semantic: of the trace.

    Raises InvalidCopy where the tensor's rows are shorter than that.
    """
    *outer, row = boxes.shape
    if row * boxes.itemsize < least_bytes:
        raise InvalidCopy(
            f"rows of {row} elements are {row * boxes.itemsize} bytes, an asynchronous store takes at least "
            f"{least_bytes}",
            hint="use remote_shmem_store, or a buffer with longer rows",
        )
    threads = semantic.task.num_warps * semantic.task.kernel.target.warp_size
    wanted = max(1, least_bytes // boxes.itemsize, math.prod(boxes.shape) // threads)
    length = min(wanted, row, VECTOR_BYTES // boxes.itemsize)
    spread = default_layout([*outer, row // length], 8 * VECTOR_BYTES, semantic.task.num_warps)
    per_thread = [*[1] * len(outer), length]
    src = semantic.convert(src, BlockedLayout(per_thread, spread.threads_per_warp, spread.warps_per_cta, spread.order))
    elements = split_last(semantic.reshape(src, [*outer, row // length, length]), semantic)
    words = join_words([bits_of(element, semantic) for element in elements], boxes.itemsize, semantic)
    return Chunks(length * boxes.itemsize, words, chunk_offsets(boxes, length, words[0].type.layout, semantic))


def split_last(tensor: tl.tensor, semantic) -> list[tl.tensor]:
    """The parts of a tensor along its last axis, in order."""
    *outer, length = tensor.shape
    if length == 1:
        return [semantic.reshape(tensor, outer)]
    halves = semantic.split(semantic.reshape(tensor, [*outer, length // 2, 2]))
    even, odd = (split_last(half, semantic) for half in halves)
    return [part for pair in zip(even, odd) for part in pair]


def bits_of(tensor: tl.tensor, semantic) -> tl.tensor:
    """The bits of each element in an unsigned integer of at least 32 bits."""
    bits = tensor.dtype.primitive_bitwidth
    raw = semantic.bitcast(tensor, tl.dtype(f"uint{bits}"))
    return raw if bits >= 32 else semantic.cast(raw, tl.uint32)


def join_words(elements: list[tl.tensor], itemsize: int, semantic) -> list[tl.tensor]:
    """The elements of a chunk as 32-bit words."""
    if itemsize == 2 * WORD_BYTES:
        half = semantic.to_tensor(32)
        pairs = [(element, semantic.lshr(element, semantic.cast(half, tl.uint64))) for element in elements]
        return [semantic.cast(part, tl.uint32) for pair in pairs for part in pair]
    in_word = WORD_BYTES // itemsize
    return [join(elements[i : i + in_word], 8 * itemsize, semantic) for i in range(0, len(elements), in_word)]


def join(elements: list[tl.tensor], bits: int, semantic) -> tl.tensor:
    """One word of elements of less than 32 bits, the first in the lowest."""
    word = elements[0]
    for i, element in enumerate(elements[1:], 1):
        shift = semantic.cast(semantic.to_tensor(i * bits), tl.uint32)
        word = semantic.or_(word, semantic.shl(element, shift))
    return word


def one_thread_each(tensors: list[tl.tensor], semantic) -> tuple[list[tl.tensor], tl.tensor]:
    """The tensors so that no two threads hold the same element, and what tells elements from copies.

    A tensor with fewer elements than the task has threads would be held by several of them. It gets a leading axis of
    copies that gives each thread one element, of which the first copy counts.

    Returns:
        the tensors, and a condition that is 1 for what counts, i32. No pass changes their layout.
    """
    shape = [int(size) for size in tensors[0].shape]
    threads = semantic.task.num_warps * semantic.task.kernel.target.warp_size
    copies = threads // math.prod(shape)
    if copies <= 1:
        counts = semantic.full(shape, 1, tl.int32, tensors[0].type.layout)
    else:
        shape = [copies, *shape]
        layout = default_layout(shape, 8 * VECTOR_BYTES, semantic.task.num_warps)
        spread = [semantic.broadcast_impl_shape(semantic.expand_dims(tensor, 0), shape) for tensor in tensors]
        tensors = [semantic.convert(tensor, layout) for tensor in spread]
        index = semantic.arange(0, copies)
        for axis in range(1, len(shape)):
            index = semantic.expand_dims(index, axis)
        first = semantic.equal(index, semantic.to_tensor(0))
        counts = semantic.convert(semantic.cast(semantic.broadcast_impl_shape(first, shape), tl.int32), layout)
    *tensors, counts = (tl.tensor(hold_pin(t.handle, semantic), t.type) for t in [*tensors, counts])
    return tensors, counts

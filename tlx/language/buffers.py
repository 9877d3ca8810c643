"""Shared-memory buffers: rings, their slots, views, loads and stores."""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._core import shared_memory_descriptor, shared_memory_descriptor_type
from triton.experimental.gluon.language._layouts import NVMMASharedLayout, PaddedSharedLayout
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.layouts import shared_layout
from ..compiler.versions import TRANSPOSES_UNSWIZZLED, TRITON
from ..errors import (
    DtypeMismatch,
    InvalidAlias,
    InvalidBuffer,
    NotABuffer,
    NotInTriton,
    RingNotIndexed,
    ShapeMismatch,
)
from .aliases import alias_storage, reinterpreted
from .arguments import constant_int, constant_shape, describe, list_text
from .blackwell import needs_blackwell
from .ignored import note_ignored
from .layout_objects import as_register_layout, as_shared_layout
from .placement import Place
from .rings import allocate, check_allocatable, local_view, ring, ring_type

__all__ = [
    "aliased_tensor",
    "buffered_tensor",
    "buffered_tensor_type",
    "local_alloc",
    "local_load",
    "local_store",
    "local_trans",
    "local_view",
    "storage_kind",
]


class storage_kind:
    """Kinds of on-chip memory: shared memory, the tensor memory of Blackwell, shared memory of another CTA of the
    cluster."""

    smem = tl.constexpr("smem")
    tmem = tl.constexpr("tmem")
    smemCluster = tl.constexpr("smemCluster")  # noqa: N815 -- TLX's name


class buffered_tensor_type(ring_type):
    """Type of a ring of buffers (`num` > 0) or of one buffer (`num` = 0).

    Args:
        element_ty: element type.
        shape: shape of one buffer.
        num: slots of the ring, 0 for a single buffer.
        layout: shared-memory layout.
        alloc_shape: shape of the buffer that this one is a slice of.
        place: where the slots lie in memory that the ring shares.
    """

    def __init__(
        self,
        element_ty: tl.dtype,
        shape: list[int],
        num: int,
        layout,
        alloc_shape: list[int] | None = None,
        place: Place | None = None,
    ):
        self.element_ty = element_ty
        self.shape = list(shape)
        self.num = num
        self.layout = layout
        self.alloc_shape = list(alloc_shape or shape)
        self.place = place

    @property
    def memdesc(self) -> shared_memory_descriptor_type:
        ring = [self.place.slots if self.place else self.num] if self.num else []
        return shared_memory_descriptor_type(self.element_ty, ring + self.shape, self.layout, ring + self.alloc_shape)

    @property
    def slot_type(self) -> buffered_tensor_type:
        return buffered_tensor_type(self.element_ty, self.shape, 0, self.layout)

    def placed(self, place: Place) -> buffered_tensor_type:
        """The type of such a ring in memory that it shares."""
        return buffered_tensor_type(self.element_ty, self.shape, self.num, self.layout, place=place)

    @property
    def slot_bytes(self) -> int:
        elements = math.prod(self.shape)
        if isinstance(self.layout, PaddedSharedLayout):
            elements += sum(elements // interval * gap for interval, gap in self.layout.interval_padding_pairs)
        return elements * self.element_ty.primitive_bitwidth // 8

    def wrap(self, handle) -> buffered_tensor:
        return buffered_tensor(handle, self)

    def mangle(self) -> str:
        place = f"_at_{self.place.mangle()}" if self.place else ""
        return f"buffered_{self.memdesc.mangle()}_{self.num}{place}"

    def __str__(self) -> str:
        ring = f"{self.num} x " if self.num else ""
        return f"{ring}{list_text(self.shape)} {self.element_ty} in shared memory"

    __repr__ = __str__


class buffered_tensor(ring):
    """A ring of buffers or one buffer in shared memory. `ring[i]` is `local_view(ring, i)`."""

    how_to_compute = "load it into registers first: `tlx.local_load(buffer)`, of a ring `tlx.local_load(ring[i])`"

    @property
    def shape(self) -> list[int]:
        """Shape of one buffer."""
        return self.type.shape

    @property
    def dtype(self) -> tl.dtype:
        """Element type."""
        return self.type.element_ty

    @property
    def memdesc(self) -> shared_memory_descriptor:
        """The same memory as a Gluon memory descriptor, for the stock semantic."""
        kind = self.type.memdesc
        return shared_memory_descriptor(self.handle, kind.element_ty, kind.shape, kind.layout, kind.alloc_shape)


class aliased_tensor(buffered_tensor):
    """A ring in a `storage_alias_spec`. It has its place, and code, from its first use on.

    Args:
        declared: its type, without a place.
        storage: that it lies in.
    """

    def __init__(self, declared: buffered_tensor_type, storage: alias_storage):
        self.declared = declared
        self.lies_in = storage
        self.view: buffered_tensor | None = None
        self.name = ""

    @property
    def settled(self) -> buffered_tensor:
        """The ring at its place."""
        self.lies_in.settle()
        return self.view

    @property
    def handle(self):
        return self.settled.handle

    @property
    def type(self) -> buffered_tensor_type:
        return self.settled.type

    @property
    def shape(self) -> list[int]:
        return self.declared.shape

    @property
    def dtype(self) -> tl.dtype:
        return self.declared.element_ty

    def _set_name(self, builder, name):
        self.name = self.name or name


@builtin
def local_alloc(shape, dtype, num, storage=storage_kind.smem, reuse=None, layout=None, _semantic=None, _generator=None):
    """Allocates a ring of `num` buffers in shared memory, alive until the kernel ends.

    Args:
        shape: shape of one buffer, compile-time powers of two.
        dtype: element type.
        num: slots of the ring, a compile-time integer.
        storage: only shared memory.
        reuse: what gives the ring its memory: a ring or buffer, at whose beginning it then lies, or a
            `storage_alias_spec`; None takes memory of its own.
        layout: of each buffer (`swizzled_layout`, `padded_shared_layout_encoding`, ...); None takes the one that TMA
            and the tensor cores read.

    Returns:
        buffered_tensor: index it with `[i]` or `local_view` before use.

    Raises InvalidBuffer inside a task, helper, loop or branch; InvalidLayout where the layout doesn't fit the shape;
    NeedsBlackwell for tensor memory; InvalidAlias and AliasTooSmall for `reuse`; SharedMemoryExceeded when the kernel's
    sum is over the target's budget. sm_90.
    Lowers to `ttg.local_alloc`, with `reuse` to `ttg.memdesc_reinterpret`.
    """
    shape = constant_shape(shape, "shape")
    dtype = _unwrap_if_constexpr(dtype)
    num = constant_int(num, "num", InvalidBuffer, least=1)
    if not isinstance(dtype, tl.dtype) or dtype.is_ptr() or dtype.is_block():
        raise InvalidBuffer(f"dtype must be an element type, not {describe(dtype)}")
    if not shape:
        raise InvalidBuffer("shape is empty, a buffer has at least one dimension", hint="use (1,)")
    if _unwrap_if_constexpr(storage) == storage_kind.tmem.value:
        raise needs_blackwell("local_alloc in tensor memory")
    if _unwrap_if_constexpr(storage) != storage_kind.smem.value:
        raise InvalidBuffer(
            f"storage is {describe(_unwrap_if_constexpr(storage))}, only shared memory can be allocated"
        )
    if any(size < 1 or size & (size - 1) for size in shape):
        raise InvalidBuffer(f"shape is {list_text(shape)}, each dimension must be a power of two")
    kind = buffered_tensor_type(dtype, shape, num, asked_layout(layout, shape, dtype))
    reuse = _unwrap_if_constexpr(reuse)
    if reuse is None:
        return allocate(kind, _semantic, _generator)
    check_allocatable(_generator)
    if isinstance(kind.layout, PaddedSharedLayout):
        raise InvalidAlias("a buffer with a padded layout can't share memory")
    if isinstance(reuse, alias_storage):
        member = aliased_tensor(kind, reuse)
        reuse.add(member)
        return member
    if isinstance(reuse, aliased_tensor):
        raise InvalidAlias("reuse of a ring that lies in a storage_alias_spec", hint="pass the spec: reuse=spec")
    if not isinstance(reuse, buffered_tensor):
        raise InvalidAlias(f"reuse takes a shared buffer or a storage_alias_spec, not {describe(reuse)}")
    return reinterpreted(kind, reuse, _semantic)


def asked_layout(layout: Any, shape: list[int], dtype: tl.dtype):
    """The layout that the author asked for, or the default one for None."""
    return (
        shared_layout(shape, dtype) if _unwrap_if_constexpr(layout) is None else as_shared_layout(layout, shape, dtype)
    )


def as_buffer(value: Any, what: str) -> buffered_tensor:
    """The value if it is one buffer. A ring must be indexed, even one of a single slot."""
    if not isinstance(value, buffered_tensor):
        raise NotABuffer(f"{what} must be a shared buffer, not {describe(value)}")
    if value.type.num:
        raise RingNotIndexed(f"{what} is a whole ring ({value.type})", hint="index it: ring[i]")
    return value


@builtin
def local_trans(input, dims=(1, 0), _semantic=None):
    """A view of one buffer with its axes permuted; no data moves.

    Args:
        input: one buffer.
        dims: compile-time order of axes.

    Raises ShapeMismatch; NotInTriton before Triton 3.8 for a buffer with rows of less than 32 bytes, which has no
    swizzle. Lowers to `ttg.memdesc_trans`.
    """
    buffer = as_buffer(input, "local_trans's input")
    order = constant_shape(dims, "dims")
    if sorted(order) != list(range(len(buffer.shape))):
        raise ShapeMismatch(f"dims {order} is no permutation of the axes of {buffer.type}")
    layout = buffer.type.layout
    unswizzled = isinstance(layout, NVMMASharedLayout) and layout.swizzle_byte_width == 0
    if unswizzled and order != sorted(order) and not TRANSPOSES_UNSWIZZLED:
        raise NotInTriton(
            f"local_trans of {buffer.type}, which has no swizzle: Triton {'.'.join(map(str, TRITON))} would read it "
            "untransposed",
            hint="give it rows of at least 32 bytes or layout=tlx.swizzled_layout.make_default(2), or use Triton 3.8",
        )
    view = _semantic.memdesc_trans(buffer.memdesc, order)
    kind = buffered_tensor_type(buffer.dtype, list(view.shape), 0, view.layout, list(view.type.alloc_shape))
    return buffered_tensor(view.handle, kind)


@builtin
def local_load(
    src,
    token=None,
    layout=None,
    relaxed=False,
    rematerialize_coordinates=False,
    rematerialize_coordinates_group=None,
    _semantic=None,
):
    """Loads one buffer into registers of the current task.

    Args:
        src: one buffer.
        token: of the wait for the copies that filled the buffer; the order in the code says the same.
        layout: a `tlx.layout` to which the tensor is pinned (see `require_layout`); None leaves it to the compiler.
        relaxed: without effect on NVIDIA, as the two that follow.

    Returns:
        tensor: of the buffer's shape and element type.

    Raises InvalidLayout where the layout doesn't fit the buffer or the task. Lowers to `ttg.local_load`.
    """
    buffer = as_buffer(src, "local_load's src")
    for name, value in (
        ("relaxed", relaxed),
        ("rematerialize_coordinates", rematerialize_coordinates),
        ("rematerialize_coordinates_group", rematerialize_coordinates_group),
    ):
        if _unwrap_if_constexpr(value):
            note_ignored("local_load", name, "it is for AMD's back end", _semantic)
    if _unwrap_if_constexpr(layout) is None:
        return _semantic.shared_load(buffer.memdesc, _semantic.default_layout(buffer.shape, buffer.dtype))
    return _semantic.pinned(_semantic.shared_load(buffer.memdesc, as_register_layout(layout, buffer.shape, _semantic)))


@builtin
def local_store(dst, src, _semantic=None):
    """Stores a tensor into one buffer.

    TMA and the tensor cores read shared memory through the async proxy. The compiler emits `fence_async_shared` in
    this task before its next arrive, MMA or TMA copy, so that what was stored here is visible to them.

    Args:
        dst: one buffer.
        src: tensor of the same shape and element type.

    Raises ShapeMismatch, DtypeMismatch. Lowers to `ttg.local_store`.
    """
    buffer = as_buffer(dst, "local_store's dst")
    if not isinstance(src, tl.tensor):
        raise ShapeMismatch(f"local_store's src must be a tensor, not {describe(src)}")
    shape = [_unwrap_if_constexpr(d) for d in src.shape]
    if shape != buffer.shape:
        raise ShapeMismatch(f"local_store of a {list_text(shape)} tensor into {buffer.type}")
    if src.dtype != buffer.dtype:
        raise DtypeMismatch(f"local_store of {src.dtype} into {buffer.type}", hint=f"convert: src.to({buffer.dtype})")
    _semantic.shared_store(buffer.memdesc, src)
    _semantic.note_shared_store()

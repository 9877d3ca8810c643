"""What rings of buffers and rings of barriers share: allocation, slots, passing through functions and loops."""

from __future__ import annotations

import triton.language as tl
from triton.experimental.gluon.language._core import shared_memory_descriptor_type
from triton.language.core import _unwrap_if_constexpr, base_type, base_value, builtin

from ..errors import IndexOutOfRange, InvalidBuffer, NotABuffer, NotATensor
from .arguments import describe, int32_scalar

__all__ = ["local_view", "ring", "ring_type", "used_as_tensor"]


class ring_type(base_type):
    """Type of a ring in shared memory (`num` > 0) or of one slot (`num` = 0)."""

    num: int
    place = None  # where its slots lie in memory that it shares, a `placement.Place`; None for its own memory

    @property
    def memdesc(self) -> shared_memory_descriptor_type:
        """The memory descriptor that this lowers to; a ring's has a leading dimension."""
        raise NotImplementedError

    @property
    def slot_type(self) -> ring_type:
        """The type of one slot."""
        raise NotImplementedError

    @property
    def slot_bytes(self) -> int:
        """Bytes of one slot."""
        raise NotImplementedError

    def wrap(self, handle) -> ring:
        """The value of this type with that handle."""
        raise NotImplementedError

    def to_ir(self, builder):
        return self.memdesc.to_ir(builder)

    def _flatten_ir_types(self, builder, out):
        out.append(self.to_ir(builder))

    def _unflatten_ir(self, handles, cursor):
        return self.wrap(handles[cursor]), cursor + 1

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__


class ring(base_value):
    """A ring in shared memory or one slot of it. `ring[i]` is `local_view(ring, i)`."""

    allocation = None  # its entry in the kernel's budget, on the value that the allocation returned
    how_to_compute = ""  # hint for those who take it for a tensor

    def __init__(self, handle, type: ring_type):
        self.handle = handle
        self.type = type

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    def _set_name(self, builder, name):
        self.handle.set_loc(builder.create_name_loc(name, self.handle.get_loc()))

    @builtin
    def __getitem__(self, index, _semantic=None):
        return local_view(self, index, _semantic=_semantic)

    def __neg__(self):
        raise used_as_tensor(self)

    __pos__ = __invert__ = __not__ = __neg__  # as Triton spells `+`, `~` and `not`


def used_as_tensor(value: ring) -> NotATensor:
    """The error of a kernel that computes with a buffer or a barrier."""
    return NotATensor(f"{describe(value)} is used as a tensor", hint=value.how_to_compute)


def check_allocatable(generator) -> None:
    """Raises InvalidBuffer where memory can't be allocated."""
    if not generator.at_kernel_top_level:
        raise InvalidBuffer(
            "shared memory is allocated inside a task, helper, loop or branch",
            hint="allocate in the kernel's own body, before async_tasks, and pass or capture the buffer",
        )


def allocate(kind: ring_type, semantic, generator) -> ring:
    """Emits the allocation of a ring and enters it into the kernel's budget."""
    check_allocatable(generator)
    value = kind.wrap(semantic.builder.create_local_alloc(kind.to_ir(semantic.builder)))
    generator.record_allocation(value)
    return value


@builtin
def local_view(bufs, buffer_idx, _semantic=None):
    """One slot of a ring of buffers or barriers; `ring[i]` says the same.

    Args:
        bufs: what `local_alloc` or `alloc_barriers` returned.
        buffer_idx: compile-time or run-time i32 index.

    Raises IndexOutOfRange for a constant outside 0..num-1. Lowers to `ttg.memdesc_index`.
    """
    if not isinstance(bufs, ring):
        raise NotABuffer(f"local_view takes a ring of buffers or barriers, not {describe(bufs)}")
    if not bufs.type.num:
        raise InvalidBuffer(f"this is one slot already, not a ring: {bufs.type}")
    if isinstance(buffer_idx, tl.tuple):
        (buffer_idx,) = buffer_idx
    constant = _unwrap_if_constexpr(buffer_idx)
    if isinstance(constant, int) and not 0 <= constant < bufs.type.num:
        raise IndexOutOfRange(f"index {constant} is outside a ring of {bufs.type.num}", "use `i % num`")
    if bufs.type.place is not None and isinstance(constant, int):
        buffer_idx = bufs.type.place.index(constant, _semantic)
    index = int32_scalar(buffer_idx, "the index of a ring", InvalidBuffer, _semantic)
    if bufs.type.place is not None and not isinstance(constant, int):
        index = bufs.type.place.index(index, _semantic)
    kind = bufs.type.slot_type
    builder = _semantic.builder
    return kind.wrap(builder.create_memdesc_index(kind.to_ir(builder), bufs.handle, index.handle))

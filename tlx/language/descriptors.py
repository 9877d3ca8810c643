"""Tensor descriptors that a kernel makes, in global scratch memory."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, base_type, base_value, builtin

from ..compiler.late_ops import emit
from ..compiler.layouts import shared_layout
from ..compiler.tensor_maps import create_name, scratch_name
from ..errors import DtypeMismatch, InvalidDescriptor, ShapeMismatch
from .arguments import constant_int, constant_shape, describe, int32_scalar, list_text
from .cluster_ptx import message_box
from .tma import descriptor_type, tensor_descriptor

__all__ = [
    "allocate_tensor_descriptor",
    "make_tensor_descriptor",
    "reinterpret_tensor_descriptor",
    "tensor_descriptor_ptr",
    "tensor_descriptor_ptr_type",
]

DESCRIPTOR_BYTES = 128  # CUDA driver API, `CUtensorMap`
UNIT = 16  # bytes: the least row of a block, and what outer strides are multiples of
PADDINGS = ("zero", "nan")
POINTER = tl.pointer_type(tl.int8)


class tensor_descriptor_ptr_type(base_type):
    """Type of the places of `num` descriptors that follow each other."""

    def __init__(self, num: int):
        self.num = num

    def to_ir(self, builder):
        """The IR type of the address of the first one."""
        return POINTER.to_ir(builder)

    def _flatten_ir_types(self, builder, out):
        out.append(self.to_ir(builder))

    def _unflatten_ir(self, handles, cursor):
        return tensor_descriptor_ptr(handles[cursor], self), cursor + 1

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.num == other.num

    def mangle(self) -> str:
        return f"tensor_descriptor_ptr_{self.num}"

    def __str__(self) -> str:
        return f"{self.num} places of descriptors"

    __repr__ = __str__


class tensor_descriptor_ptr(base_value):
    """Places of descriptors in global memory; `places[i]` is the i-th."""

    def __init__(self, handle, type: tensor_descriptor_ptr_type):
        self.handle = handle
        self.type = type

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    def _set_name(self, builder, name):
        self.handle.set_loc(builder.create_name_loc(name, self.handle.get_loc()))

    @builtin
    def __getitem__(self, index, _semantic=None):
        constant = _unwrap_if_constexpr(index)
        if isinstance(constant, int) and not 0 <= constant < self.type.num:
            raise InvalidDescriptor(f"place {constant} of {self.type.num}")
        index = int32_scalar(index, "the index of a descriptor", InvalidDescriptor, _semantic)
        offset = _semantic.mul(index, _semantic.to_tensor(DESCRIPTOR_BYTES), False)
        moved = _semantic.add(tl.tensor(self.handle, POINTER), offset, False)
        return tensor_descriptor_ptr(moved.handle, tensor_descriptor_ptr_type(1))


@builtin
def allocate_tensor_descriptor(num, _semantic=None):
    """Global scratch memory of this CTA for `num` descriptors.

    Args:
        num: a compile-time integer.

    Returns:
        tensor_descriptor_ptr: `places[i]` for `make_tensor_descriptor` and `reinterpret_tensor_descriptor`.

    On a GPU, give Triton an allocator first (`triton.set_allocator`); without one the launch fails. Raises
    InvalidDescriptor. Lowers to `ttg.global_scratch_alloc`.
    """
    num = constant_int(num, "num", InvalidDescriptor, least=1)
    handle = emit(scratch_name(num), [], POINTER.to_ir(_semantic.builder), _semantic)
    return tensor_descriptor_ptr(handle, tensor_descriptor_ptr_type(num))


@builtin
def make_tensor_descriptor(desc_ptr, base, shape, strides, block_shape, padding_option="zero", _semantic=None):
    """Writes a descriptor of a tensor in global memory.

    Copies through a descriptor in the same place must be over before it is written again.

    Args:
        desc_ptr: place of one descriptor (`allocate_tensor_descriptor`), or None for scratch of its own.
        base: pointer to the first element, aligned to 16 bytes.
        shape: of the tensor, i32.
        strides: in elements; the last is the constant 1, the others multiples of 16 bytes.
        block_shape: what one copy moves, compile-time integers.
        padding_option: what loads give outside the tensor: "zero", or "nan" for floats.

    Returns:
        tensor_descriptor: for this task; others take `reinterpret_tensor_descriptor` once they know that it is written.

    Raises InvalidDescriptor, ShapeMismatch, DtypeMismatch. sm_90. Lowers to `tt.make_tensor_descriptor` without a
    place, else to `ttng.tensormap_create` and a fence of its proxy (PTX `tensormap.replace`, `fence.proxy.tensormap`).
    """
    if not isinstance(base, tl.tensor) or base.type.is_block() or not base.dtype.is_ptr():
        raise DtypeMismatch(f"make_tensor_descriptor's base must be a pointer, not {describe(base)}")
    dtype = base.dtype.element_ty
    block = checked_block(block_shape, dtype)
    if not len(shape) == len(strides) == len(block):
        raise ShapeMismatch(f"a block of rank {len(block)}, {len(shape)} sizes and {len(strides)} strides")
    last = _unwrap_if_constexpr(strides[-1])
    if isinstance(last, tl.tensor) or last != 1:
        raise InvalidDescriptor("the last stride must be the constant 1", hint="write it as 1 or as a tl.constexpr")
    padding = _unwrap_if_constexpr(padding_option)
    if padding not in PADDINGS or (padding == "nan" and dtype.is_int()):
        raise InvalidDescriptor(f"padding_option is {padding!r}; it is 'zero', or 'nan' for floats, of {dtype}")
    if _unwrap_if_constexpr(desc_ptr) is None:
        return _semantic.make_tensor_descriptor(base, shape, strides, block, padding)
    place = as_place(desc_ptr, "make_tensor_descriptor")
    sizes = [_semantic.make_scalar(size, tl.int32) for size in shape]
    steps = [_semantic.make_scalar(_unwrap_if_constexpr(stride), tl.int64) for stride in strides]
    write(place, base, sizes, steps, block, padding, _semantic)
    return descriptor_at(place, block, dtype, sizes, steps, _semantic)


@builtin
def reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype, _semantic=None):
    """The descriptor that was written to a place, by this task or by another one before a barrier.

    Args:
        desc_ptr: place of one descriptor.
        block_shape: as it was made with.
        dtype: element type, as it was made with.

    Raises InvalidDescriptor. sm_90. Lowers to `ttng.tensormap_fenceproxy_acquire` and
    `ttng.reinterpret_tensor_descriptor`.
    """
    place = as_place(desc_ptr, "reinterpret_tensor_descriptor")
    dtype = _unwrap_if_constexpr(dtype)
    if not isinstance(dtype, tl.dtype):
        raise DtypeMismatch(f"dtype must be an element type, not {describe(dtype)}")
    return descriptor_at(place, checked_block(block_shape, dtype), dtype, [], [], _semantic)


def as_place(value: Any, op: str) -> tensor_descriptor_ptr:
    """The value if it is the place of one descriptor."""
    if not isinstance(value, tensor_descriptor_ptr):
        raise InvalidDescriptor(
            f"{op}: desc_ptr must be a place of allocate_tensor_descriptor, not {describe(value)}",
        )
    if value.type.num != 1:
        raise InvalidDescriptor(f"{op}: desc_ptr is {value.type}", hint="index it: places[i]")
    return value


def checked_block(block_shape: Any, dtype: tl.dtype) -> list[int]:
    """The block's shape; raises InvalidDescriptor for one that TMA doesn't copy."""
    block = constant_shape(block_shape, "block_shape")
    if not 1 <= len(block) <= 5:
        raise InvalidDescriptor(f"a block of rank {len(block)}, descriptors have rank 1 to 5")
    row = block[-1] * dtype.primitive_bitwidth // 8
    if row < UNIT:
        raise InvalidDescriptor(f"the rows of a {list_text(block)} block of {dtype} have {row} bytes, less than {UNIT}")
    return block


def write(place, base, sizes, steps, block: list[int], padding: str, semantic) -> None:
    """Emits the writing of a descriptor, the contiguous axis first in each list, strides in bytes."""
    dtype = base.dtype.element_ty
    swizzle = shared_layout(block, dtype).swizzle_byte_width if len(block) > 1 else 0
    box = message_box(block, dtype.primitive_bitwidth, swizzle)
    itemsize = semantic.make_scalar(dtype.primitive_bitwidth // 8, tl.int64)
    strides = [semantic.mul(step, itemsize, False) for step in steps[:-1]]
    ones = [semantic.to_tensor(1)] * len(block)
    numbers = [*map(semantic.to_tensor, reversed(box)), *reversed(sizes), *reversed(strides), *ones]
    handles = [place.handle, base.handle, *(number.handle for number in numbers)]
    emit(create_name(dtype, swizzle, padding), handles, None, semantic)


def descriptor_at(place, block, dtype, sizes, steps, semantic) -> tensor_descriptor:
    """The descriptor at a place, which TMA sees from here on."""
    shape_type, strides_type = tl.tuple(sizes).type, tl.tuple(steps).type
    kind = descriptor_type(tl.tensor_descriptor_type(tl.block_type(dtype, block), shape_type, strides_type))
    emit("tensormap_acquire", [place.handle], None, semantic)
    handle = emit("tensormap_reinterpret", [place.handle], kind._to_ir(semantic.builder), semantic)
    return tensor_descriptor.of(handle, sizes, steps, kind)

"""Layouts of register tensors: asked for, given up, compared and printed."""

from __future__ import annotations

import sys
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._core import distributed_type
from triton.experimental.gluon.language._layouts import DistributedLinearLayout
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.held_ops import observe
from ..compiler.layout_text import same_places, shared_text, thread_value
from ..compiler.layouts import PinnedLayout
from ..errors import InvalidLayout, LayoutsDiffer
from ..source import Location
from .arguments import describe
from .buffers import buffered_tensor, buffered_tensor_type
from .ignored import note_ignored
from .layout_objects import as_register_layout, as_shared_layout, layout_encoding

__all__ = ["assert_same_layout", "dump_layout", "release_layout", "require_layout", "zeros"]


def dims(x: tl.tensor) -> list[int]:
    return [_unwrap_if_constexpr(d) for d in x.shape]


def register_tensor(value: Any, op: str) -> tl.tensor:
    """The value if it is a tensor in registers."""
    if not isinstance(value, tl.tensor) or not value.type.is_block():
        raise InvalidLayout(f"{op} takes a tensor in registers, not {describe(value)}")
    return value


@builtin
def require_layout(x, layout, pin=True, late_address_compute=False, _semantic=None):
    """The tensor in a layout of the author's; no pass takes it back.

    Where the result meets other tensors, they come to its layout, and what is computed from it element by element has
    it too. A `tl.store` of it is done in this layout. `async_dot`, `tl.dot`, reductions and loads keep theirs.

    Args:
        x: tensor.
        layout: a `tlx.layout`.
        pin: False converts here and leaves the rest to the compiler.
        late_address_compute: without effect on NVIDIA.

    Raises InvalidLayout where the layout doesn't fit the tensor or the task. Lowers to `ttg.convert_layout`.
    """
    x = register_tensor(x, "require_layout")
    wanted = as_register_layout(layout, dims(x), _semantic)
    if _unwrap_if_constexpr(late_address_compute):
        note_ignored("require_layout", "late_address_compute", "it is for AMD's back end", _semantic)
    x = _semantic.convert(x, wanted)
    return _semantic.pinned(x) if _unwrap_if_constexpr(pin) else released(x)


@builtin
def release_layout(x, _semantic=None):
    """The tensor, whose layout is the compiler's choice again from here on; no data moves.

    Args:
        x: tensor.
    """
    return released(register_tensor(x, "release_layout"))


def released(x: tl.tensor) -> tl.tensor:
    """The tensor in the same layout, which doesn't count as the author's any more."""
    held = x.type.layout
    if not isinstance(held, PinnedLayout):
        return x
    free = DistributedLinearLayout(held.reg_bases, held.lane_bases, held.warp_bases, held.block_bases, held.shape)
    return tl.tensor(x.handle, distributed_type(x.dtype, dims(x), free))


@builtin
def zeros(shape, dtype, layout=None, _semantic=None):
    """A tensor of zeros; `tl.zeros` with a layout.

    Args:
        shape: compile-time integers.
        dtype: element type.
        layout: a `tlx.layout`; the result is pinned to it. None leaves the choice to the compiler.

    Raises InvalidLayout.
    """
    shape = [_unwrap_if_constexpr(d) for d in _unwrap_if_constexpr(shape)]
    dtype = _unwrap_if_constexpr(dtype)
    if _unwrap_if_constexpr(layout) is None:
        return _semantic.full(shape, 0, dtype)
    return _semantic.pinned(_semantic.full(shape, 0, dtype, as_register_layout(layout, shape, _semantic)))


@builtin
def assert_same_layout(lhs, rhs, _semantic=None):
    """Refuses the kernel unless two values have one layout after all passes.

    Register tensors have one layout where each thread holds the same elements in the same registers; buffers, where
    each element has the same offset.

    Args:
        lhs: tensor or buffer.
        rhs: another of its kind, or a layout.

    Raises LayoutsDiffer with both. No code comes of it.
    """
    place = _semantic.here()
    rhs = _unwrap_if_constexpr(rhs)
    if isinstance(lhs, buffered_tensor):
        compare_buffers(lhs, rhs, place, _semantic.builder)
        return
    lhs = register_tensor(lhs, "assert_same_layout")
    if isinstance(rhs, layout_encoding):
        wanted = as_register_layout(rhs, dims(lhs), _semantic)
        observe([lhs.handle], lambda seen: compare([*seen[0], (wanted, "")], place), _semantic)
    else:
        handles = [lhs.handle, register_tensor(rhs, "assert_same_layout").handle]
        observe(handles, lambda seen: compare([*seen[0], *seen[1]], place), _semantic)


def compare_buffers(left: buffered_tensor, right: Any, place: Location, builder) -> None:
    """Raises unless two buffers, or a buffer and a layout, have the same offsets."""
    if isinstance(right, layout_encoding):
        layout = as_shared_layout(right, left.shape, left.dtype)
        right = buffered_tensor_type(left.dtype, left.shape, 0, layout)
    elif isinstance(right, buffered_tensor):
        right = right.type
    else:
        raise InvalidLayout(f"assert_same_layout compares a buffer with a buffer or a layout, not {describe(right)}")
    types = [kind.to_ir(builder) for kind in (left.type, right)]
    if not same_places(*types):
        raise layouts_differ(*map(shared_text, types), place)


def compare(seen: list[tuple[DistributedLinearLayout, str]], place: Location) -> None:
    """Raises unless all layouts seen are one."""
    texts = [thread_value(found) for found, _ in seen]
    for text in texts[1:]:
        if text != texts[0]:
            raise layouts_differ(texts[0], text, place)


def layouts_differ(left: str, right: str, place: Location) -> LayoutsDiffer:
    return LayoutsDiffer(
        f"the layouts differ:\n    {left}\n    {right}",
        hint="pin one with require_layout, or convert where it costs least",
        location=place,
    )


@builtin
def dump_layout(x, _semantic=None):
    """Prints the layout that a tensor or a buffer has after all passes to stderr, when the kernel is compiled.

    A tensor's is printed as (thread, value) -> row-major index of the element, a buffer's as offset -> index, both in
    CuTe's form of sizes and strides.

    Args:
        x: tensor or buffer.

    Raises InvalidLayout for anything else. No code comes of it; a kernel from the cache prints nothing.
    """
    place = _semantic.here()
    if isinstance(x, buffered_tensor):
        print(f"{place}: {shared_text(x.type.to_ir(_semantic.builder))}", file=sys.stderr)
        return
    x = register_tensor(x, "dump_layout")

    def show(seen) -> None:
        for line in dict.fromkeys(f"{type}: {thread_value(found)}" for found, type in seen[0]):
            print(f"{place}: {line}", file=sys.stderr)

    observe([x.handle], show, _semantic)

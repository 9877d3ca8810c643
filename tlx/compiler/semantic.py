"""What `tl` ops mean on tensors with layouts: Gluon's semantic, with layouts chosen instead of demanded.

Each override says which layout the op needs, converts its operands to it and hands over to the stock method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import BlockedLayout, DotOperandLayout, SliceLayout
from triton.experimental.gluon.language._semantic import GluonSemantic
from triton.experimental.gluon.language.nvidia.hopper import tma as stock_tma
from triton.language.core import _unwrap_if_constexpr

from ..language.fences import emit_memory_fence
from ..language.layout_objects import layout_encoding
from ..language.tma import descriptor_type, tensor_descriptor
from ..source import Location
from .async_state import AsyncState, Unseen
from .held_ops import hold_pin, hold_store
from .layouts import PinnedLayout, default_layout, expandable, shared_layout, stronger
from .program_ids import num_programs, program_id
from .task_context import TaskContext
from .versions import asks_for_caching

__all__ = ["TLXSemantic"]


def dims(shape: Sequence[Any]) -> list[int]:
    """A shape as plain integers."""
    return [_unwrap_if_constexpr(d) for d in shape]


class TLXSemantic(GluonSemantic):
    """The semantic of one function's trace.

    Args:
        builder: Gluon's op builder.
        task: tells for how many warps ops are emitted.
        module: that the ops go into.
        context: MLIR's.
        here: the place in the user's file that is being traced.
        engines: what the trace knows of engines at work.
    """

    def __init__(self, builder, task: TaskContext, module, context, here: Callable[[], Location]):
        super().__init__(builder)
        self.task = task
        self.module = module
        self.context = context
        self.here = here
        self.engines = AsyncState(task.unseen)

    # --- fences ---

    def fence_async_shared(self) -> None:
        """Makes ordinary stores to shared memory visible to the async proxy (PTX `fence.proxy.async`)."""
        self.builder.create_fence_async_shared(self.task.kernel.cluster is not None)
        self.engines.unseen &= ~Unseen.ENGINES

    def make_stores_visible(self) -> None:
        """Fences if shared memory was written since the last fence: before an arrive, an MMA and a TMA copy.

        In the writing task, because stock fence insertion sees only its own task, and after the stores because a
        fence at the reader orders nothing that another task wrote before it.
        """
        if Unseen.ENGINES in self.engines.unseen:
            self.fence_async_shared()

    def note_shared_store(self) -> None:
        """Remembers that ordinary stores have written shared memory, of this CTA or of a peer."""
        self.engines.unseen |= Unseen.ENGINES
        self.note_store()

    def note_store(self) -> None:
        """Remembers that ordinary stores have written memory that peers may read."""
        if self.task.kernel.cluster is not None:
            self.engines.unseen |= Unseen.PEERS

    def make_stores_visible_to_peers(self) -> None:
        """Fences at the cluster's scope if the task has stored since it last did (PTX `fence.acq_rel.cluster`).

        A fence of its own and not an arrival that releases at that scope, which waits for all earlier accesses at each
        arrival: too dear where it only says that a slot is free.
        """
        if Unseen.PEERS in self.engines.unseen:
            emit_memory_fence("cluster", self.builder)
            self.engines.unseen &= ~Unseen.PEERS

    # --- layouts ---

    def default_layout(self, shape: Sequence[Any], dtype: tl.dtype) -> BlockedLayout:
        """The layout of a tensor that nothing else decides, for the warps of the current task."""
        bits = 64 if dtype.is_ptr() else max(8, dtype.primitive_bitwidth)
        return default_layout(dims(shape), bits, self.task.num_warps)

    def convert(self, value: tl.tensor, layout) -> tl.tensor:
        """The tensor in another layout; scalars and tensors that already have it are returned as they are."""
        if not value.type.is_block() or value.type.layout == layout:
            return value
        return self.convert_layout(value, layout)

    def pinned(self, value: tl.tensor) -> tl.tensor:
        """The tensor, held in its layout through all passes."""
        return tl.tensor(hold_pin(value.handle, self), value.type)

    def like(self, value: tl.tensor, model: tl.tensor) -> tl.tensor:
        """`value` with the shape and the layout of the block `model`, its element type kept."""
        shape = model.type.get_block_shapes()
        if not value.type.is_block():
            return self.splat(value, shape, model.type.layout)
        while len(value.shape) < len(shape):
            value = self.expand_dims(value, 0)
        value = self.broadcast_impl_shape(value, shape)
        return self.convert(value, model.type.layout)

    # --- the grid ---

    def program_id(self, axis):
        return program_id(axis, super().program_id, self)

    def num_programs(self, axis):
        return num_programs(axis, super().num_programs, self)

    # --- creation ---

    def to_tensor(self, x, check_type: bool = True):
        # A name that is given a layout holds a compile-time value.
        return tl.constexpr(x) if isinstance(x, layout_encoding) else super().to_tensor(x, check_type)

    def arange(self, start, end, *, ret_ty=None, layout=None):
        return super().arange(start, end, layout or self.default_layout([end - start], tl.int32))

    def full(self, shape, value, dtype, layout=None):
        shape = dims(shape)
        return super().full(shape, value, dtype, layout or (self.default_layout(shape, dtype) if shape else None))

    def splat(self, value, shape, layout=None):
        shape = dims(shape)
        return super().splat(value, shape, layout or (self.default_layout(shape, value.dtype) if shape else None))

    # --- shape ---

    def expand_dims(self, input, axis):
        shape = dims(input.shape)
        axis += len(shape) + 1 if axis < 0 else 0
        if not input.type.is_block():
            return self.splat(input, [1])
        if not expandable(input.type.layout, axis):
            parent = self.default_layout([*shape[:axis], 1, *shape[axis:]], input.dtype)
            input = self.convert(input, SliceLayout(axis, parent))
        return super().expand_dims(input, axis)

    def broadcast_impl_shape(self, input, shape):
        shape = dims(shape)
        if not input.type.is_block():
            return self.splat(input, shape)
        return super().broadcast_impl_shape(input, shape)

    def broadcast_impl_value(self, lhs, rhs):
        if lhs.type.is_block() and rhs.type.is_block():
            while len(lhs.shape) < len(rhs.shape):
                lhs = self.expand_dims(lhs, 0)
            while len(rhs.shape) < len(lhs.shape):
                rhs = self.expand_dims(rhs, 0)
            layout = stronger(lhs.type.layout, rhs.type.layout)
            lhs, rhs = self.convert(lhs, layout), self.convert(rhs, layout)
        elif lhs.type.is_block():
            rhs = self.splat(rhs, lhs.type.get_block_shapes(), lhs.type.layout)
        elif rhs.type.is_block():
            lhs = self.splat(lhs, rhs.type.get_block_shapes(), rhs.type.layout)
        return super().broadcast_impl_value(lhs, rhs)

    def reshape(self, input, dst_shape, can_reorder=False):
        # Permission to reorder is for speed; keeping the order is always right.
        return super().reshape(input, dims(dst_shape), False)

    def cat(self, lhs, rhs, can_reorder):
        # `tt.cat` counts registers: where threads hold copies, no layout of the result has as many as both operands.
        return self.reshape(self.permute(self.join(lhs, rhs), (1, 0)), [2 * dim for dim in dims(lhs.shape)])

    def join(self, a, b):
        if a.type.is_block() or b.type.is_block():
            return super().join(a, b)
        a, b = self.broadcast_impl_value(a, b)
        return self.reshape(super().join(self.splat(a, [1]), self.splat(b, [1])), [2])

    # --- memory ---

    def make_block_ptr(self, *_):
        # As Triton 3.9 says; before it, a stock pass rewrites them before tensors have layouts.
        raise NotImplementedError("block pointers are not supported: use tensor descriptors, or pointers and a mask")

    def make_tensor_descriptor(self, base, shape, strides, block_shape, padding_option="zero"):
        layout = shared_layout(dims(block_shape), base.dtype.element_ty)
        value = stock_tma.make_tensor_descriptor(
            base, shape, strides, block_shape, layout, padding_option, _semantic=self
        )
        return tensor_descriptor(value, descriptor_type(value.type))

    def load(self, ptr, mask, other, *rest):
        if ptr.type.is_block():
            mask = self.like(mask, ptr) if mask is not None else None
            other = self.like(other, ptr) if other is not None else None
        return super().load(ptr, mask, other, *rest)

    def store(self, ptr, val, mask, *rest):
        self.note_store()
        if ptr.type.is_block() and is_pinned(val) and dims(ptr.shape) == dims(val.shape) and not asks_for_caching(rest):
            return self.store_pinned(ptr, val, mask)
        if ptr.type.is_block():
            val = self.like(val, ptr)
            mask = self.like(mask, ptr) if mask is not None else None
        return super().store(ptr, val, mask, *rest)

    def store_pinned(self, ptr, val, mask):
        """A store in the layout of the value, which its author chose."""
        operands = [self.like(ptr, val), self.cast(val, ptr.dtype.element_ty)]
        operands += [self.like(mask, val)] if mask is not None else []
        hold_store([operand.handle for operand in operands], self)
        return tl.tensor(None, tl.void)

    def atomic_cas(self, ptr, cmp, val, sem, scope):
        if ptr.type.is_block():
            cmp, val = self.like(cmp, ptr), self.like(val, ptr)
        return super().atomic_cas(ptr, cmp, val, sem, scope)

    def atom_red_typechecking_impl(self, ptr, val, mask, op):
        if ptr.type.is_block():
            val = self.like(val, ptr)
            mask = self.like(mask, ptr) if mask is not None else None
        return super().atom_red_typechecking_impl(ptr, val, mask, op)

    # --- reductions and indexing ---

    def reduction(self, inputs, axis, region_builder_fn):
        if axis is None:
            inputs = tuple(self.reshape(t, [t.numel.value]) for t in inputs)
            axis = 0
        return super().reduction(self.same_layout(inputs), axis, region_builder_fn)

    def associative_scan(self, inputs, axis, region_builder_fn, reverse):
        return super().associative_scan(self.same_layout(inputs), axis, region_builder_fn, reverse)

    def same_layout(self, tensors: Sequence[tl.tensor]) -> tuple[tl.tensor, ...]:
        """The tensors, which have one shape, in the layout of the first."""
        return tuple(self.convert(t, tensors[0].type.layout) for t in tensors)

    def histogram(self, input, num_bins, mask):
        return super().histogram(input, num_bins, mask, self.default_layout([num_bins], tl.int32))

    # --- tl.dot ---

    def dot(self, lhs, rhs, acc, input_precision, max_num_imprecise_acc, out_dtype):
        """A synchronous dot in the FMA form, which stock accelerate_matmul turns into MMA of the task's warps."""
        shape = product_shape(lhs, rhs)
        if acc is None:
            out_dtype = accumulator_dtype(lhs.dtype, out_dtype)
            acc = self.full(shape, 0, out_dtype)
        acc = self.blocked(acc)
        lhs = self.convert(lhs, DotOperandLayout(0, acc.type.layout, 0))
        rhs = self.convert(rhs, DotOperandLayout(1, acc.type.layout, 0))
        result = super().dot(lhs, rhs, acc, input_precision, max_num_imprecise_acc, out_dtype)
        return self._wrap_handle_infer_layout(result.handle, acc.dtype, shape)

    def dot_scaled(self, lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, *rest):
        """A product of microscaled operands, which stock accelerate_matmul takes apart where MMA has no scales."""
        *_, lhs_k_pack, rhs_k_pack, out_dtype = rest
        if acc is None:
            acc = self.full(scaled_product_shape(lhs, rhs, lhs_k_pack, rhs_k_pack), 0, out_dtype)
        acc = self.blocked(acc)
        lhs, rhs = self.blocked(lhs), self.blocked(rhs)
        result = super().dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, *rest)
        return self._wrap_handle_infer_layout(result.handle, acc.dtype, dims(acc.shape))

    def blocked(self, value: tl.tensor) -> tl.tensor:
        """The tensor in a blocked layout: its own, or the default one."""
        if isinstance(value.type.layout, BlockedLayout):
            return value
        return self.convert(value, self.default_layout(value.shape, value.dtype))


def is_pinned(value: tl.tensor) -> bool:
    """Whether a tensor has a layout that its author asked for, and elements that memory holds as they are."""
    return value.type.is_block() and isinstance(value.type.layout, PinnedLayout) and value.dtype != tl.int1


def product_shape(lhs: tl.tensor, rhs: tl.tensor) -> list[int]:
    """The shape of a product of two (batches of) matrices."""
    return [*dims(lhs.shape[:-1]), _unwrap_if_constexpr(rhs.shape[-1])]


def scaled_product_shape(lhs: tl.tensor, rhs: tl.tensor, lhs_k_pack: bool, rhs_k_pack: bool) -> list[int]:
    """The shape of a product whose 4-bit operands may be packed along M and N instead of K, two to a byte."""
    *batch, m, n = product_shape(lhs, rhs)
    return [*batch, m if lhs_k_pack else 2 * m, n if rhs_k_pack else 2 * n]


def accumulator_dtype(operand: tl.dtype, asked: tl.dtype | None) -> tl.dtype:
    """The element type of a product without an accumulator, as stock `tl.dot` decides it."""
    if operand.is_int():
        return tl.int32
    if operand.is_fp64():
        return tl.float64
    if asked is None or (operand in (tl.float32, tl.bfloat16) and not asked.is_bf16()):
        return tl.float32
    return asked  # stock refuses bfloat16

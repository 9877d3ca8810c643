"""Tensor-map copies (TMA) between global and shared memory."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._core import distributed_type
from triton.experimental.gluon.language.nvidia.hopper import tma as stock
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.late_ops import emit
from ..compiler.layouts import shared_layout
from ..compiler.versions import tma_load, tma_store
from ..errors import DtypeMismatch, InvalidBarrier, LayoutMismatch, NotADescriptor, ShapeMismatch
from .arguments import constant_int, describe, int32_tensor, list_text, predicate
from .barriers import as_barrier
from .blackwell import needs_blackwell
from .buffers import as_buffer, buffered_tensor
from .cache_hints import ignore_modifier, ignore_policy, policy_arguments
from .multicast import load_multicast, targets_of
from .reductions import REDUCTIONS, check_corner, reduction_of

__all__ = ["async_descriptor_load", "async_descriptor_store", "async_descriptor_store_wait"]


class tensor_descriptor_type(stock.tensor_descriptor_type):
    """Type of a descriptor argument; its block is laid out in shared memory as buffers of its shape are."""

    def _unflatten_ir(self, handles, cursor):
        value, cursor = super()._unflatten_ir(handles, cursor)
        return tensor_descriptor(value, self), cursor


class tensor_descriptor(stock.tensor_descriptor):
    """A tensor descriptor; `desc.load`, `desc.store` and `desc.atomic_...` copy whole blocks and wait."""

    def __init__(self, value: stock.tensor_descriptor, type: tensor_descriptor_type):
        super().__init__(value.handle, list(value.shape), list(value.strides), type.block_type, type.layout)
        self.type = type

    @classmethod
    def of(cls, handle, shape, strides, type: tensor_descriptor_type) -> tensor_descriptor:
        """The descriptor of that type with that handle."""
        return cls(stock.tensor_descriptor(handle, shape, strides, type.block_type, type.layout), type)

    @builtin
    def load(self, offsets, _semantic=None):
        """The block at `offsets` as a tensor of the current task; zeros outside the global tensor.

        Lowers to `tt.descriptor_load`: a TMA load into scratch, a barrier, a wait and a `local_load`.
        """
        handles = [self.handle, *self.offset_handles(offsets, _semantic)]
        shape = list(self.block_shape)
        layout = _semantic.default_layout(shape, self.dtype)
        kind = distributed_type(self.dtype, shape, layout)
        return tl.tensor(emit("descriptor_load", handles, kind.to_ir(_semantic.builder), _semantic), kind)

    @builtin
    def store(self, offsets, value, _semantic=None):
        """Stores a tensor of the block's shape at `offsets`, converted to the descriptor's element type.

        Lowers to `tt.descriptor_store`: a `local_store` into scratch, a fence, a TMA store and its wait.
        """
        self.send("store", offsets, value, _semantic)

    @builtin
    def atomic_add(self, offsets, value, _semantic=None):
        """Adds a tensor to the block at `offsets`, each element atomically.

        Raises DtypeMismatch for elements that TMA doesn't add. Lowers to `tt.descriptor_reduce`: as `store`, with a
        TMA reduction (PTX `cp.reduce.async.bulk.tensor`). So do the other `atomic_...`.
        """
        self.reduce("add", offsets, value, _semantic)

    @builtin
    def atomic_min(self, offsets, value, _semantic=None):
        """Takes the smaller of each element of the block and of the tensor, atomically."""
        self.reduce("min", offsets, value, _semantic)

    @builtin
    def atomic_max(self, offsets, value, _semantic=None):
        """Takes the larger of each element of the block and of the tensor, atomically."""
        self.reduce("max", offsets, value, _semantic)

    @builtin
    def atomic_and(self, offsets, value, _semantic=None):
        """Bitwise and of each element of the block and of the tensor, atomically."""
        self.reduce("and", offsets, value, _semantic)

    @builtin
    def atomic_or(self, offsets, value, _semantic=None):
        """Bitwise or of each element of the block and of the tensor, atomically."""
        self.reduce("or", offsets, value, _semantic)

    @builtin
    def atomic_xor(self, offsets, value, _semantic=None):
        """Bitwise exclusive or of each element of the block and of the tensor, atomically."""
        self.reduce("xor", offsets, value, _semantic)

    @builtin
    def gather(self, *args, _semantic=None):
        """Raises NeedsBlackwell: TMA gathers rows from sm_100 on."""
        raise needs_blackwell("gather of a descriptor")

    @builtin
    def scatter(self, value, *args, _semantic=None):
        """Raises NeedsBlackwell: TMA scatters rows from sm_100 on."""
        raise needs_blackwell("scatter of a descriptor")

    def reduce(self, kind: str, offsets, value, semantic) -> None:
        """Emits an atomic update of a block."""
        what = reduction_of(kind, self.dtype, f"atomic_{kind}")
        check_offsets(offsets, len(self.block_shape), f"atomic_{kind}")
        check_corner(offsets, f"atomic_{kind}")
        self.send(what, offsets, value, semantic)

    def send(self, what: str, offsets, value, semantic) -> None:
        """Emits a store, or a reduction of that name, of a tensor to the block."""
        shape = [_unwrap_if_constexpr(d) for d in value.shape]
        if shape != list(self.block_shape):
            raise ShapeMismatch(f"{what} of a {list_text(shape)} tensor to blocks of {list_text(self.block_shape)}")
        value = semantic.cast(value, self.dtype)
        emit(f"descriptor_{what}", [self.handle, value.handle, *self.offset_handles(offsets, semantic)], None, semantic)

    def offset_handles(self, offsets, semantic) -> list:
        """The i32 offsets of a block."""
        check_offsets(offsets, len(self.block_shape), "this op")
        return [int32_tensor(offset, semantic).handle for offset in offsets]


def descriptor_type(kind: tl.tensor_descriptor_type) -> tensor_descriptor_type:
    """The type of a kernel's descriptor argument."""
    block = kind.block_type
    layout = shared_layout(list(block.shape), block.element_ty)
    return tensor_descriptor_type(block, kind.shape_type, kind.strides_type, layout)


def as_descriptor(desc: Any, op: str) -> tensor_descriptor:
    """The value if it is a tensor descriptor."""
    if not isinstance(desc, stock.tensor_descriptor):
        raise NotADescriptor(f"{op} takes a tensor descriptor, not {describe(desc)}")
    return desc


def match(desc: Any, buffer: buffered_tensor, offsets: Any, op: str) -> None:
    """Raises unless descriptor, buffer and offsets fit each other."""
    block = list(as_descriptor(desc, op).block_shape)
    if block != buffer.shape:
        raise ShapeMismatch(
            f"{op}: the descriptor's block is {list_text(block)}, the buffer is {list_text(buffer.shape)}",
            hint="give the host's TensorDescriptor the buffer's shape as block_shape",
        )
    if desc.dtype != buffer.dtype:
        raise DtypeMismatch(f"{op}: the descriptor has {desc.dtype}, the buffer has {buffer.dtype}")
    if desc.layout != buffer.type.layout:
        raise LayoutMismatch(
            f"{op}: the descriptor's {list_text(block)} block is laid out as {desc.layout}, the buffer as "
            f"{buffer.type.layout}",
            hint="copy to a whole buffer, or to a slice whose rows have the same number of bytes modulo 128",
        )
    check_offsets(offsets, len(block), op)


def check_offsets(offsets: Any, rank: int, op: str) -> None:
    """Raises ShapeMismatch unless these are as many scalars as the descriptor has axes."""
    offsets = _unwrap_if_constexpr(offsets)
    if not isinstance(offsets, list | tuple | tl.tuple):
        raise ShapeMismatch(f"{op}: offsets must be a list, not {describe(offsets)}")
    if len(offsets) != rank:
        raise ShapeMismatch(f"{op}: {len(offsets)} offsets for a descriptor of rank {rank}")
    for offset in offsets:
        if isinstance(offset, tl.tensor) and offset.type.is_block():
            raise ShapeMismatch(f"{op}: an offset is {describe(offset)}, it must be a scalar")


@builtin
def async_descriptor_load(
    desc,
    result,
    offsets,
    barrier,
    pred=None,
    cache_modifier="",
    eviction_policy="",
    multicast_targets=None,
    two_ctas=False,
    _semantic=None,
):
    """Starts a TMA load of one block into a buffer; its bytes count towards the barrier's phase.

    Elements outside the tensor arrive as zeros, and count.

    Args:
        desc: descriptor whose block has the buffer's shape and element type.
        result: one buffer.
        offsets: first element of the block along each axis, i32.
        barrier: one mbarrier on which `barrier_expect_bytes` was called for this phase.
        pred: scalar condition; None means always.
        cache_modifier: ignored.
        eviction_policy: "", "evict_first" or "evict_last"; a hint, ignored before Triton 3.9 and by multicasts.
        multicast_targets: ranks of the CTAs of the cluster that get the block, in the same buffer, and its bytes, on
            the same barrier; each of them calls `barrier_expect_bytes`. Empty for this CTA alone.
        two_ctas: only False; pairs of CTAs are Blackwell's.

    Raises ShapeMismatch, DtypeMismatch, LayoutMismatch, InvalidHint, NeedsBlackwell, NoCluster, RankOutOfRange. Lowers
    to `ttng.async_tma_copy_global_to_local` (PTX `cp.async.bulk.tensor`, completing on an mbarrier).
    """
    buffer = as_buffer(result, "async_descriptor_load's result")
    match(desc, buffer, offsets, "async_descriptor_load")
    bar = as_barrier(barrier, "async_descriptor_load", _semantic)
    if _unwrap_if_constexpr(two_ctas):
        raise needs_blackwell("async_descriptor_load with two_ctas=True")
    ignore_modifier(cache_modifier, "async_descriptor_load", _semantic)
    if targets := targets_of(multicast_targets):
        ignore_policy(eviction_policy, "async_descriptor_load", "multicasts take none", _semantic)
        load_multicast(desc, offsets, bar, buffer, pred, targets, _semantic)
        return
    _semantic.make_stores_visible()  # what was stored into this buffer must not come after the load
    policy = policy_arguments(eviction_policy, "async_descriptor_load", _semantic)
    tma_load(desc, offsets, bar, buffer, predicate(pred, _semantic), _semantic=_semantic, **policy)


@builtin
def async_descriptor_store(desc, source, offsets, eviction_policy="", store_reduce="", _semantic=None):
    """Starts a TMA store of one buffer as a bulk group of its own; nothing outside the tensor is written.

    With `store_reduce`, each element in memory is combined with the buffer's instead, atomically and in any order.

    Args:
        desc: descriptor whose block has the buffer's shape and element type.
        source: one buffer; it must not be written again before `async_descriptor_store_wait`.
        offsets: first element of the block along each axis, i32.
        eviction_policy: "", "evict_first" or "evict_last"; a hint, ignored before Triton 3.9 and by reductions.
        store_reduce: "", or "add" of 32-bit integers, uint64, float16, bfloat16, float32; "min" and "max" of 32- and
            64-bit integers, float16, bfloat16; "and", "or" and "xor" of 32- and 64-bit integers.

    Raises ShapeMismatch, DtypeMismatch, LayoutMismatch, InvalidReduction, InvalidHint. Lowers to
    `ttng.async_tma_copy_local_to_global` or `ttng.async_tma_reduce` (PTX `cp.async.bulk.tensor` or
    `cp.reduce.async.bulk.tensor`, and `cp.async.bulk.commit_group`).
    """
    buffer = as_buffer(source, "async_descriptor_store's source")
    match(desc, buffer, offsets, "async_descriptor_store")
    kind = reduction_of(store_reduce, desc.dtype, "async_descriptor_store's store_reduce")
    if kind:
        check_corner(offsets, "async_descriptor_store's store_reduce")
        ignore_policy(eviction_policy, "async_descriptor_store", "TMA reductions take none", _semantic)
        _semantic.make_stores_visible()
        place = desc.offset_handles(offsets, _semantic)
        _semantic.builder.create_async_tma_reduce(REDUCTIONS[kind], desc.handle, place, buffer.handle)
        return
    policy = policy_arguments(eviction_policy, "async_descriptor_store", _semantic)
    _semantic.make_stores_visible()
    tma_store(desc, offsets, buffer, _semantic=_semantic, **policy)


@builtin
def async_descriptor_store_wait(pendings, _semantic=None):
    """Waits until all but `pendings` of this task's TMA stores have read their buffers.

    Args:
        pendings: compile-time integer.

    Lowers to `ttng.async_tma_store_wait` (PTX `cp.async.bulk.wait_group.read`).
    """
    pendings = constant_int(pendings, "pendings", InvalidBarrier, least=0)
    stock.store_wait(pendings, _semantic=_semantic)

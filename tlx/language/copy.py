"""Copies from global to shared memory by the threads of a task, without registers (cp.async)."""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import PaddedSharedLayout
from triton.language.core import _unwrap_if_constexpr, base_type, base_value, builtin

from ..compiler.layouts import default_layout
from ..compiler.versions import cp_async
from ..errors import DtypeMismatch, InvalidCopy, LayoutMismatch, ShapeMismatch
from .arguments import constant_int, describe, list_text
from .barriers import mbarrier
from .buffers import as_buffer, buffered_tensor
from .bulk import load_bulk
from .cache_hints import eviction_policy_of

__all__ = ["async_load", "async_load_commit_group", "async_load_wait_group", "async_token"]

LEAST_BITS = 32  # of one copy: PTX ISA, "cp.async"
CACHE_MODIFIERS = ("", ".ca", ".cg")


class async_token_type(base_type):
    """Type of an `async_token`."""

    def _flatten_ir_types(self, builder, out):
        pass

    def _unflatten_ir(self, handles, cursor):
        return async_token(), cursor

    def __eq__(self, other):
        return isinstance(other, async_token_type)

    def mangle(self) -> str:
        return "async_token"

    def __str__(self) -> str:
        return "async_token"

    __repr__ = __str__


class async_token(base_value):
    """Stands for copies that were started. It has no code of its own: groups count in the order of the program."""

    def __init__(self):
        self.type = async_token_type()

    def _flatten_ir(self, handles):
        pass

    def _set_name(self, builder, name):
        pass


@builtin
def async_load(
    src,
    result,
    mask=None,
    other=None,
    cache_modifier="",
    eviction_policy="",
    is_volatile=False,
    bulk=False,
    bulk_size=None,
    barrier=None,
    _semantic=None,
    _generator=None,
):
    """Starts a copy from global memory into a buffer; each thread copies up to 16 bytes at a time.

    With `bulk`, one thread starts one copy of consecutive bytes instead, which count towards a barrier's phase.

    What arrives is visible after `async_load_wait_group`: to the task itself at once, to other tasks after the next
    arrive. TMA and the tensor cores read it too: the compiler emits the proxy fence that they need.

    Args:
        src: tensor of pointers of the buffer's shape and element type. Pointers and mask must be known to go along in
            units of at least 4 bytes (a row's start and length that are multiples of 16 do). With `bulk`, one pointer
            to that type, aligned to 16 bytes.
        result: one buffer; with `bulk`, of rank 1.
        mask: which elements are copied; zeros go where it is false.
        other: only 0, which is what goes there anyway.
        cache_modifier: "", ".ca" or ".cg".
        eviction_policy: "", "evict_first" or "evict_last"; a hint.
        is_volatile: as in `tl.load`.
        bulk: whether it is a bulk copy, which has no mask, no `other` and no hints.
        bulk_size: bytes of a bulk copy, a multiple of 16 and at most the buffer's, a compile-time or run-time i32;
            None means the whole buffer.
        barrier: one mbarrier on which `barrier_expect_bytes` was called for this phase; of a bulk copy only.

    Returns:
        async_token: for `async_load_commit_group`. A bulk copy belongs to no group.

    Raises ShapeMismatch, DtypeMismatch, InvalidCopy; LayoutMismatch for a padded buffer. Lowers to
    `ttg.async_copy_global_to_local` (PTX `cp.async`); with `bulk`, PTX `cp.async.bulk.shared::cluster.global` (sm_90).
    """
    buffer = as_buffer(result, "async_load's result")
    if _unwrap_if_constexpr(bulk):
        refuse({"mask": mask, "other": other, "cache_modifier": cache_modifier, "eviction_policy": eviction_policy})
        load_bulk(src, buffer, bulk_size, barrier, _semantic)
        return async_token()
    if _unwrap_if_constexpr(bulk_size) is not None or _unwrap_if_constexpr(barrier) is not None:
        raise InvalidCopy("async_load: bulk_size and barrier are those of a bulk copy", hint="pass bulk=True")
    match(src, buffer)
    if isinstance(buffer.type.layout, PaddedSharedLayout):
        raise LayoutMismatch(
            "async_load into a padded buffer, for which Triton has no cp.async",
            hint="use a swizzled layout, or tl.load and local_store",
        )
    if not is_one_of(other, None, 0):
        raise InvalidCopy(
            "other must be 0: cp.async fills with zeros only", hint="use tl.load(..., other=) and local_store"
        )
    modifier = _unwrap_if_constexpr(cache_modifier)
    if modifier not in CACHE_MODIFIERS:
        raise InvalidCopy(f"cache_modifier is {modifier!r}, cp.async has {', '.join(map(repr, CACHE_MODIFIERS))}")
    eviction_policy_of(eviction_policy, "async_load")
    bits = buffer.dtype.primitive_bitwidth
    src = _semantic.convert(src, default_layout(buffer.shape, bits, _semantic.task.num_warps))
    mask = _unwrap_if_constexpr(mask)
    if mask is not None:
        mask = _semantic.to_tensor(mask)
        check_mask([_unwrap_if_constexpr(d) for d in mask.shape], buffer.shape)
        mask = _semantic.like(mask, src)
    cp_async(buffer.memdesc, src, mask, cache_modifier, eviction_policy, is_volatile, _semantic=_semantic)
    if bits < LEAST_BITS:
        _semantic.task.kernel.narrow_copies.append(_generator.location())
    return async_token()


def is_one_of(value: Any, *constants: Any) -> bool:
    """Whether it is one of these constants; a traced value is none."""
    value = _unwrap_if_constexpr(value)
    return not isinstance(value, tl.tensor) and value in constants


def refuse(arguments: dict[str, Any]) -> None:
    """Raises for arguments that a bulk copy doesn't have."""
    for name, value in arguments.items():
        if not is_one_of(value, None, ""):
            raise InvalidCopy(f"async_load with bulk=True has no {name}", hint="leave it out, or leave bulk out")


def match(src: Any, buffer: buffered_tensor) -> None:
    """Raises unless the pointers fit the buffer."""
    if not isinstance(src, tl.tensor) or not src.dtype.is_ptr():
        raise DtypeMismatch(f"async_load's src must be a tensor of pointers, not {describe(src)}")
    shape = [_unwrap_if_constexpr(d) for d in src.shape] if src.type.is_block() else []
    if shape != buffer.shape:
        what = list_text(shape) + " pointers" if shape else "one pointer"
        raise ShapeMismatch(f"async_load of {what} into {buffer.type}", hint="make one pointer for each element")
    if src.dtype.element_ty != buffer.dtype:
        raise DtypeMismatch(f"async_load from {src.dtype.element_ty} into {buffer.type}")
    if math.prod(shape) * buffer.dtype.primitive_bitwidth < LEAST_BITS:
        raise InvalidCopy(f"async_load of {buffer.type}: cp.async copies at least 4 bytes")


def check_mask(mask: list[int], shape: list[int]) -> None:
    """Raises ShapeMismatch unless a mask of this shape can be broadcast to the pointers."""
    if len(mask) > len(shape) or any(d not in (1, size) for d, size in zip(mask[::-1], shape[::-1])):
        raise ShapeMismatch(f"async_load's mask is {list_text(mask)}, the pointers are {list_text(shape)}")


def check_tokens(tokens: Any, op: str) -> None:
    """Raises unless these are tokens of `async_load` or of a commit."""
    tokens = _unwrap_if_constexpr(tokens)
    if not isinstance(tokens, list | tuple | tl.tuple):
        raise InvalidCopy(f"{op}: tokens must be a list, not {describe(tokens)}")
    for token in tokens:
        if not isinstance(token, async_token):
            raise InvalidCopy(
                f"{op}: {describe(_unwrap_if_constexpr(token))} is no token", hint="pass what async_load returned"
            )


@builtin
def async_load_commit_group(tokens=(), _semantic=None):
    """Closes a group: all copies that this task has started since the last commit.

    Args:
        tokens: of those copies; the group holds all of them, named or not.

    Returns:
        async_token: for `async_load_wait_group`.

    Lowers to `ttg.async_commit_group` (PTX `cp.async.commit_group`).
    """
    check_tokens(tokens, "async_load_commit_group")
    _semantic.builder.create_async_commit_group()
    return async_token()


@builtin
def async_load_wait_group(pendings, tokens=(), _semantic=None):
    """Waits until all but the last `pendings` groups of this task have arrived.

    Args:
        pendings: compile-time integer.
        tokens: of the groups; it is their order that counts.

    Returns:
        async_token: stands for the groups that have arrived.

    Lowers to `ttg.async_wait` (PTX `cp.async.wait_group`) and a barrier of the task.
    """
    check_tokens(tokens, "async_load_wait_group")
    pendings = constant_int(pendings, "pendings", InvalidCopy, least=0)
    _semantic.builder.create_async_wait_group(pendings)
    _semantic.note_shared_store()  # the copies are stores of the threads, not of an engine
    return async_token()


def arrive_when_copied(bar: mbarrier, semantic) -> None:
    """Each thread of the task arrives once on the barrier when all copies that it has started are there.

    The barrier's count must hold one arrival for each thread. Who waits for the phase must fence
    (`semantic.fence_async_shared`) before TMA or the tensor cores read what was copied: no thread of the copying task
    runs when it arrives. Lowers to `ttng.async_copy_mbarrier_arrive` (PTX `cp.async.mbarrier.arrive.noinc`).
    """
    semantic.make_stores_visible()
    semantic.builder.create_async_copy_mbarrier_arrive(bar.handle, False)

"""How the supported Triton minors differ. No other file asks which one is installed."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import triton
from triton.compiler import code_generator
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import tma
from triton.language import core

from ..installation import minor_of

__all__ = [
    "FILLER_REGISTERS",
    "FOLLOWS_SELECTED_VIEWS",
    "HAS_LOCAL_GATHER",
    "HAS_TMA_CACHE_POLICY",
    "LAUNCH_DEFAULTS",
    "SHARED_ADDRESS_BITS",
    "SHARED_ADDRESS_HAS_RANK",
    "TRANSPOSES_UNSWIZZLED",
    "TRITON",
    "asks_for_caching",
    "begin_branch",
    "cp_async",
    "create_partitions",
    "create_warp_specialize",
    "rebind",
    "tma_cache_policy",
    "tma_load",
    "tma_store",
]

TRITON = minor_of(triton.__version__)

# Until 3.7 the alias analysis aborts on `arith.select` of two views of shared memory.
FOLLOWS_SELECTED_VIEWS = TRITON >= (3, 8)

# Fusing multiply and add is Triton's default until 3.9, which warns unless the launch says so itself.
LAUNCH_DEFAULTS = {"enable_fp_fusion": True} if TRITON >= (3, 9) else {}

# What stock `allocate_warp_groups` asks for the idle warps that fill up the last warp group.
FILLER_REGISTERS = 16 if TRITON < (3, 9) else 24

# Until 3.7 the back end takes the transposed view of an `nvmma_shared` buffer without swizzle for the buffer itself.
TRANSPOSES_UNSWIZZLED = TRITON >= (3, 8)

# `ttg.local_gather` and `ttg.local_scatter`.
HAS_LOCAL_GATHER = TRITON >= (3, 7)

# TMA copies that take an eviction policy.
HAS_TMA_CACHE_POLICY = TRITON >= (3, 9)

# Of what `tti.experimental_memdesc_to_i64`, from 3.7 `..._to_i32`, gives.
SHARED_ADDRESS_BITS = 64 if TRITON < (3, 7) else 32

# Until 3.7 it is the hardware's address, with the CTA's rank in its cluster above 24 bits; from 3.8 on without it.
SHARED_ADDRESS_HAS_RANK = TRITON < (3, 8)

# Until 3.8 `async_copy_*`; from 3.8 `async_load` and `async_store`, and 3.9 raises for the old names.
tma_load = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
tma_store = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global

# Likewise, a minor later for the copies of threads.
cp_async = getattr(async_copy, "async_load", None) or async_copy.async_copy_global_to_shared


def asks_for_caching(options: tuple) -> bool:
    """Whether a `tl.store` was given cache hints: from 3.9 on they come as one policy."""
    return any(options) if TRITON < (3, 9) else options[0] != type(options[0])()


def tma_cache_policy(eviction_policy: str):
    """An eviction policy as TMA copies take it; only where `HAS_TMA_CACHE_POLICY`."""
    return core._CachePolicy(eviction_policy=eviction_policy)


def create_warp_specialize(builder, captures: list, num_warps: list[int]):
    """Creates `ttg.warp_specialize` without results. Its captures moved to the partitions op in 3.7."""
    if TRITON < (3, 7):
        return builder.create_warp_specialize([], captures, num_warps)
    return builder.create_warp_specialize([], num_warps)


def create_partitions(builder, captures: list, count: int):
    """Creates `ttg.warp_specialize.partitions`, which holds the captures from 3.7 on."""
    if TRITON < (3, 7):
        return builder.create_warp_specialize_partitions(count)
    return builder.create_warp_specialize_partitions(captures, count)


def rebind(function: Callable, **names: Any) -> Callable:
    """A private copy of a stock function in which the given global names mean something else.

    Triton's front end names its own code generator through a module global. Swapping that global would change stock
    kernels and race between threads; a copy of the one function, with globals of its own, does neither.
    """
    scope = {**function.__globals__, **names}
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def begin_branch(generator: code_generator.CodeGenerator) -> Callable[[], None]:
    """Remembers the bare annotations (3.8 on) seen before a branch; the result restores them for the other branch."""
    annotations = dict(getattr(generator, "pending_annotations", {}))

    def restore() -> None:
        if hasattr(generator, "pending_annotations"):
            generator.pending_annotations = dict(annotations)

    return restore

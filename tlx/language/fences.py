"""Memory fences."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import InvalidBarrier

__all__ = ["fence", "fence_async_shared"]

# Inline PTX because no op of the supported minors has these; the simulator knows both texts.
MEMORY_FENCES = {
    "gpu": "fence.acq_rel.gpu; mov.b32 $0, 0;",
    "sys": "fence.acq_rel.sys; mov.b32 $0, 0;",
}


@builtin
def fence(scope, _semantic=None):
    """Orders memory accesses.

    Args:
        scope: "gpu" or "sys" for global memory among the threads of that scope (PTX `fence.acq_rel`), "async_shared"
            to make ordinary stores to shared memory visible to TMA and the tensor cores (PTX `fence.proxy.async`).
    """
    scope = _unwrap_if_constexpr(scope)
    if scope == "async_shared":
        _semantic.fence_async_shared()
    elif scope in MEMORY_FENCES:
        builder = _semantic.builder
        builder.create_inline_asm(MEMORY_FENCES[scope], "=r", [], [tl.int32.to_ir(builder)], False, 1)
    else:
        raise InvalidBarrier(f"no fence has the scope {scope!r}", hint='use "gpu", "sys" or "async_shared"')


@builtin
def fence_async_shared(_semantic=None):
    """The same as `fence("async_shared")`, in TLX's older spelling."""
    _semantic.fence_async_shared()

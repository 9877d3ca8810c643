"""Memory fences."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import InvalidBarrier

__all__ = ["emit_memory_fence", "fence", "fence_async_shared"]

# Inline PTX because no op of the supported minors has these; the simulator knows the texts.
MEMORY_FENCES = {
    "cluster": "fence.acq_rel.cluster; mov.b32 $0, 0;",
    "gpu": "fence.acq_rel.gpu; mov.b32 $0, 0;",
    "sys": "fence.acq_rel.sys; mov.b32 $0, 0;",
}


def emit_memory_fence(scope: str, builder) -> None:
    """Emits the fence of a scope of MEMORY_FENCES."""
    builder.create_inline_asm(MEMORY_FENCES[scope], "=r", [], [tl.int32.to_ir(builder)], False, 1)


@builtin
def fence(scope, _semantic=None):
    """Orders memory accesses.

    Args:
        scope: "cluster", "gpu" or "sys" for memory among the threads of that scope (PTX `fence.acq_rel`),
            "async_shared" to make ordinary stores to shared memory visible to TMA and the tensor cores (PTX
            `fence.proxy.async`).
    """
    scope = _unwrap_if_constexpr(scope)
    if scope == "async_shared":
        _semantic.fence_async_shared()
    elif scope in MEMORY_FENCES:
        emit_memory_fence(scope, _semantic.builder)
    else:
        raise InvalidBarrier(f"no fence has the scope {scope!r}", hint='use "cluster", "gpu", "sys" or "async_shared"')


@builtin
def fence_async_shared(_semantic=None):
    """The same as `fence("async_shared")`, in TLX's older spelling."""
    _semantic.fence_async_shared()

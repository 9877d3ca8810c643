"""Arrivals of single threads on an mbarrier, without a barrier of the task before them."""

from __future__ import annotations

import triton.language as tl

from ..compiler.late_ops import emit
from ..compiler.versions import SHARED_ADDRESS_BITS

__all__ = ["ARRIVE_PTX", "arrive_each_thread"]

# Inline PTX because `ttng.arrive_barrier` elects one thread behind a barrier of the task. `$0` is a dummy result.
ARRIVE_PTX = (
    "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p mbarrier.arrive.release.cta.shared::cta.b64 _, [$1]; } mov.b32 $0, 0;"
)


def arrive_each_thread(bar, pred: tl.tensor, semantic) -> None:
    """Each thread of the task for which the predicate holds arrives once, after its own accesses to memory.

    Args:
        bar: one mbarrier.
        pred: scalar i1.

    PTX `mbarrier.arrive`.
    """
    builder = semantic.builder
    wide = tl.int64 if SHARED_ADDRESS_BITS == 64 else tl.int32
    address = tl.tensor(emit("shared_address", [bar.handle], wide.to_ir(builder), semantic), wide)
    operands = [semantic.cast(address, tl.int32).handle, semantic.cast(pred, tl.int32).handle]
    builder.create_inline_asm(ARRIVE_PTX, "=r,r,r", operands, [tl.int32.to_ir(builder)], False, 1)

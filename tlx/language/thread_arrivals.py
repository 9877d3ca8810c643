"""Arrivals of single threads on an mbarrier, without a barrier of the task before them."""

from __future__ import annotations

import triton.language as tl

from .cluster_access import inline_ptx, own_address

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
    inline_ptx(ARRIVE_PTX, [own_address(bar, semantic), semantic.cast(pred, tl.int32)], semantic)

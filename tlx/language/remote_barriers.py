"""mbarriers of other CTAs of the cluster: values of their own, and arrivals on them."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import base_type, base_value

from .arguments import predicate
from .cluster_access import elected, inline_ptx
from .cluster_ptx import ARRIVE_REMOTE_PTX

__all__ = ["arrive_remote", "remote_mbarrier", "remote_mbarrier_type"]


class remote_mbarrier_type(base_type):
    """Type of an mbarrier of another CTA, which lives in `storage_kind.smemCluster`.

    Args:
        arrive_count: arrivals that complete a phase.
        per_thread: whether `barrier_arrive` is an arrival of each thread.
    """

    def __init__(self, arrive_count: int, per_thread: bool):
        self.arrive_count = arrive_count
        self.per_thread = per_thread

    def _flatten_ir_types(self, builder, out):
        out.append(tl.int32.to_ir(builder))

    def _unflatten_ir(self, handles, cursor):
        return remote_mbarrier(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        return f"remote_mbarrier_{self.arrive_count}{'_per_thread' if self.per_thread else ''}"

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __str__(self) -> str:
        return "mbarrier of another CTA"

    __repr__ = __str__


class remote_mbarrier(base_value):
    """An mbarrier of another CTA, made by `remote_view`; its handle is its address in the cluster's shared memory."""

    def __init__(self, handle, type: remote_mbarrier_type):
        self.handle = handle
        self.type = type

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    def _set_name(self, builder, name):
        self.handle.set_loc(builder.create_name_loc(name, self.handle.get_loc()))


def arrive_remote(bar: remote_mbarrier, count: int, pred, semantic) -> None:
    """Arrives on a barrier of another CTA: one thread behind a barrier of the task, or each thread for itself.

    PTX `mbarrier.arrive.shared::cluster`.
    """
    semantic.engines.signals += 1
    semantic.make_stores_visible_to_peers()
    if bar.type.per_thread:
        chosen = semantic.cast(predicate(pred, semantic), tl.int32)
    else:
        semantic.debug_barrier()
        chosen = elected(pred, semantic)
    operands = [tl.tensor(bar.handle, tl.int32), semantic.to_tensor(count), chosen]
    inline_ptx(ARRIVE_REMOTE_PTX, operands, semantic)

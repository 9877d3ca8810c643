"""mbarriers in shared memory, and the hardware's named barriers."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._core import shared_memory_descriptor_type
from triton.experimental.gluon.language.nvidia.hopper import mbarrier as stock
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.late_ops import emit
from ..errors import InvalidBarrier, InvalidPhase, NotABarrier, RemoteBarrier, RingNotIndexed
from .arguments import constant_int, describe, int32_scalar, int32_tensor, predicate
from .cluster_access import peer_address, reach_peer
from .remote_barriers import arrive_remote, remote_mbarrier, remote_mbarrier_type
from .rings import allocate, local_view, ring, ring_type
from .thread_arrivals import arrive_each_thread

__all__ = [
    "alloc_barriers",
    "alloc_warp_barrier",
    "barrier_arrive",
    "barrier_expect_bytes",
    "barrier_wait",
    "mbarrier",
    "mbarrier_type",
    "named_barrier_arrive",
    "named_barrier_wait",
    "remote_view",
]

MAX_COUNT = 2**20 - 1  # of arrivals and of transaction bytes: PTX ISA, "mbarrier object"


class mbarrier_type(ring_type):
    """Type of a ring of mbarriers (`num` > 0) or of one (`num` = 0).

    Args:
        num: length of the ring.
        arrive_count: arrivals that complete a phase.
        per_thread: whether `barrier_arrive` is an arrival of each thread.
    """

    slot_bytes = 8

    def __init__(self, num: int, arrive_count: int, per_thread: bool = False):
        self.num = num
        self.arrive_count = arrive_count
        self.per_thread = per_thread

    @property
    def memdesc(self) -> shared_memory_descriptor_type:
        shape = [self.num, 1] if self.num else [1]
        return shared_memory_descriptor_type(tl.int64, shape, stock.MBarrierLayout(), shape)

    @property
    def slot_type(self) -> mbarrier_type:
        return mbarrier_type(0, self.arrive_count, self.per_thread)

    def wrap(self, handle) -> mbarrier:
        return mbarrier(handle, self)

    def mangle(self) -> str:
        return f"mbarrier_{self.num}_{self.arrive_count}{'_per_thread' if self.per_thread else ''}"

    def __str__(self) -> str:
        return f"{self.num} mbarriers" if self.num else "mbarrier"

    __repr__ = __str__


class mbarrier(ring):
    """A ring of mbarriers or one of them. `ring[i]` is `local_view(ring, i)`."""


@builtin
def alloc_barriers(num_barriers, arrive_count=1, _semantic=None, _generator=None):
    """Allocates and initializes a ring of mbarriers, each in phase 0 and incomplete.

    Args:
        num_barriers: length of the ring, a compile-time integer.
        arrive_count: arrivals that complete a phase, a compile-time integer; `barrier_expect_bytes` is one of them.

    Returns:
        mbarrier: index it with `[i]` or `local_view` before use.

    Raises InvalidBarrier for counts outside 1..2^20-1. sm_90. Lowers to `ttg.local_alloc` and `ttng.init_barrier`
    (PTX `mbarrier.init`).
    """
    num = constant_int(num_barriers, "num_barriers", InvalidBarrier, least=1)
    count = constant_int(arrive_count, "arrive_count", InvalidBarrier, least=1)
    return initialized(mbarrier_type(num, count), _semantic, _generator)


@builtin
def alloc_warp_barrier(num_barriers, num_warps=1, num_arrivals=1, _semantic=None, _generator=None):
    """Allocates a ring of mbarriers on which each thread arrives for itself.

    `barrier_arrive` on one of them doesn't wait for the other warps of the task: cheaper where warps end their work at
    different times. A phase is complete after `num_warps * 32 * num_arrivals` arrivals of threads.

    Args:
        num_barriers: length of the ring, a compile-time integer.
        num_warps: warps that arrive, of one task or of several together.
        num_arrivals: how often each of their threads does.

    Returns:
        mbarrier: index it with `[i]` or `local_view` before use.

    Raises InvalidBarrier for counts outside 1..2^20-1. sm_90. Lowers as `alloc_barriers`.
    """
    num = constant_int(num_barriers, "num_barriers", InvalidBarrier, least=1)
    warps = constant_int(num_warps, "num_warps", InvalidBarrier, least=1)
    arrivals = constant_int(num_arrivals, "num_arrivals", InvalidBarrier, least=1)
    count = warps * _semantic.task.kernel.target.warp_size * arrivals
    return initialized(mbarrier_type(num, count, per_thread=True), _semantic, _generator)


def initialized(kind: mbarrier_type, semantic, generator) -> mbarrier:
    """A new ring of mbarriers, each in phase 0."""
    if kind.arrive_count > MAX_COUNT:
        raise InvalidBarrier(f"arrive_count is {kind.arrive_count}, an mbarrier counts to {MAX_COUNT}")
    bars = allocate(kind, semantic, generator)
    for i in range(kind.num):
        slot = local_view(bars, tl.constexpr(i), _semantic=semantic)
        stock.init(slot, count=kind.arrive_count, _semantic=semantic)
    generator.enter_cluster()
    return bars


def as_barrier(value: Any, op: str, semantic) -> mbarrier:
    """The value if it is one mbarrier or a ring of one."""
    if isinstance(value, remote_mbarrier):
        raise RemoteBarrier(
            f"{op} takes a barrier of this CTA, not another CTA's",
            hint="arrive on the peer's barrier, and let the peer wait for it",
        )
    if not isinstance(value, mbarrier):
        raise NotABarrier(f"{op} takes an mbarrier, not {describe(value)}", hint="allocate it with alloc_barriers")
    if value.type.num > 1:
        raise RingNotIndexed(f"{op} got a whole ring of {value.type}", hint="index it: bars[i]")
    return local_view(value, tl.constexpr(0), _semantic=semantic) if value.type.num else value


@builtin
def barrier_expect_bytes(bar, size, pred=None, _semantic=None):
    """Arrives once and makes the phase wait for `size` bytes of TMA loads as well.

    Args:
        bar: one mbarrier.
        size: bytes of all loads of this phase together, a compile-time integer; a box that hangs over the tensor's
            edge counts whole.
        pred: scalar condition; None means always.

    Raises InvalidBarrier for sizes outside 1..2^20-1. Lowers to `ttng.barrier_expect`
    (PTX `mbarrier.arrive.expect_tx`).
    """
    bar = as_barrier(bar, "barrier_expect_bytes", _semantic)
    size = constant_int(size, "size", InvalidBarrier, least=1)
    if size > MAX_COUNT:
        raise InvalidBarrier(f"size is {size} bytes, an mbarrier counts to {MAX_COUNT}")
    _semantic.make_stores_visible()  # it arrives
    stock.expect(bar, size, predicate(pred, _semantic), _semantic=_semantic)


@builtin
def barrier_wait(bar, phase, pred=None, _semantic=None):
    """Waits until the phase of that parity is complete.

    Args:
        bar: one mbarrier.
        phase: 0 or 1. A fresh barrier passes phase 1 at once ("the phase before the first") and blocks on phase 0.
        pred: scalar condition; None means always.

    Raises InvalidPhase for a constant other than 0 and 1, and for what is no integer. Lowers to `ttng.wait_barrier`
    (PTX `mbarrier.try_wait.parity`).
    """
    bar = as_barrier(bar, "barrier_wait", _semantic)
    constant = _unwrap_if_constexpr(phase)
    if isinstance(constant, int) and constant not in (0, 1):
        raise InvalidPhase(f"phase is {constant}, it must be 0 or 1", hint="use `(use_count // num) & 1`")
    parity = int32_scalar(phase, "phase", InvalidPhase, _semantic)
    stock.wait(bar, parity, predicate(pred, _semantic), _semantic=_semantic)


@builtin
def barrier_arrive(bar, arrive_count=1, remote_cta_rank=None, pred=None, _semantic=None):
    """Arrives on a barrier for the whole task, after all of the task's warps have come here.

    On a barrier of `alloc_warp_barrier` each thread arrives for itself and waits for no other.

    Args:
        bar: one mbarrier, or what `remote_view` returned.
        arrive_count: how many arrivals this counts for, a compile-time integer; 1 on a warp barrier.
        remote_cta_rank: rank of the CTA in the cluster whose barrier it is, a compile-time or run-time i32; None for
            this CTA.
        pred: scalar condition; None means always.

    Raises InvalidBarrier where it counts for more than a phase of the barrier takes; NoCluster, InvalidCluster,
    RankOutOfRange. Lowers to `ttng.arrive_barrier` (PTX `mbarrier.arrive`), for another CTA to PTX `mapa` and
    `mbarrier.arrive.shared::cluster`.
    """
    if _unwrap_if_constexpr(remote_cta_rank) is not None:
        bar = barrier_of_peer(bar, remote_cta_rank, "barrier_arrive", _semantic)
    elif not isinstance(bar, remote_mbarrier):
        bar = as_barrier(bar, "barrier_arrive", _semantic)
    count = constant_int(arrive_count, "arrive_count", InvalidBarrier, least=1)
    check_arrivals(bar, count, _semantic)
    _semantic.make_stores_visible()
    if isinstance(bar, remote_mbarrier):
        arrive_remote(bar, count, pred, _semantic)
    elif bar.type.per_thread:
        arrive_each_thread(bar, predicate(pred, _semantic), _semantic)
    else:
        stock.arrive(bar, count=count, pred=predicate(pred, _semantic), _semantic=_semantic)


def check_arrivals(bar: mbarrier | remote_mbarrier, count: int, semantic) -> None:
    """Raises InvalidBarrier where an arrival counts for more than a phase takes."""
    if not bar.type.per_thread:
        if count > bar.type.arrive_count:
            raise InvalidBarrier(
                f"arrives {count} times at once, a phase of this barrier takes {bar.type.arrive_count}",
                hint="raise arrive_count in alloc_barriers",
            )
        return
    threads = semantic.task.num_warps * semantic.task.kernel.target.warp_size
    if count != 1 or threads > bar.type.arrive_count:
        raise InvalidBarrier(
            f"{threads} threads of this task arrive {count} times each, a phase of this warp barrier takes "
            f"{bar.type.arrive_count}",
            hint="arrive once, and give alloc_warp_barrier the warps of all tasks that arrive",
        )


@builtin
def remote_view(mbarrier, remote_cta_rank, _semantic=None):
    """The same barrier of another CTA of the cluster, on which this one may arrive but not wait.

    Args:
        mbarrier: one mbarrier of this CTA.
        remote_cta_rank: the other CTA's rank, a compile-time or run-time i32.

    Raises NoCluster, InvalidCluster, RankOutOfRange, RemoteBarrier. sm_90. PTX `mapa.shared::cluster`.
    """
    return barrier_of_peer(mbarrier, remote_cta_rank, "remote_view", _semantic)


def barrier_of_peer(bar: Any, rank: Any, op: str, semantic) -> remote_mbarrier:
    """The same barrier in the CTA of that rank."""
    bar = as_barrier(bar, op, semantic)
    rank = reach_peer(op, rank, semantic)
    address = peer_address(bar, rank, semantic)
    return remote_mbarrier(address.handle, remote_mbarrier_type(bar.type.arrive_count, bar.type.per_thread))


@builtin
def named_barrier_wait(bar, arrive_count, _semantic=None):
    """Arrives on a hardware barrier of the CTA and waits until `arrive_count` threads have.

    Args:
        bar: number of the barrier, a compile-time integer from 9 to 15; Triton uses the ones below for itself.
        arrive_count: threads that take part, a compile-time multiple of 32; waiters and arrivers both count.

    Raises InvalidBarrier. PTX `barrier.cta.sync.aligned`.
    """
    named_barrier("named_barrier_wait", bar, arrive_count, _semantic)


@builtin
def named_barrier_arrive(bar, arrive_count, _semantic=None):
    """Arrives on a hardware barrier of the CTA without waiting; arguments as for `named_barrier_wait`.

    Raises InvalidBarrier. PTX `barrier.cta.arrive.aligned`.
    """
    named_barrier("named_barrier_arrive", bar, arrive_count, _semantic)


def named_barrier(op: str, bar: Any, arrive_count: Any, semantic) -> None:
    """Emits either op after checking its numbers."""
    bar = constant_int(bar, "bar", InvalidBarrier)
    count = constant_int(arrive_count, "arrive_count", InvalidBarrier)
    target = semantic.task.kernel.target
    first, last = target.free_named_barriers
    if not first <= bar <= last:
        raise InvalidBarrier(f"{op}: barrier {bar} is not free for kernels", hint=f"use {first} to {last}")
    own = semantic.task.num_warps * target.warp_size
    if count % target.warp_size or not own <= count <= target.threads:
        raise InvalidBarrier(
            f"{op}: {count} threads; it must be a multiple of {target.warp_size} that holds the {own} threads of this "
            f"task, at most {target.threads:,}"
        )
    semantic.make_stores_visible()
    emit(op, [int32_tensor(value, semantic).handle for value in (bar, count)], None, semantic)

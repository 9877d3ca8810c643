"""Rings that own their phases: buffers and barriers declared at once, used by counting.

A producer counts its fills and a consumer its uses from 0, over all tiles of a program. Use `i` of a ring of `stages`
slots has slot `i % stages`; it is that slot's use number `i // stages`, whose parity is the phase to wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import IndexOutOfRange, InvalidRing, NotARingBuffer, RingTaskMismatch
from .arguments import constant_int, describe, int32_tensor
from .barriers import alloc_barriers, barrier_arrive, barrier_expect_bytes, barrier_wait
from .buffers import buffered_tensor, local_alloc
from .bundles import bundle
from .copy import arrive_when_copied
from .rings import local_view
from .tma import async_descriptor_load

__all__ = ["Declaration", "opened_block", "pipeline", "ring", "slot", "slot_buffers"]

CP_ASYNC = "cp.async"
FILLERS = ("tma", "local_store", CP_ASYNC)
RESERVED = ("empty", "full", "load")  # attributes of a slot, parts of a ring


@dataclass(frozen=True)
class Declaration:
    """What a ring was declared to be.

    Args:
        number: tells the rings of a kernel apart.
        stages: slots.
        producers: tasks that fill each slot together.
        consumers: tasks that use each slot.
        filler: what writes the buffers.
        groups: by name, how many buffers a slot has under that name; None is one buffer that isn't indexed.
        share: bytes that each producer's TMA loads bring to a slot, on the average.
        filler_warps: warps of each producer whose threads arrive for themselves; None where producers arrive as one.
    """

    number: int
    stages: int
    producers: int
    consumers: int
    filler: str
    groups: tuple[tuple[str, int | None], ...]
    share: int
    filler_warps: int | None = None

    def mangle(self) -> str:
        counts = "_".join(str(count) for _, count in self.groups)
        return f"{self.number}_{self.stages}_{self.producers}_{self.consumers}_{self.filler}_{counts}"


@dataclass(frozen=True)
class Group:
    """How many buffers a slot has under one name."""

    count: int

    def mangle(self) -> str:
        return str(self.count)


@dataclass(frozen=True)
class opened_block:
    """What `with` takes: `enter` gives the slot where the block begins, `leave` hands it over where it ends."""

    enter: Callable[[], slot]
    leave: Callable[[], None]

    def __enter__(self) -> slot:
        return self.enter()

    def __exit__(self, *_) -> None:
        self.leave()


class slot_buffers(bundle):
    """The buffers that a slot has under one name; `slot.a[i]` is one of them."""

    @builtin
    def __getitem__(self, index, _semantic=None):
        count = self.facts.count
        if isinstance(index, tl.tuple):
            (index,) = index
        constant = _unwrap_if_constexpr(index)
        if isinstance(constant, int) and not 0 <= constant < count:
            raise IndexOutOfRange(f"index {constant} is outside the {count} buffers that a slot has of this name")
        index = self.parts["first"].__add__(int32_tensor(index, _semantic), _semantic=_semantic)
        return local_view(self.parts["ring"], index, _semantic=_semantic)


class slot(bundle):
    """One slot of a ring, held by a task: its buffers by their names, and `full` where TMA fills it."""

    def __getattr__(self, name):
        if name.startswith("_") or name == "parts":
            raise AttributeError(name)
        if name in self.parts:
            return self.parts[name]
        raise NotARingBuffer(f"this slot has no {name!r}", hint=f"it has {', '.join(self.parts)}")

    @builtin
    def load(self, desc, result, offsets, _semantic=None):
        """Starts a TMA load of one block into a buffer of this slot: `slot.load(desc, slot.a, [row, column])`.

        The ring has expected the bytes of all buffers of the slot, so each of them must be loaded exactly once.

        Args:
            desc: descriptor whose block has the buffer's shape and element type.
            result: one buffer of this slot.
            offsets: first element of the block along each axis, i32.

        Raises InvalidRing where no TMA fills the slot, and what `async_descriptor_load` raises, to which it lowers;
        with other options, write `async_descriptor_load(desc, slot.a, offsets, slot.full)`.
        """
        if "full" not in self.parts:
            raise InvalidRing(
                "TMA load into a slot that was not acquired for TMA",
                hint='declare the ring with filler="tma", and load into what `fill` or `acquire` gave',
            )
        async_descriptor_load(desc, result, offsets, self.parts["full"], _semantic=_semantic)


class pipeline(bundle):
    """A ring that owns its phases, as `tlx.ring` declares it."""

    @builtin
    def fill(self, i, _semantic=None):
        """Opens the block in which a producer fills the ring for the `i`-th time: `with ring.fill(i) as slot:`.

        Waits until the consumers have released the slot, and for TMA expects the bytes of all its buffers; where the
        block ends, the slot is committed.

        Args:
            i: how many fills came before, a scalar integer from 0.

        Equals `acquire(i)` and `commit(i)`.
        """
        return opened_block(lambda: self.acquire(i, _semantic=_semantic), lambda: self.commit(i, _semantic=_semantic))

    @builtin
    def use(self, i, _semantic=None):
        """Opens the block in which a consumer uses what the `i`-th fill brought: `with ring.use(i) as slot:`.

        Waits until the slot is full; where the block ends, the slot is released. An MMA that still reads the slot then
        must be waited for inside the block, or the slot be released later with `release`.

        Args:
            i: how many uses came before, a scalar integer from 0.

        Equals `wait(i)` and `release(i)`.
        """
        return opened_block(lambda: self.wait(i, _semantic=_semantic), lambda: self.release(i, _semantic=_semantic))

    @builtin
    def acquire(self, i, _semantic=None):
        """Waits until the slot of fill `i` is empty, for TMA expects its bytes, and returns the slot."""
        index, phase = position(i, self.facts, _semantic)
        record(self.facts, "acquire", _semantic)
        parity = phase ^ 1 if isinstance(phase, int) else phase.__xor__(1, _semantic=_semantic)
        barrier_wait(self.barrier("empty", index, _semantic), parity, _semantic=_semantic)
        if self.facts.filler == "tma":
            barrier_expect_bytes(self.barrier("full", index, _semantic), self.facts.share, _semantic=_semantic)
        return self.view(index, self.facts.filler == "tma", _semantic)

    @builtin
    def commit(self, i, _semantic=None):
        """Hands the slot of fill `i` to the consumers: an arrival, after the stores to it were made visible.

        With TMA nothing remains to be done: the slot is full when its bytes have arrived. With cp.async each thread
        arrives when the copies that it started are there, and waits for nothing.
        """
        index, _ = position(i, self.facts, _semantic)
        record(self.facts, "commit", _semantic)
        full = self.barrier("full", index, _semantic) if self.facts.filler != "tma" else None
        if self.facts.filler == CP_ASYNC:
            check_filler_warps(self.facts, _semantic)
            arrive_when_copied(full, _semantic)
        elif full is not None:
            barrier_arrive(full, _semantic=_semantic)

    @builtin
    def wait(self, i, _semantic=None):
        """Waits until fill `i` is complete, and returns the slot.

        After cp.async the compiler emits the proxy fence before the next MMA, TMA copy or arrival: the threads that
        copied don't run any more when the copies are there.
        """
        index, phase = position(i, self.facts, _semantic)
        record(self.facts, "wait", _semantic)
        barrier_wait(self.barrier("full", index, _semantic), phase, _semantic=_semantic)
        if self.facts.filler == CP_ASYNC:
            _semantic.note_shared_store()
        return self.view(index, False, _semantic)

    @builtin
    def release(self, i, _semantic=None):
        """Gives the slot of use `i` back to the producers: an arrival of this task."""
        index, _ = position(i, self.facts, _semantic)
        record(self.facts, "release", _semantic)
        barrier_arrive(self.barrier("empty", index, _semantic), _semantic=_semantic)

    def barrier(self, name: str, index: Any, semantic):
        return local_view(self.parts[name], index, _semantic=semantic)

    def view(self, index: Any, with_full: bool, semantic) -> slot:
        """The buffers of one slot, and its full barrier if TMA loads go into it."""
        parts = {}
        for name, count in self.facts.groups:
            buffers = self.parts[name]
            if count is None:
                parts[name] = local_view(buffers, index, _semantic=semantic)
            else:
                first = int32_tensor(index, semantic).__mul__(count, _semantic=semantic)
                parts[name] = slot_buffers({"ring": buffers, "first": first}, Group(count))
        if with_full:
            parts["full"] = self.barrier("full", index, semantic)
        return slot(parts, self.facts)


def position(i: Any, declared: Declaration, semantic) -> tuple[Any, Any]:
    """Slot and phase of use `i`: integers of a compile-time count, else scalars."""
    count = _unwrap_if_constexpr(i)
    if isinstance(count, int) and not isinstance(count, bool):
        if count < 0:
            raise InvalidRing(f"use {count} of a ring, uses are counted from 0")
        return count % declared.stages, count // declared.stages & 1
    if not isinstance(count, tl.tensor) or count.type.is_block() or not count.dtype.is_int():
        raise InvalidRing(f"uses of a ring are counted by a scalar integer, not by {describe(i)}")
    index = count.__mod__(declared.stages, _semantic=semantic)
    phase = count.__floordiv__(declared.stages, _semantic=semantic).__and__(1, _semantic=semantic)
    return index, phase


def record(declared: Declaration, op: str, semantic) -> None:
    """Notes that the current task does this to the ring, and where."""
    semantic.task.ring_uses.setdefault((declared, op), semantic.here())


@builtin
def ring(
    *, stages, producers=1, consumers=1, filler="tma", filler_warps=None, _semantic=None, _generator=None, **buffers
):
    """Declares a ring of slots that tasks fill and use, with its barriers.

    Every further argument names a buffer of a slot: `a=((128, 64), tl.bfloat16)`. A third item is how many buffers a
    slot has of that name, such as one for each consumer: `a=((64, 64), tl.bfloat16, 2)` makes `slot.a[0]` and
    `slot.a[1]`.

    Args:
        stages: slots, a compile-time integer.
        producers: tasks that together fill each slot, each replica counting. Where TMA fills, each of them expects its
            share of the slot's bytes, whichever of them loads what.
        consumers: tasks that each use every slot, likewise. Tasks that take turns need rings of their own.
        filler: "tma" (`slot.load`), "local_store" (`local_store` to the slot's buffers) or "cp.async" (`async_load`
            into them).
        filler_warps: for "cp.async", warps of each task that fills: each of their threads arrives for itself.
        buffers: shape and element type by name.

    Returns:
        pipeline: with `fill`, `use`, and for other schedules `acquire`, `commit`, `wait` and `release`.

    Raises InvalidRing; RingTaskMismatch where other than `producers` tasks fill the ring, one with other than
    `filler_warps` does, or other than `consumers` tasks release it; RingOrder. sm_90. Lowers to `local_alloc` of each
    buffer, and to `alloc_barriers` with `producers` arrivals for full slots, times the threads of `filler_warps`, and
    `consumers` for empty ones.
    """
    stages = constant_int(stages, "stages", InvalidRing, least=1)
    producers = constant_int(producers, "producers", InvalidRing, least=1)
    consumers = constant_int(consumers, "consumers", InvalidRing, least=1)
    filler = _unwrap_if_constexpr(filler)
    if filler not in FILLERS:
        raise InvalidRing(f"filler is {filler!r}", hint='"tma", "local_store" and "cp.async" fill rings')
    filler_warps = warps_that_copy(filler, filler_warps)
    threads = 1 if filler_warps is None else filler_warps * _semantic.task.kernel.target.warp_size
    if not buffers:
        raise InvalidRing("a ring without buffers: its slots hold 0 bytes", "name a buffer: a=((128, 64), tl.bfloat16)")
    number = len(_semantic.task.kernel.allocations)
    parts, groups = {}, []
    for name, declared in buffers.items():
        shape, dtype, count = buffer_of(name, declared)
        slots = stages * (count or 1)
        parts[name] = allocated(name, local_alloc(shape, dtype, slots, _semantic=_semantic, _generator=_generator))
        groups.append((name, count))
    share = slot_share([(parts[name], count or 1) for name, count in groups], producers) if filler == "tma" else 0
    for name, count in (("full", producers * threads), ("empty", consumers)):
        parts[name] = allocated(name, alloc_barriers(stages, count, _semantic=_semantic, _generator=_generator))
    return pipeline(
        parts, Declaration(number, stages, producers, consumers, filler, tuple(groups), share, filler_warps)
    )


def warps_that_copy(filler: str, warps: Any) -> int | None:
    """The warps of each task that fills a ring by cp.async; None for other fillers."""
    warps = _unwrap_if_constexpr(warps)
    if filler != CP_ASYNC:
        if warps is not None:
            raise InvalidRing(
                f"filler_warps={describe(warps)} with filler={filler!r}, which arrives once for each task"
            )
        return None
    if warps is None:
        raise InvalidRing(
            'filler="cp.async" without filler_warps: each thread of the filling task arrives',
            hint="give the warps of that task: filler_warps=4",
        )
    return constant_int(warps, "filler_warps", InvalidRing, least=1)


def check_filler_warps(declared: Declaration, semantic) -> None:
    """Raises RingTaskMismatch where the current task has other threads than the full barrier counts."""
    size, found = semantic.task.kernel.target.warp_size, semantic.task.num_warps
    if found != declared.filler_warps:
        raise RingTaskMismatch(
            f"{found} warps x {size} = {found * size} threads arrive, the ring is declared with filler_warps="
            f"{declared.filler_warps} x {size} = {declared.filler_warps * size}",
            hint=f"declare filler_warps={found}",
        )


def buffer_of(name: str, declared: Any) -> tuple[Any, Any, int | None]:
    """Shape, element type and count of a buffer as it was declared."""
    declared = _unwrap_if_constexpr(declared)
    if name in RESERVED or name.startswith("_"):
        raise InvalidRing(f"a buffer of a ring can't be called {name!r}", hint="give it another name")
    if not isinstance(declared, tuple | tl.tuple) or len(declared) not in (2, 3):
        raise InvalidRing(f"buffer {name!r} of a ring is declared as (shape, dtype) or (shape, dtype, count)")
    shape, dtype, *count = declared
    return shape, dtype, constant_int(count[0], f"the count of {name!r}", InvalidRing, least=1) if count else None


def slot_share(buffers: list[tuple[buffered_tensor, int]], producers: int) -> int:
    """Bytes that each producer expects for a slot: the sum over the producers is what matters to the barrier."""
    total = sum(buffer.type.slot_bytes * count for buffer, count in buffers)
    if total % producers:
        raise InvalidRing(f"a slot's {total} bytes can't be shared by {producers} producers")
    return total // producers


def allocated(name: str, value: Any) -> Any:
    """The ring of buffers or barriers, listed in the kernel's budget by its name in the declaration."""
    value.allocation.name = name
    return value

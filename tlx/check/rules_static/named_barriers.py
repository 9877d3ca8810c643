"""Named barriers: numbers that Triton uses itself, and thread counts that no set of tasks makes up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from ..analysis.tasks import Place, places_of, warps_of
from ..findings import Finding
from .context import Context, undecided
from .rules import NAMED_BARRIER

__all__ = ["numbers", "thread_counts"]

_INTRINSICS = ("llvm.nvvm.barrier.cta.sync.aligned.count", "llvm.nvvm.barrier.cta.arrive.aligned.count")
_BARRIERS = 16
"""Named barriers of a CTA (PTX ISA, `barrier.cta`)."""
_BEFORE_PARTITIONS = 2
"""Triton's own: 0 for the default task, 1 to switch states of warps, 2 + k for partition k."""


def _uses(context: Context) -> Iterator[tuple[Place, int | None, int | None]]:
    """Each use with its number and thread count, None where they aren't constant."""
    for place in places_of(context.module):
        if place.op.name == "llvm.call_intrinsic" and place.op.attributes.get("intrin") in _INTRINSICS:
            number, threads = (context.values.of(operand) for operand in place.op.operands)
            yield (
                place,
                number.constant if number.is_constant else None,
                threads.constant if threads.is_constant else None,
            )


def numbers(context: Context) -> Iterator[Finding]:
    """Numbers that don't exist, or that Triton's own barriers have."""
    partitions = [len(op.attributes["num_warps"]) for op in context.ops("ttg.warp_specialize")]
    own = _BEFORE_PARTITIONS + max(partitions) if partitions else 1
    for place, number, _ in _uses(context):
        if number is None:
            yield undecided(NAMED_BARRIER, "the barrier's number is computed", place.op, place.task)
        elif not 0 <= number < _BARRIERS:
            yield _finding(place, f"named barrier {number} doesn't exist: numbers are 0 to {_BARRIERS - 1}", own)
        elif number < own:
            what = f"named barrier {number} is Triton's own: in this kernel it uses 0 to {own - 1}"
            yield _finding(place, what, own)


def _finding(place: Place, what: str, own: int) -> Finding:
    return Finding(
        NAMED_BARRIER, what, place.op.location, group=place.task, hint=f"use a number from {own} to {_BARRIERS - 1}"
    )


def thread_counts(context: Context) -> Iterator[Finding]:
    """Thread counts that the tasks at a barrier can't make up together."""
    by_number: dict[int, list[tuple[Place, int]]] = defaultdict(list)
    for place, number, threads in _uses(context):
        if number is not None and threads is not None:
            by_number[number].append((place, threads))
        elif number is not None:
            yield undecided(NAMED_BARRIER, "the number of threads is computed", place.op, place.task)
    for number, uses in by_number.items():
        tasks = {place.task: _threads(context, place) for place, _ in uses}
        sizes = list(tasks.values())
        possible = {sum(some) for n in range(1, len(sizes) + 1) for some in combinations(sizes, n)}
        for place, threads in uses:
            if threads not in possible:
                parts = " + ".join(f"{name} {size}" for name, size in tasks.items())
                what = f"named barrier {number} waits for {threads} threads; the tasks that come to it have {parts}"
                yield Finding(
                    NAMED_BARRIER, what, place.op.location, group=place.task, hint="give it the sum of their threads"
                )


def _threads(context: Context, place: Place) -> int:
    return warps_of(context.module, place) * context.target.warp_size

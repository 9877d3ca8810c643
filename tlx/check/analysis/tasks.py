"""The threads of control of a kernel, and what stands in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.model import Block, Module, Op, Region

__all__ = ["DEFAULT", "Place", "Step", "places_of", "warps_of"]

DEFAULT = "default"


@dataclass(frozen=True)
class Step:
    """One place on the way from the function to an op: an op with regions, or a block of several, and the region taken.

    Args:
        op: the `scf.for`, `scf.if`, ...; None for a block.
        region: index of the region.
        block: the block, where its region has several and it isn't the entry.
    """

    op: Op | None
    region: int = 0
    block: Block | None = None


@dataclass(frozen=True)
class Place:
    """An op with its task and the way to it.

    Args:
        task: `default`, `partition0`, ...
        op: the op.
        path: from the outside in.
        region: of the task if it is a partition: what makes equal names of two `warp_specialize` differ.
    """

    task: str
    op: Op
    path: tuple[Step, ...]
    region: Region | None


def places_of(module: Module) -> Iterator[Place]:
    """All ops of the kernel function with their tasks, in textual order."""
    yield from _in_region(module.kernel.regions[0], DEFAULT, (), None)


def _in_region(region: Region, task: str, path: tuple[Step, ...], partition: Region | None) -> Iterator[Place]:
    for number, block in enumerate(region.blocks):
        here = (*path, Step(None, block=block)) if number else path
        for op in block.ops:
            yield Place(task, op, here, partition)
            for index, inner in enumerate(op.regions):
                is_partition = op.name == "ttg.warp_specialize" and inner.name.startswith("partition")
                name, part = (inner.name, inner) if is_partition else (task, partition)
                yield from _in_region(inner, name, (*here, Step(op, index)), part)


def warps_of(module: Module, place: Place) -> int:
    """Warps of the task that a place belongs to."""
    if place.task == DEFAULT:
        return module.attributes["ttg.num-warps"]
    owner = place.region.parent
    return owner.attributes["num_warps"][owner.regions.index(place.region) - 1]

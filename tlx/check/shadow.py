"""Who last touched which bytes of a CTA's shared memory.

As in FastTrack (Flanagan and Freund, PLDI 2009), the last write and the reads since it are enough to find a race in
every run that has one. Bytes that have always been accessed together share one cell, so an access of a slot of a ring
costs the same whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..ir.model import Op
from ..sim.memory import MemDesc
from .clocks import Actor

__all__ = ["Access", "Cell", "Shadow"]


class Access:
    """One access to shared memory.

    Args:
        actor: who.
        view: which bytes.
        writes: whether it writes them.
        through_async_proxy: whether an engine makes it through the async proxy (TMA, MMA).
        op: where.
    """

    __slots__ = ("actor", "component", "op", "through_async_proxy", "time", "view", "writes")

    def __init__(self, actor: Actor, view: MemDesc, writes: bool, through_async_proxy: bool, op: Op):
        self.actor = actor
        self.component, self.time = actor.epoch
        self.view = view
        self.writes = writes
        self.through_async_proxy = through_async_proxy
        self.op = op

    def before(self, actor: Actor) -> bool:
        """Whether it is ordered before what the actor does now, proxies aside."""
        return actor.seen.get(self.component, 0) >= self.time

    def visible_to(self, later: Access) -> bool:
        """Whether a proxy fence is between it and a later access, if one has to be.

        By the letter of PTX cp.async needs one before an MMA too; stock Triton and CUTLASS do without.
        """
        same_proxy = self.through_async_proxy or not later.through_async_proxy
        copy_for_mma = self.actor.agent.kind == "cp_async" and later.actor.agent.kind == "mma"
        if same_proxy or copy_for_mma or not self.writes:
            return True
        return later.actor.fenced.get(self.component, 0) >= self.time


class Cell:
    """Bytes with one history.

    Args:
        size: how many.
    """

    __slots__ = ("reads", "size", "views", "write")

    def __init__(self, size: int):
        self.size = size
        self.write: Access | None = None
        self.reads: dict[int, Access] = {}
        self.views: list[list[Cell]] = []

    def conflicts(self, access: Access) -> Iterator[Access]:
        """The earlier accesses that the order must put before this one."""
        if self.write is not None:
            yield self.write
        if access.writes:
            yield from self.reads.values()

    def record(self, access: Access) -> None:
        """Adds an access."""
        if access.writes:
            self.write = access
            self.reads = {}
        else:
            self.reads[access.component] = access

    def split(self, size: int) -> Cell:
        """Takes `size` of the bytes into a cell of their own."""
        part = Cell(size)
        part.write, part.reads = self.write, dict(self.reads)
        part.views = list(self.views)
        for cells in self.views:
            cells.append(part)
        self.size -= size
        return part


class Shadow:
    """The cells of a CTA's shared memory.

    Args:
        nbytes: its size.
    """

    def __init__(self, nbytes: int):
        self._cells = [Cell(nbytes)]
        self._cell_of = np.zeros(nbytes, np.int32)
        self._by_view: dict[tuple, list[Cell]] = {}

    def cells(self, view: MemDesc) -> list[Cell]:
        """The cells that make up a view."""
        key = view.start, view.map
        if key not in self._by_view:
            self._by_view[key] = cells = [self._cell(number, view) for number in self._numbers(view)]
            for cell in cells:
                cell.views.append(cells)
        return self._by_view[key]

    def _numbers(self, view: MemDesc) -> list[int]:
        return np.unique(self._cell_of[view.byte_offsets()]).tolist()

    def _cell(self, number: int, view: MemDesc) -> Cell:
        """The part of a cell that is inside the view."""
        cell = self._cells[number]
        place = view.byte_offsets()
        inside = self._cell_of[place] == number
        size = int(np.count_nonzero(inside))
        if size == cell.size:
            return cell
        if isinstance(place, slice):
            self._cell_of[place][inside] = len(self._cells)
        else:
            self._cell_of[place[inside]] = len(self._cells)
        self._cells.append(cell.split(size))
        return self._cells[-1]

"""Features of like dims share a launch: a tile of 128 columns would waste most of its lanes on a dim of 8."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

import triton

from ..layout import BatchShape, Segment, pack

if TYPE_CHECKING:
    import torch

__all__ = ["MAX_ALIGN", "MAX_BLOCK", "DimClass", "dim_classes"]

MAX_BLOCK = 1024  # columns of a tile; wider rows are cut
MAX_ALIGN = 8  # elements: 16 bytes in fp16, more than one load needs in float32


@dataclass(frozen=True)
class DimClass:
    """Segments whose dims have the same next power of two.

    Args:
        members: with at least one bag each.
        block: columns of a tile.
    """

    members: tuple[Segment, ...]
    block: int

    @cached_property
    def max_dim(self) -> int:
        """The largest dim."""
        return max(segment.dim for segment in self.members)

    @cached_property
    def dim(self) -> int:
        """The dim, or 0 where there are several."""
        return self.max_dim if len({segment.dim for segment in self.members}) == 1 else 0

    @cached_property
    def max_rows(self) -> int:
        """Rows of the largest table."""
        return max(segment.rows for segment in self.members)

    @cached_property
    def bags(self) -> int:
        """Bags of all segments."""
        return sum(segment.bags for segment in self.members)

    @cached_property
    def max_bags(self) -> int:
        """Bags of the largest segment."""
        return max(segment.bags for segment in self.members)

    @cached_property
    def align(self) -> int:
        """The largest power of two up to MAX_ALIGN that divides every place of a row, in elements."""
        places = (n for s in self.members for n in (s.dim, s.weights_offset, s.out_base, s.out_stride))
        return gcd(MAX_ALIGN, *places)

    @cached_property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """Bags that follow each other: the first one and the one behind the last, of each such run."""
        found: list[tuple[int, int]] = []
        for segment in self.members:
            end = segment.first_bag + segment.bags
            if found and found[-1][1] == segment.first_bag:
                found[-1] = (found[-1][0], end)
            else:
                found.append((segment.first_bag, end))
        return tuple(found)

    def segments_on(self, device: torch.device) -> torch.Tensor:
        """Its segments, packed."""
        return self._on(device)[0]

    def runs_on(self, device: torch.device) -> torch.Tensor:
        """[2, runs] int64: the first bag of each run, and the bag behind it."""
        return self._on(device)[1]

    def _on(self, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        tensors = self.__dict__.setdefault("_tensors", {})
        if device not in tensors:
            runs = torch.tensor(list(zip(*self.runs)), dtype=torch.int64)
            tensors[device] = torch.from_numpy(pack(self.members)).to(device), runs.to(device)
        return tensors[device]


def dim_classes(shape: BatchShape) -> tuple[DimClass, ...]:
    """The classes of a batch's segments, narrow ones first; a segment without bags is in none of them."""
    return shape.cached("classes", None, lambda: _classes(shape))


def _classes(shape: BatchShape) -> tuple[DimClass, ...]:
    by_block: dict[int, list[Segment]] = {}
    for segment in shape.segments:
        if segment.bags:
            by_block.setdefault(triton.next_power_of_2(segment.dim), []).append(segment)
    return tuple(DimClass(tuple(found), min(block, MAX_BLOCK)) for block, found in sorted(by_block.items()))

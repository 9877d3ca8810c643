"""Register layouts: which elements of a tensor the lanes of a warp hold, for ops that act on lanes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..ir.model import Attribute
from .errors import UnsupportedLayout

__all__ = ["elements_of_lanes"]

Bases = list[tuple[int, ...]]


@lru_cache(maxsize=256)
def elements_of_lanes(layout: Attribute, shape: tuple[int, ...]) -> np.ndarray:
    """The row-major index of the element that each lane holds; axes: register, warp, lane.

    Raises:
        UnsupportedLayout: the layout is none of blocked, linear and slices of these.
    """
    places = [spread(part) for part in bases_of(layout, shape)]
    registers, lanes, warps = (np.ravel_multi_index(tuple(place), shape) for place in places)
    # The coordinates of an element are XORs, and so are the indices: sizes are powers of two.
    return registers[:, None, None] ^ warps[None, :, None] ^ lanes[None, None, :]


def spread(bases: Bases) -> np.ndarray:
    """The coordinates for each value of an index whose bits lead to the bases; one row for each axis."""
    rank = len(bases[0])
    places = np.zeros((rank, 1), np.int64)
    for base in bases[1:]:
        places = np.concatenate([places, places ^ np.array(base)[:, None]], axis=1)
    return places


def bases_of(layout: Attribute, shape: tuple[int, ...]) -> tuple[Bases, Bases, Bases]:
    """The bases of registers, lanes and warps, each list begun with the origin."""
    if layout.name == "ttg.linear":
        origin = tuple(0 for _ in shape)
        return tuple([origin, *layout[part]] for part in ("register", "lane", "warp"))
    if layout.name == "ttg.slice":
        axis = layout["dim"]
        parent = bases_of(layout["parent"], (*shape[:axis], 1, *shape[axis:]))
        return tuple([base[:axis] + base[axis + 1 :] for base in part] for part in parent)
    if layout.name == "ttg.blocked":
        return blocked_bases(layout, shape)
    raise UnsupportedLayout(f"{layout}: the simulator doesn't know which lanes hold which elements")


def blocked_bases(layout: Attribute, shape: tuple[int, ...]) -> tuple[Bases, Bases, Bases]:
    """`sizePerThread` elements of a thread, then lanes, then warps along each axis; what is left is in more registers,
    and what is too many holds copies."""
    reached = [1] * len(shape)

    def steps(counts) -> Bases:
        found = []
        for axis in layout["order"]:
            for _ in range(counts[axis].bit_length() - 1):
                step = reached[axis] if reached[axis] < shape[axis] else 0
                found.append(tuple(step if i == axis else 0 for i in range(len(shape))))
                reached[axis] *= 2
        return found

    origin = tuple(0 for _ in shape)
    registers, lanes, warps = (steps(layout[name]) for name in ("sizePerThread", "threadsPerWarp", "warpsPerCTA"))
    more = steps([max(1, size // have) for size, have in zip(shape, reached)])
    return [origin, *registers, *more], [origin, *lanes], [origin, *warps]

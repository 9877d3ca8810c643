"""How bags are dealt out to workers: in chunks of like cost, whatever the lengths of the bags."""

import triton
import triton.language as tl

from .access import BAGS, FIRST_BAG

PROBES = tl.constexpr(32)  # of one step of a search: one for each lane of a warp


@triton.jit
def cost_before(offsets, first, bag, BAG_COST: tl.constexpr):
    """The cost of the bags from `first` to `bag`, without that one: a unit for each lookup, BAG_COST for each bag."""
    return (tl.load(offsets + bag) - tl.load(offsets + first)).to(tl.int64) + (bag - first) * BAG_COST


@triton.jit
def bag_at_cost(offsets, first, last, target, BAG_COST: tl.constexpr):
    """The first bag from `first` to `last` before which the cost is at least the target; `last` if there is none.

    Each step tries PROBES bags at once, and so a search among a million takes four.
    """
    low, count = first, last - first
    lanes = tl.arange(0, PROBES)
    while count > 0:
        step = tl.cdiv(count, PROBES)
        bag = low + (lanes + 1) * step - 1
        inside = bag < low + count
        reached = tl.load(offsets + bag, mask=inside, other=0) - tl.load(offsets + first)
        cheaper = inside & (reached.to(tl.int64) + (bag - first) * BAG_COST < target)
        skipped = tl.sum(cheaper.to(tl.int32), axis=0) * step
        low += skipped
        count = tl.minimum(step - 1, count - skipped)
    return low


@triton.jit
def segment_of(segments, bag, SEGMENTS):
    """The number of the segment that a bag is of."""
    found = bag.to(tl.int32) * 0
    width = SEGMENTS + found
    while width > 1:
        half = width // 2
        found = tl.where(tl.load(segments + FIRST_BAG * SEGMENTS + found + half) <= bag, found + half, found)
        width -= half
    return found


@triton.jit
def bags_behind(segments, s, SEGMENTS):
    """The number of the first bag behind a segment."""
    return tl.load(segments + FIRST_BAG * SEGMENTS + s) + tl.load(segments + BAGS * SEGMENTS + s)

"""Reductions and scans with a combine region.

Neighbours are combined in a balanced tree, so an associative region is enough and its arguments keep their order. The
GPU combines in an order that depends on the layout: floats agree up to reassociation.
"""

from __future__ import annotations

import numpy as np

from .registry import simulates


@simulates("tt.reduce")
def reduce(group, op, *values):
    """Combines all elements along `axis`; several operands are reduced together."""
    arrays = [np.moveaxis(v, op.attributes["axis"], 0) for v in values]
    while (length := len(arrays[0])) > 1:
        rest = [array[length - length % 2 :] for array in arrays]
        pairs = [array[: length - length % 2] for array in arrays]
        combined = _combine(group, op, [p[0::2] for p in pairs], [p[1::2] for p in pairs])
        arrays = [np.concatenate([c, r]) if len(r) else c for c, r in zip(combined, rest)]
    results = tuple(array[0] for array in arrays)
    return results if len(results) > 1 else results[0]


@simulates("tt.scan")
def scan(group, op, *values):
    """Inclusive prefixes along `axis`, from its end if `reverse`; several operands are scanned together."""
    direction = slice(None, None, -1 if op.attributes.get("reverse") else 1)
    axis = op.attributes["axis"]
    arrays = [np.moveaxis(v, axis, 0)[direction] for v in values]
    distance = 1
    while distance < len(arrays[0]):
        combined = _combine(group, op, [a[:-distance] for a in arrays], [a[distance:] for a in arrays])
        arrays = [np.concatenate([a[:distance], c]) for a, c in zip(arrays, combined)]
        distance *= 2
    results = tuple(np.moveaxis(array[direction], 0, axis) for array in arrays)
    return results if len(results) > 1 else results[0]


def _combine(group, op, left, right):
    results = group.evaluate(op.regions[0], *left, *right)
    # A region that ignores its arguments yields scalars.
    return [np.broadcast_to(result, array.shape) for result, array in zip(results, left)]

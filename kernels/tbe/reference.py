"""Lookups in float64, bag by bag: what the kernels are checked against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .layout import BatchShape

__all__ = ["reference"]


def reference(weights, shape: BatchShape, indices, offsets, factors=None, *, mean: bool = False) -> np.ndarray:
    """The output in float64, with the output's shape.

    A lookup outside of its table adds nothing, and counts for the mean; the mean of no lookups is 0.

    Args:
        weights: flat, an array of any float type; bfloat16 of `ml_dtypes` too.
        shape: of the batch.
        indices: [N] integers.
        offsets: [bags + 1] integers, never falling; a lookup in no bag is left out.
        factors: [N] floats that rows are multiplied by, or None.
        mean: whether sums are divided by the number of lookups.
    """
    weights = np.asarray(weights).astype(np.float64)
    out = np.zeros(shape.output_shape(len(indices)), np.float64).reshape(-1)
    for segment in shape.segments:
        end = segment.weights_offset + segment.rows * segment.dim
        table = weights[segment.weights_offset : end].reshape(segment.rows, segment.dim)
        for bag in range(segment.bags):
            begin, end = (int(offsets[segment.first_bag + bag + i]) for i in (0, 1))
            for at in range(begin, end):
                row = int(indices[at])
                if 0 <= row < segment.rows:
                    place = segment.out_base + (bag if shape.pooled else at) * segment.out_stride
                    factor = (1.0 if factors is None else float(factors[at])) / (end - begin if mean else 1)
                    out[place : place + segment.dim] += factor * table[row]
    return out.reshape(shape.output_shape(len(indices)))

"""Samples to numbers: medians with their spread, and means of ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

__all__ = ["Summary", "geometric_mean", "summarize"]


@dataclass(frozen=True)
class Summary:
    """A median and how far the samples lie from it.

    Args:
        median: the 50th percentile.
        p20: the 20th percentile.
        p80: the 80th percentile.
        mad: the median absolute deviation from the median.
        count: how many samples.
    """

    median: float
    p20: float
    p80: float
    mad: float
    count: int


def summarize(samples: Iterable[float]) -> Summary:
    """The summary of at least one finite sample, in the samples' unit.

    Raises:
        ValueError: there is no sample, or one is not finite.
    """
    values = np.asarray(list(samples), dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"summarize needs finite samples, at least one; got {values.tolist()}")
    p20, median, p80 = (float(p) for p in np.percentile(values, [20, 50, 80]))
    return Summary(median, p20, p80, mad=float(np.median(np.abs(values - median))), count=values.size)


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean that fits ratios: the n-th root of their product.

    Raises:
        ValueError: there is no ratio, or one is not positive.
    """
    values = list(ratios)
    if not values or not all(value > 0 for value in values):
        raise ValueError(f"geometric_mean needs positive ratios, at least one; got {values}")
    return math.exp(math.fsum(map(math.log, values)) / len(values))

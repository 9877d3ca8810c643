"""Votes of the lanes of a warp on the elements that they hold."""

from __future__ import annotations

import numpy as np

from ...language.threads import BALLOT_PTX
from ..registers import elements_of_lanes
from .external import group_ptx


@group_ptx(BALLOT_PTX)
def ballots(group, op, flags):
    """For each register, bit i is the flag that the warp's lane i holds there; all of its lanes get them all."""
    kind = op.result.type
    held = elements_of_lanes(kind.encoding, kind.shape)
    lanes = np.arange(held.shape[-1], dtype=np.uint32)
    votes = (flags.reshape(-1)[held] != 0).astype(np.uint32) << lanes
    result = np.empty(flags.size, np.uint32)
    result[held] = np.bitwise_or.reduce(votes, axis=-1, keepdims=True)
    return result.view(np.int32).reshape(kind.shape)

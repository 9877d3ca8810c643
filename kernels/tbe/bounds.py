"""Lookups that are wrong: found, counted, and made harmless before anything is looked up.

A negative index is no mistake: it adds nothing and trains nothing, whatever the mode.

| mode | index past the table's end | offset that falls, or is outside of 0..N; first not 0, last not N | cost |
|---|---|---|---|
| "fatal" | `IndexOutOfTable`, nothing is computed | `BadOffsets`, nothing is computed | indices and offsets are read once more, and the host waits for the answer |
| "warn" | counted for its feature, adds nothing | counted, repaired in a copy | indices and offsets are read once more |
| "ignore" | adds nothing | repaired in a copy | offsets are read once more |
| "none" | reads and trains what lies there | reads whatever they say | none |

Repaired, an offset is brought into 0..N, and raised to the largest before it: a bag whose end lies before its begin has no
lookups, and lookups before the first offset or behind the last are in no bag.
"""  # noqa: E501

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import triton
import triton.language as tl

from ..launch import device_of
from .errors import BadLookupWarning, BadOffsets, IndexOutOfTable
from .forward.access import BAGS, FIRST_BAG, ROWS, last_begun
from .layout import SEGMENT_FIELDS

if TYPE_CHECKING:
    import torch

    from .layout import Batch

__all__ = ["NOTHING", "Reporter", "checked_batch"]

NOTHING = 2**62  # a position that no mistake has
OFFSETS_BLOCK = 1024
INDICES_BLOCK = 1024


@triton.jit
def check_offsets(offsets, repaired, record, LAST, N, BLOCK: tl.constexpr):
    """Copies the offsets, brought into 0..N, and records what is wrong with them.

    Args:
        offsets: [LAST + 1].
        repaired: of the same size and type.
        record: int64, [how many are wrong, the first of them]; only changed if some are.
        N: lookups.
    """
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = at <= LAST
    offset = tl.load(offsets + at, mask=there, other=0).to(tl.int64)
    before = tl.load(offsets + at - 1, mask=there & (at > 0), other=0).to(tl.int64)
    wrong = (
        (offset < 0) | (offset > N) | (offset < before) | ((at == 0) & (offset != 0)) | ((at == LAST) & (offset != N))
    )
    wrong = wrong & there
    tl.store(repaired + at, tl.minimum(tl.maximum(offset, 0), N).to(repaired.dtype.element_ty), mask=there)
    count = tl.sum(wrong.to(tl.int32), axis=0)
    if count > 0:
        tl.atomic_add(record, count.to(tl.int64), sem="relaxed")
        tl.atomic_min(record + 1, tl.min(tl.where(wrong, at, 2**62), axis=0), sem="relaxed")


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def repair_offsets(repaired, record, LAST, BLOCK: tl.constexpr):
    """One program: if some are wrong, raises each offset to the largest before it."""
    if tl.load(record) > 0:
        largest = tl.load(repaired).to(tl.int64)
        for start in range(0, LAST + 1, BLOCK):
            at = start + tl.arange(0, BLOCK)
            offset = tl.load(repaired + at, mask=at <= LAST, other=0).to(tl.int64)
            raised = tl.maximum(tl.associative_scan(offset, 0, _larger), largest)
            tl.store(repaired + at, raised.to(repaired.dtype.element_ty), mask=at <= LAST)
            largest = tl.max(raised, axis=0)


@triton.jit
def check_indices(indices, offsets, segments, counts, record, SEGMENTS, N, FEATURE: tl.constexpr, BLOCK: tl.constexpr):
    """Counts the indices past their tables' ends for each feature, and records the first of them.

    Args:
        indices: [N].
        offsets: of all bags, repaired.
        segments: packed, [fields, SEGMENTS] int64.
        counts: [features] int64; only changed if some are wrong, as `record`: [position].
        FEATURE: the field of segments with a feature's number.
    """
    first = tl.program_id(0).to(tl.int64) * BLOCK
    last = tl.minimum(first + BLOCK, N)
    low = last_begun(segments, offsets, 0, SEGMENTS - 1, first, SEGMENTS)
    high = last_begun(segments, offsets, low, SEGMENTS - 1, last - 1, SEGMENTS)
    at = first + tl.arange(0, BLOCK)
    s = last_begun(segments, offsets, low, high, at, SEGMENTS)
    bag = tl.load(segments + FIRST_BAG * SEGMENTS + s)
    end = tl.load(offsets + bag + tl.load(segments + BAGS * SEGMENTS + s))
    there = (at < last) & (at >= tl.load(offsets + bag)) & (at < end)
    wrong = there & (tl.load(indices + at, mask=at < last, other=-1) >= tl.load(segments + ROWS * SEGMENTS + s))
    if tl.max(wrong.to(tl.int32), axis=0) > 0:
        tl.atomic_add(counts + tl.load(segments + FEATURE * SEGMENTS + s), 1, mask=wrong, sem="relaxed")
        tl.atomic_min(record, tl.min(tl.where(wrong, at, 2**62), axis=0), sem="relaxed")


def checked_batch(batch: Batch, bounds: str, counts: torch.Tensor | None = None) -> Batch:
    """The batch with offsets that never fall; mistakes are raised or counted.

    Args:
        batch: of any content.
        bounds: "fatal", "warn", "ignore" or "none"; only "fatal" waits for the device.
        counts: of "warn": [features + 1] int64, to which the wrong indices of each feature, and the wrong offsets, are
            added.

    Raises:
        IndexOutOfTable: in "fatal", with table, position and value.
        BadOffsets: in "fatal".
    """
    import torch

    if bounds == "none":
        return batch
    features = len(batch.layout.feature_tables)
    device = batch.indices.device
    # [wrong offsets, the first of them, the first wrong index], then a count for each feature.
    record = torch.zeros(3 + features, dtype=torch.int64, device=device)
    record[1:3] = NOTHING
    given = batch.offsets
    with device_of(batch.indices, "tbe", "indices"):
        batch = _with_repaired_offsets(batch, record)
        if bounds != "ignore":
            _check_indices(batch, record)
    if bounds == "warn" and counts is not None:
        counts[:features] += record[3:]
        counts[features] += record[0]
    if bounds == "fatal":
        _raise_if_wrong(batch, given, record)
    return batch


def _with_repaired_offsets(batch: Batch, record) -> Batch:
    import torch

    last = batch.shape.bags
    repaired = torch.empty_like(batch.offsets)
    check_offsets[(triton.cdiv(last + 1, OFFSETS_BLOCK),)](
        batch.offsets, repaired, record, last, batch.lookups, BLOCK=OFFSETS_BLOCK, enable_fp_fusion=True
    )
    repair_offsets[(1,)](repaired, record, last, BLOCK=OFFSETS_BLOCK, enable_fp_fusion=True)
    return replace(batch, offsets=repaired)


def _check_indices(batch: Batch, record) -> None:
    if batch.lookups:
        segments = batch.segments
        check_indices[(triton.cdiv(batch.lookups, INDICES_BLOCK),)](
            *(batch.indices, batch.offsets, segments, record[3:], record[2:], segments.shape[1], batch.lookups),
            FEATURE=SEGMENT_FIELDS.index("feature"),
            BLOCK=INDICES_BLOCK,
            enable_fp_fusion=True,
        )


def _raise_if_wrong(batch: Batch, offsets: torch.Tensor, record) -> None:
    """Waits for the device; raises the first mistake."""
    wrong_offsets, first_offset, first_index, *counts = record.tolist()
    if wrong_offsets:
        at, value = first_offset, int(offsets[first_offset])
        before = f" behind {int(offsets[at - 1])}" if at else ""
        raise BadOffsets(
            f"tbe: offsets[{at}] is {value}{before}; {wrong_offsets} of {offsets.numel()} offsets are wrong",
            f"offsets never fall, begin with 0 and end with the number of lookups, {batch.lookups}",
        )
    if first_index != NOTHING:
        # Positions rise with the features, so the first mistake is of the first feature that has one.
        feature = next(number for number, count in enumerate(counts) if count)
        facts = batch.layout.features[feature]
        raise IndexOutOfTable(
            f"tbe: indices[{first_index}] is {int(batch.indices[first_index])}, "
            f"table {facts.table} of feature {feature} has {facts.rows} rows; "
            f"{sum(counts)} of {batch.lookups} lookups are wrong",
            "pass a negative index for a lookup that is to add nothing",
        )


class Reporter:
    """Turns counts on the device into warnings without waiting for it: what a call finds, a later call may say."""

    def __init__(self):
        self._told = 0
        self._pending = None

    def report(self, counts: torch.Tensor) -> None:
        """Warns if a copy of the counts that has arrived says more than the last one; starts the next copy.

        Args:
            counts: [features + 1] int64, as of `checked_batch`.
        """
        import torch

        if not counts.is_cuda:
            self._tell(counts.tolist())
        elif not torch.cuda.is_current_stream_capturing():
            if self._pending is not None and self._pending[1].query():
                self._tell(self._pending[0].tolist())
                self._pending = None
            if self._pending is None:
                copy = torch.empty(counts.shape, dtype=counts.dtype, pin_memory=True).copy_(counts, non_blocking=True)
                self._pending = copy, torch.cuda.Event()
                self._pending[1].record()

    def _tell(self, counts: list[int]) -> None:
        total = sum(counts)
        if total > self._told:
            *features, offsets = counts
            found = [f"{count} of feature {number}" for number, count in enumerate(features) if count]
            text = (
                f"tbe: left out so far: indices past the table's end: {', '.join(found) or 'none'}; offsets: {offsets}"
            )
            warnings.warn(text, BadLookupWarning, stacklevel=6)
        self._told = total

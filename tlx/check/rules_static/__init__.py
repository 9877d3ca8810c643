"""Rules about TTGIR that isn't run, one file a concept.

A rule is a generator of findings; what it can't decide it says in a note. To add one, write it and add it to CHECKS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..findings import Finding
from . import (
    arrivals,
    budgets,
    cluster_syncs,
    expected_bytes,
    first_waits,
    mma_results,
    named_barriers,
    proxy_fences,
    signals,
    store_staging,
)
from .context import Context
from .rules import STATIC_RULES

__all__ = ["CHECKS", "STATIC_RULES", "Context"]

CHECKS: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    budgets.shared_memory,
    budgets.registers,
    budgets.threads,
    named_barriers.numbers,
    named_barriers.thread_counts,
    cluster_syncs.syncs,
    signals.signalled,
    first_waits.first_waits,
    expected_bytes.expected_bytes,
    arrivals.arrivals,
    mma_results.used_early,
    store_staging.staging,
    proxy_fences.fences,
)
"""All rules, in the order of their reports."""

"""The mistakes that are found in a kernel's TTGIR without running it; `docs/check-static.md` explains each."""

from __future__ import annotations

from ..findings import ERROR, NOTE, WARNING, Rule

__all__ = [
    "ARRIVALS_AND_WAITS",
    "ARRIVE_COUNT",
    "CLUSTER_SYNC",
    "EXPECTED_BYTES",
    "FIRST_WAITS",
    "MISSING_FENCE",
    "NAMED_BARRIER",
    "NEVER_SIGNALLED",
    "NEVER_WAITED",
    "NOT_DECIDED",
    "REGISTERS",
    "RESULT_USED_EARLY",
    "SHARED_MEMORY",
    "STAGING_OVERWRITTEN",
    "STATIC_RULES",
    "STORE_IN_FLIGHT",
    "THREADS",
]

NOT_DECIDED = Rule("TLX-S000", "not-decided", NOTE, "reading the kernel doesn't decide a rule")
SHARED_MEMORY = Rule("TLX-S001", "shared-memory", ERROR, "more shared memory than a CTA may have")
REGISTERS = Rule("TLX-S002", "registers", ERROR, "a task gets fewer registers than it asks for, or asks in vain")
THREADS = Rule("TLX-S003", "threads", ERROR, "more threads than a CTA may have")
NAMED_BARRIER = Rule("TLX-S004", "named-barrier", ERROR, "a named barrier's number or thread count can't be right")
EXPECTED_BYTES = Rule("TLX-S005", "expected-bytes", ERROR, "other bytes are expected than copied")
ARRIVE_COUNT = Rule("TLX-S006", "arrive-count", ERROR, "a phase takes another number of arrivals than come for a wait")
ARRIVALS_AND_WAITS = Rule("TLX-S007", "arrivals-and-waits", ERROR, "arrivals and waits don't keep step over loops")
RESULT_USED_EARLY = Rule("TLX-S008", "mma-result-used-early", ERROR, "an async MMA's result is used before its wait")
STAGING_OVERWRITTEN = Rule("TLX-S009", "staging-overwritten", ERROR, "a buffer is written that a TMA store still reads")
NEVER_SIGNALLED = Rule("TLX-S010", "never-signalled", ERROR, "a barrier is never initialized, or waited for in vain")
FIRST_WAITS = Rule("TLX-S011", "first-waits", ERROR, "no task gets past its first waits")
MISSING_FENCE = Rule("TLX-S012", "missing-fence", ERROR, "an engine reads what was stored without a proxy fence")
NEVER_WAITED = Rule("TLX-S013", "never-waited", WARNING, "a barrier is signalled that nobody waits for")
STORE_IN_FLIGHT = Rule("TLX-S014", "store-in-flight", ERROR, "a task ends while a TMA store may read its buffer")
CLUSTER_SYNC = Rule("TLX-S015", "cluster-sync", ERROR, "the cluster is synced where some of its warps never come")

STATIC_RULES: dict[str, Rule] = {value.id: value for value in list(globals().values()) if isinstance(value, Rule)}
"""By id."""

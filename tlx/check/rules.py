"""The mistakes that are found while a kernel runs in the simulator; `docs/check.md` explains each."""

from __future__ import annotations

from .findings import ERROR, WARNING, Rule

__all__ = [
    "BAD_DESCRIPTOR",
    "BARRIER_MISUSE",
    "BARRIER_UNUSED",
    "DEADLOCK",
    "EARLY_ARRIVAL",
    "ENGINE_IN_FLIGHT",
    "GLOBAL_RACE",
    "LAUNCH_FAILED",
    "LEFTOVER_PHASE",
    "MISSABLE_PHASE",
    "MISSING_FENCE",
    "OUT_OF_BOUNDS",
    "OVER_ARRIVAL",
    "PEER_GONE",
    "PEER_NOT_READY",
    "RACE_READ_WRITE",
    "RACE_WRITE_WRITE",
    "RESULT_USED_EARLY",
    "ROW_OVERRUN",
    "RULES",
    "STALE_WAIT",
    "UNINITIALIZED_READ",
]

RACE_READ_WRITE = Rule("TLX-R001", "race-read-write", ERROR, "a read and a write of the same bytes are not ordered")
RACE_WRITE_WRITE = Rule("TLX-R002", "race-write-write", ERROR, "two writes of the same bytes are not ordered")
MISSING_FENCE = Rule(
    "TLX-R003", "missing-proxy-fence", ERROR, "an ordinary store is not fenced before an engine's access"
)
EARLY_ARRIVAL = Rule(
    "TLX-R004", "early-arrival", ERROR, "an arrival may count in the phase before the one it is meant for"
)
MISSABLE_PHASE = Rule("TLX-R005", "missable-phase", ERROR, "a phase may complete before the wait for the one before it")
STALE_WAIT = Rule("TLX-R006", "stale-wait", ERROR, "a wait passes on a phase that its group has used already")
OVER_ARRIVAL = Rule("TLX-R007", "over-arrival", ERROR, "more arrivals than a phase takes")
DEADLOCK = Rule("TLX-R008", "deadlock", ERROR, "no warp group can go on")
UNINITIALIZED_READ = Rule("TLX-R009", "uninitialized-read", ERROR, "shared memory is read that nothing has written")
ENGINE_IN_FLIGHT = Rule("TLX-R010", "engine-in-flight", ERROR, "the kernel may end while an engine uses shared memory")
RESULT_USED_EARLY = Rule("TLX-R011", "result-used-early", ERROR, "the result of an async MMA is used before its wait")
LEFTOVER_PHASE = Rule("TLX-R012", "leftover-phase", WARNING, "a barrier is left inside a phase")
BARRIER_MISUSE = Rule("TLX-R013", "barrier-misuse", ERROR, "a barrier is used in a way that PTX leaves undefined")
OUT_OF_BOUNDS = Rule("TLX-R014", "out-of-bounds", ERROR, "an access leaves its buffer or its argument")
GLOBAL_RACE = Rule("TLX-R015", "global-race", ERROR, "two accesses to the same global memory are not ordered")
ROW_OVERRUN = Rule("TLX-R016", "row-overrun", WARNING, "a TMA store writes behind the ends of rows")
LAUNCH_FAILED = Rule("TLX-R017", "launch-failed", ERROR, "the launch ends with an error")
BARRIER_UNUSED = Rule("TLX-R018", "barrier-unused", WARNING, "a barrier without use, in memory that is given away")
PEER_NOT_READY = Rule("TLX-R019", "peer-not-ready", ERROR, "another CTA of the cluster is reached before it is ready")
PEER_GONE = Rule("TLX-R020", "peer-gone", ERROR, "another CTA of the cluster is reached when it may have ended")
BAD_DESCRIPTOR = Rule("TLX-R021", "bad-descriptor", ERROR, "TMA can't use a descriptor so, or nothing has written it")

RULES: dict[str, Rule] = {value.id: value for value in list(globals().values()) if isinstance(value, Rule)}
"""By id."""

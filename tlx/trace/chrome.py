"""A timeline in the Trace Event Format, which Perfetto and `chrome://tracing` read.

Format: Google, "Trace Event Format" (complete events `X`, flow events `s` and `f`, metadata `M`). One nanosecond is one
cycle.
"""

from __future__ import annotations

from .nodes import WAIT
from .timeline import Arrow, Lane, Span, Timeline

__all__ = ["trace_events"]

_PROCESS = 0
_PER_MICROSECOND = 1000
_WAIT_COLOUR = "terrible"  # a reserved name of chrome://tracing; Perfetto colours by the label


def trace_events(timeline: Timeline) -> dict:
    """What a JSON file of the trace holds."""
    threads = {id(span): thread for thread, lane in enumerate(timeline.lanes) for span in lane.spans}
    events = [_metadata("process_name", 0, name=f"{timeline.kernel}, program {timeline.program}")]
    for thread, lane in enumerate(timeline.lanes):
        events += _lane(thread, lane)
    for number, arrow in enumerate(timeline.arrows):
        events += _arrow(number, arrow, threads)
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"unit": "1 ns is one cycle of the SM"}}


def _lane(thread: int, lane: Lane) -> list[dict]:
    names = [
        _metadata("thread_name", thread, name=lane.name),
        _metadata("thread_sort_index", thread, sort_index=thread),
    ]
    return [*names, *(_span(span, thread) for span in lane.spans)]


def _metadata(what: str, thread: int, **arguments) -> dict:
    return {"ph": "M", "name": what, "pid": _PROCESS, "tid": thread, "args": arguments}


def _span(span: Span, thread: int) -> dict:
    node = span.node
    facts = {"op": node.op.name, "cycles": span.end - span.start}
    if node.op.location.known:
        facts["source"] = f"{node.op.location.file}:{node.op.location.line}"
    if span.kind == node.work:
        facts |= {name: value for name, value in (("bytes", node.nbytes), ("flops", node.flops)) if value}
    event = {
        **{"ph": "X", "name": span.label, "cat": span.kind, "pid": _PROCESS, "tid": thread},
        **{"ts": _time(span.start), "dur": _time(span.end - span.start), "args": facts},
    }
    return event | {"cname": _WAIT_COLOUR} if span.kind == WAIT else event


def _arrow(number: int, arrow: Arrow, threads: dict[int, int]) -> list[dict]:
    """Each end binds to the span that holds its time: it leaves, and enters a wait, in the last cycle."""
    shared = {"name": arrow.why, "cat": "flow", "id": number, "pid": _PROCESS}
    source = {"ph": "s", "tid": threads[id(arrow.source)], "ts": _time(arrow.leaves - 1)}
    entered = arrow.target.end - 1 if arrow.target.kind == WAIT else arrow.target.start
    target = {"ph": "f", "bp": "e", "tid": threads[id(arrow.target)], "ts": _time(entered)}
    return [shared | source, shared | target]


def _time(cycles: int) -> float:
    return cycles / _PER_MICROSECOND

"""Times for what was recorded: list scheduling over the needs of every node."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from ..check.words import home_of
from ..sim.cta import CTA
from .costs import Costs
from .nodes import ARRIVE, ENGINE, LAND, Need, Node
from .recorder import Recorder
from .registers import RegisterWork, register_work

__all__ = ["COMPUTE", "Arrow", "Lane", "Span", "Timeline", "timeline_of"]

COMPUTE = "compute"
"""The kind of a span of work in registers; the others' are those of the nodes."""

_ENGINES = {
    "tma_load": "TMA loads",
    "bulk_copy": "TMA loads",
    "tma_store": "TMA stores",
    "mma": "MMA",
    "cp_async": "cp.async",
    "st_async": "st.async",
}


@dataclass(eq=False)
class Span:
    """Something that takes time, in cycles.

    Args:
        node: what it is; of a span in registers the node that it leads to.
        kind: of the node, or `compute`.
        start, end: cycles from the start of the CTA.
        taken: until when an engine can't begin anything else; until `end` for warp groups.
    """

    node: Node
    kind: str
    start: int
    end: int
    taken: int

    @property
    def label(self) -> str:
        """For readers."""
        return "registers" if self.kind == COMPUTE else self.node.label


@dataclass(frozen=True)
class Arrow:
    """`target` could not end before `source`, or, with `reads_only`, before the source had read shared memory."""

    source: Span
    target: Span
    why: str
    reads_only: bool

    @property
    def leaves(self) -> int:
        """The cycle at which the source lets the target go on."""
        return self.source.taken if self.reads_only else self.source.end


@dataclass
class Lane:
    """A row of the picture: a warp group, or an engine; `spans` are in order of time and don't overlap.

    An engine whose operations overlap has several lanes of one name.
    """

    name: str
    spans: list[Span] = field(default_factory=list)

    def cycles(self, kind: str | None = None) -> int:
        """Cycles of its spans, of all kinds or of one."""
        return sum(span.end - span.start for span in self.spans if kind in (None, span.kind))


@dataclass(frozen=True)
class Timeline:
    """One CTA: its lanes, the warp groups first, and the arrows between their spans. `cycles` is when all has ended."""

    kernel: str
    program: tuple[int, int, int]
    lanes: list[Lane]
    arrows: list[Arrow]

    @property
    def cycles(self) -> int:
        return max((lane.spans[-1].end for lane in self.lanes), default=0)


def timeline_of(recorder: Recorder, costs: Costs) -> Timeline:
    """The timeline of the CTA that was recorded.

    Raises:
        NothingTraced: there is none.
    """
    cta = recorder.recorded()
    work = register_work(recorder.module, {node.op for node in recorder.nodes if node.work != ENGINE})
    schedule = _Schedule(costs, work)
    schedule.run(recorder.nodes)
    spans = [span for span in schedule.spans if home_of(span.node.agent) is cta]
    shown = set(map(id, spans))
    arrows = [
        Arrow(schedule.span_of[need.node], target, need.why, need.reads_only)
        for target in spans
        if target.kind != COMPUTE
        for need in target.node.needs
        if id(schedule.span_of[need.node]) in shown
    ]
    return Timeline(recorder.kernel, recorder.program, _lanes(cta, spans), arrows)


class _Schedule:
    """Gives every node its time, the one that can go on earliest first; equal ones in the order of the simulator."""

    def __init__(self, costs: Costs, work: dict):
        self._costs = costs
        self._work = work
        self._free: dict[tuple[CTA, str], int] = defaultdict(int)
        self.spans: list[Span] = []
        self.span_of: dict[Node, Span] = {}

    def run(self, nodes: list[Node]) -> None:
        """Adds the spans of all nodes."""
        missing = {node: len(node.needs) + (node.before is not None) for node in nodes}
        followers: dict[Node, list[Node]] = defaultdict(list)
        for node in nodes:
            for other in _needed(node):
                followers[other].append(node)
        ready = [(0, node.index, node) for node in nodes if not missing[node]]
        while ready:
            at, _, node = heapq.heappop(ready)
            self._place(node, at)
            for follower in followers[node]:
                missing[follower] -= 1
                if not missing[follower]:
                    heapq.heappush(ready, (self._ready(follower), follower.index, follower))

    def _ready(self, node: Node) -> int:
        return max([self._start(node), *map(self._released, node.needs)])

    def _start(self, node: Node) -> int:
        return self.span_of[node.before].end if node.before else 0

    def _place(self, node: Node, ready: int) -> None:
        span = self._engine(node, ready) if node.work == ENGINE else self._group(node)
        self.span_of[node] = span
        self.spans.append(span)

    def _engine(self, node: Node, ready: int) -> Span:
        taken, latency = self._costs.engine(node)
        lane = home_of(node.agent), _ENGINES[node.agent.kind]
        start = max(ready, self._free[lane]) if taken else ready
        if taken:
            self._free[lane] = start + taken
        return Span(node, ENGINE, start, start + taken + latency, start + taken)

    def _group(self, node: Node) -> Span:
        start = self._start(node)
        work = self._work.get(node.op, RegisterWork()) if node.charged else RegisterWork()
        computed = start + self._costs.registers(work, node.warps)
        if computed > start:
            self.spans.append(Span(node, COMPUTE, start, computed, computed))
        end = max([computed + self._costs.group(node), *map(self._released, node.needs)])
        return Span(node, node.work, computed, end, end)

    def _released(self, need: Need) -> int:
        span = self.span_of[need.node]
        latency = self._costs.barrier_latency if need.why in (ARRIVE, LAND) else 0
        return (span.taken if need.reads_only else span.end) + latency


def _needed(node: Node) -> list[Node]:
    others = [need.node for need in node.needs]
    return [node.before, *others] if node.before else others


def _lanes(cta: CTA, spans: list[Span]) -> list[Lane]:
    lanes: dict[str, list[Lane]] = {group.name: [] for group in cta.groups}
    lanes.update((name, []) for name in _ENGINES.values())
    for span in sorted(spans, key=lambda span: (span.start, span.node.index)):
        rows = lanes[_ENGINES[span.node.agent.kind] if span.kind == ENGINE else span.node.agent.name]
        row = next((row for row in rows if row.spans[-1].end <= span.start), None)
        if row is None:
            name = span.node.agent.name if span.kind != ENGINE else _ENGINES[span.node.agent.kind]
            row = Lane(name)
            rows.append(row)
        row.spans.append(span)
    return [row for rows in lanes.values() for row in rows]

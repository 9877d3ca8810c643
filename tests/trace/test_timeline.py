"""When things happen: after what they need, and no later than that."""

import itertools

import numpy as np
import pytest
import triton.language as tl

import tlx
from tests.language.test_cases import CASES
from tests.trace.rings import USES, traced
from tlx import sim
from tlx.check.words import home_of
from tlx.trace import Costs, NothingTraced, Span, Timeline, tracing


def spans(timeline: Timeline, label: str) -> list[Span]:
    """Those whose label begins so, in order of time."""
    found = [span for lane in timeline.lanes for span in lane.spans if span.label.startswith(label)]
    return sorted(found, key=lambda span: span.start)


def most_at_once(spans: list[Span]) -> int:
    return max(sum(other.start <= span.start < other.end for other in spans) for span in spans)


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_ring_keeps_its_order(stages):
    timeline = traced(stages).timeline()
    loads, reads = spans(timeline, "TMA load"), spans(timeline, "read slots")
    assert len(loads) == len(reads) == USES
    for use in range(USES):
        assert loads[use].end <= reads[use].start
        if use + stages < USES:
            assert reads[use].end <= loads[use + stages].start


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_as_many_loads_are_in_flight_as_there_are_stages(stages):
    assert most_at_once(spans(traced(stages).timeline(), "TMA load")) == stages


def test_one_stage_overlaps_nothing_and_two_do():
    def overlaps(stages: int) -> bool:
        timeline = traced(stages).timeline()
        pairs = itertools.product(spans(timeline, "TMA load"), spans(timeline, "read slots"))
        return any(load.start < read.end and read.start < load.end for load, read in pairs)

    assert not overlaps(1)
    assert overlaps(3)
    cycles = [traced(stages).timeline().cycles for stages in (1, 2, 3)]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[1] < 0.6 * cycles[0]


def test_a_wait_ends_when_the_barrier_has_told_it():
    timeline = traced(1, costs=Costs(barrier_latency=77)).timeline()
    load, wait = spans(timeline, "TMA load")[0], spans(timeline, "wait full[0] phase 0")[0]
    assert wait.end == load.end + 77


def test_a_load_takes_its_bytes_and_its_latency():
    timeline = traced(1, costs=Costs(tma_bytes_per_cycle=32, tma_load_latency=100)).timeline()
    assert {span.end - span.start for span in spans(timeline, "TMA load")} == {16 * 64 * 2 // 32 + 100}


def test_the_same_whatever_the_schedule_of_the_simulator():
    facts = [
        [(lane.name, [(s.label, s.start, s.end) for s in lane.spans]) for lane in traced(2, seed=seed).timeline().lanes]
        for seed in range(6)
    ]
    assert facts[1:] == facts[:-1]


@pytest.mark.parametrize("case", [case for case in CASES if case.simulated], ids=str)
def test_every_arrow_points_forward(case):
    """In the kernels of the language tests: MMAs, stores, copies, clusters, named barriers."""
    with tracing() as trace:
        case.launch(sim.array)
    timeline = trace.timeline()
    assert timeline.cycles > 0
    assert {home_of(span.node.agent) for lane in timeline.lanes for span in lane.spans} == {trace.recorder.cta}
    for lane in timeline.lanes:
        assert all(one.end <= other.start for one, other in itertools.pairwise(lane.spans))
    for arrow in timeline.arrows:
        assert arrow.leaves <= (arrow.target.end if arrow.target.kind == "wait" else arrow.target.start)
        assert arrow.source.start < arrow.leaves


@tlx.jit
def exponentials(x, y, n, SIZE: tl.constexpr):
    total = tl.zeros((SIZE,), tl.float32)
    for k in tl.range(0, n):
        total += tl.exp2(tl.load(x + k * SIZE + tl.arange(0, SIZE)))
    tl.store(y + tl.arange(0, SIZE), total)


def test_work_in_registers_takes_time():
    """4096 exponentials and additions by 4 warps: (8 + 1) * 4096 / 128 cycles, and addresses."""
    x, y = sim.array(np.zeros((3, 4096), np.float32)), sim.array(np.zeros(4096, np.float32))
    with tracing() as trace:
        exponentials[(1,)](x, y, 3, SIZE=4096)
    timeline = trace.timeline()
    (lane,) = timeline.lanes
    between = [span.end - span.start for span in lane.spans if span.kind == "compute"]
    assert sum(between) >= 3 * 9 * 4096 // 128
    assert sum(between) < 3 * 13 * 4096 // 128


@tlx.jit
def task_of_exponentials(x, y, SIZE: tl.constexpr):
    tl.store(y + tl.arange(0, SIZE), tl.load(x + tl.arange(0, SIZE)))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4):
            tl.store(y + tl.arange(0, SIZE), tl.exp2(tl.load(x + tl.arange(0, SIZE))))


def test_tasks_begin_after_what_is_before_them_and_are_waited_for():
    x, y = (sim.array(np.zeros(4096, np.float32)) for _ in range(2))
    with tracing() as trace:
        task_of_exponentials[(1,)](x, y, SIZE=4096)
    default, task = trace.timeline().lanes
    (start,), (end,) = ([s for s in default.spans if s.label.endswith(words)] for words in ("of the tasks", "to end"))
    assert task.spans[0].start == start.end
    assert end.start < task.spans[-1].start
    assert end.end == task.spans[-1].end


def test_one_program_is_traced():
    trace = traced(2, grid=3, program=(2, 0, 0))
    assert trace.timeline().program == (2, 0, 0)
    assert len(spans(trace.timeline(), "TMA load")) == USES


def test_a_program_that_is_not_there():
    with pytest.raises(NothingTraced, match=r"program \(1, 0, 0\) ran in no launch"):
        traced(2, program=(1, 0, 0)).timeline()

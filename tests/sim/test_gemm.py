"""A warp-specialized GEMM: right under every schedule, and each of its faults found."""

import numpy as np
import pytest

from tests.sim.gluon_kernels import gemm
from tlx import sim


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


def test_right_under_20_schedules(run_gemm):
    with sim.simulating(schedules=20):
        result, expected = run_gemm(128, 192, 256, stages=3, grid=2)
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("steps", range(1, 6))
def test_right_for_every_number_of_k_steps(run_gemm, steps):
    result, expected = run_gemm(128, 128, 64 * steps, grid=1)
    assert np.array_equal(result, expected)


def test_check_values_of_one_k_step(run_gemm):
    for stages in (1, 2, 3, 4):
        result, _ = run_gemm(128, 128, 64, tile=(64, 128, 64), stages=stages)
        weights = (31 * np.arange(128)[:, None] + 17 * np.arange(128)) % 97
        wide = result.astype(np.int64)
        assert (wide[0, 0], wide[-1, -1], wide.sum(), (wide * weights).sum()) == (-6, 0, 13, -1720)


def test_tails_are_filled_with_zeros_and_clipped(run_gemm):
    result, expected = run_gemm(100, 72, 96)
    assert np.array_equal(result, expected)


def test_the_report_counts_what_was_done(run_gemm):
    run_gemm(128, 64, 128, grid=2)
    report = sim.last_report()
    assert report.kernel == "gemm"
    assert report.grid == (2, 1, 1)
    assert report.mma_flops == 2 * 128 * 64 * 128
    assert report.tma_load_bytes == 2 * 2 * (64 * 64 + 64 * 64) * 2
    assert report.tma_store_bytes == 128 * 64 * 2
    assert report.global_written_bytes == 128 * 64 * 2
    assert report.ops["ttng.warp_group_dot"] == 4
    assert report.leftovers == ()


def blocked_by(run_gemm, *shape, **faults):
    with pytest.raises(sim.DeadlockError) as caught:
        run_gemm(*shape, **faults)
    return {group.group: group for group in caught.value.blocked}, str(caught.value)


def line_of(text: str) -> int:
    """The line of the kernels' file that has this text."""
    source = open(gemm.fn.__code__.co_filename).read().splitlines()  # noqa: PTH123, SIM115
    (line,) = [number for number, content in enumerate(source, 1) if text in content]
    return line


def test_an_arrive_count_that_is_too_high_deadlocks(run_gemm):
    groups, text = blocked_by(run_gemm, 64, 64, 256, EMPTY_COUNT=2)
    producer, consumer = groups["partition0"], groups["default"]
    assert (producer.barrier, producer.slot, producer.parity, producer.iteration) == ("empty", 0, 0, 2)
    assert (producer.phases_done, producer.arrived, producer.expected) == (0, 1, 2)
    assert (consumer.barrier, consumer.slot, consumer.parity, consumer.iteration) == ("full", 0, 1, 2)
    assert consumer.phases_done == 1
    assert "arrive count of empty[0] is 2, but only 1" in producer.cause
    assert producer.location.line == line_of("mbarrier.wait(empty")
    assert consumer.location.line == line_of("mbarrier.wait(full")
    assert "empty[0], parity 0: 0 phases done, 1 of 2 arrivals" in text
    assert "^" in text


def test_a_wrong_initial_phase_deadlocks(run_gemm):
    groups, _ = blocked_by(run_gemm, 64, 64, 256, FIRST_PARITY=0)
    assert {group.iteration for group in groups.values()} == {0}
    assert {group.barrier for group in groups.values()} == {"empty", "full"}
    assert "initial phase is wrong" in groups["partition0"].cause
    assert "initial phase" not in groups["default"].cause


def test_a_masked_arrive_count_is_a_warning(run_gemm):
    with pytest.warns(sim.SimulationWarning, match=r"empty\[0\] ends inside phase 0: 1 of 2 arrivals"):
        result, expected = run_gemm(64, 64, 128, EMPTY_COUNT=2)
    assert np.array_equal(result, expected)
    leftovers = sim.last_report().leftovers
    assert [(left.full_name, left.arrived, left.expected) for left in leftovers] == [
        ("empty[0]", 1, 2),
        ("empty[1]", 1, 2),
    ]


def test_bytes_that_never_come_deadlock(run_gemm):
    groups, text = blocked_by(run_gemm, 64, 64, 256, EXTRA_BYTES=16_384)
    consumer = groups["default"]
    assert (consumer.barrier, consumer.slot, consumer.bytes_missing) == ("full", 0, 16_384)
    assert "more bytes are expected on full[0]" in consumer.cause
    assert "16,384 of 32,768 bytes missing" in text
    assert "initial phase" not in groups["partition0"].cause


def test_the_seed_of_a_failing_schedule_is_named(run_gemm):
    with sim.simulating(seed=5, schedules=3), pytest.raises(sim.DeadlockError, match=r"\(seed 5\)") as caught:
        run_gemm(64, 64, 256, EMPTY_COUNT=2)
    assert caught.value.seed == 5


def test_a_result_read_before_its_wait_is_refused(run_gemm):
    with pytest.raises(sim.UnfinishedResult) as caught:
        run_gemm(64, 64, 64, WAIT_MMA=False)
    assert caught.value.location.line == line_of("c.store(acc")


def test_a_store_in_flight_at_the_end_is_refused(run_gemm):
    with pytest.raises(sim.EngineInFlight, match="tma_store of default") as caught:
        run_gemm(64, 64, 64, WAIT_STORE=False)
    assert caught.value.location.line == line_of("tma_store(c_desc")


def test_reading_before_the_data_is_there_is_found_in_some_schedule(run_gemm):
    with sim.simulating(schedules=20), pytest.raises(sim.UninitializedRead, match=r"[ab]\[0\]"):
        run_gemm(64, 64, 256, WAIT_FULL=False)


def test_a_slot_released_before_the_mma_is_overwritten_in_some_schedule(run_gemm):
    wrong = 0
    for seed in range(20):
        with sim.simulating(seed=seed):
            result, expected = run_gemm(64, 64, 512, EARLY_RELEASE=True)
        wrong += not np.array_equal(result, expected)
    assert wrong > 0


class Trace(sim.Observer):
    """Remembers the order of events."""

    def __init__(self):
        self.events = []

    def read(self, agent, view, op, cta):
        self.events.append(("read", agent.name, view.name))

    def write(self, agent, view, op, cta):
        self.events.append(("write", agent.name, view.name))

    def complete(self, barrier, phase):
        self.events.append(("complete", barrier.full_name, phase))


def test_a_seed_gives_the_same_events(run_gemm):
    def events(seed):
        observer = Trace()
        with sim.simulating(seed=seed, observer=observer):
            run_gemm(64, 64, 256)
        return observer.events

    assert events(3) == events(3)
    assert events(3) != events(4)


def test_an_observer_sees_who_touches_what(run_gemm):
    observer = Trace()
    with sim.simulating(observer=observer):
        run_gemm(64, 64, 64)
    assert ("write", "tma_load of partition0", "a[0]") in observer.events
    assert ("read", "mma of default", "a[0]") in observer.events
    assert ("read", "tma_store of default", "c") in observer.events
    assert observer.events.index(("complete", "full[0]", 0)) < observer.events.index(("read", "mma of default", "a[0]"))

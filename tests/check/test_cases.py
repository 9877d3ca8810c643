"""The cases C03 (deadlocks), C07 (a slot released before the dot has finished) and C09 (transaction bytes)."""

import time

import numpy as np
import pytest

from tests.check.gemms import line_of, run
from tlx.check import NOTE

SEEDS = range(10)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def found(name: str, findings) -> list:
    return [finding for finding in findings if finding.rule.name == name]


def check_values(c: np.ndarray) -> tuple[int, int, int, int]:
    """C[0,0], C[last,last], the sum and the weighted sum."""
    wide = c.astype(np.int64)
    weights = (31 * np.arange(128)[:, None] + 17 * np.arange(128)) % 97
    return int(wide[0, 0]), int(wide[-1, -1]), int(wide.sum()), int((wide * weights).sum())


# --- C03 ---


@each_seed
def test_c03a_an_arrival_that_never_comes(seed):
    findings, *_ = run(4 * 64, seed, empty_count=2)
    producer, consumer = sorted(found("deadlock", findings), key=lambda f: f.buffer)
    assert (producer.group, producer.buffer, producer.slot, producer.phase) == ("partition0", "empty", 0, 0)
    assert producer.message == ("partition0, iteration 2, waits for empty[0], parity 0: 0 phases done, 1 of 2 arrivals")
    assert producer.location.line == line_of("producer waits")
    assert (consumer.group, consumer.buffer, consumer.slot, consumer.phase) == ("default", "full", 0, 1)
    assert consumer.message == "default, iteration 2, waits for full[0], parity 1: 1 phase done, 0 of 1 arrivals"
    assert consumer.location.line == line_of("consumer waits")


@each_seed
def test_c03b_a_wrong_first_parity(seed):
    findings, *_ = run(4 * 64, seed, first_parity=0)
    blocked = found("deadlock", findings)
    assert {(f.group, f.buffer, f.slot, f.message.partition(",")[2][:12]) for f in blocked} == {
        ("partition0", "empty", 0, " iteration 0"),
        ("default", "full", 0, " iteration 0"),
    }
    assert any("the initial phase is wrong" in f.hint for f in blocked)


@each_seed
def test_c03c_the_same_with_two_iterations_is_a_warning(seed):
    findings, c, expected = run(2 * 64, seed, empty_count=2)
    assert np.array_equal(c, expected)
    (leftover,) = found("leftover-phase", findings)
    assert (leftover.severity, leftover.buffer) == ("warning", "empty")
    assert leftover.message == (
        "empty[0] ends inside phase 0: 1 of 2 arrivals; empty[1] ends inside phase 0: 1 of 2 arrivals"
    )
    assert [finding for finding in findings if finding.id.startswith("TLX-R")] == [leftover]


def test_c03_within_five_seconds():
    start = time.perf_counter()
    run(4 * 64, 0, empty_count=2)
    assert time.perf_counter() - start < 5


# --- C07 ---


@each_seed
def test_c07_a_slot_released_before_the_dot_has_finished(seed):
    findings, *_ = run(6 * 64, seed, release="early")
    races = found("race-read-write", findings)
    assert {(f.buffer, f.slot is not None, f.location.line, f.other_location.line) for f in races} == {
        ("a_ring", True, line_of("dot"), line_of("loads A")),
        ("b_ring", True, line_of("dot"), line_of("loads B")),
    }
    for race in races:
        assert (race.group, race.other_group) == ("the MMA of default", "the TMA load of partition0")
        assert (
            f"`barrier_arrive(empty[{race.slot}])` at line {line_of('early release')} precedes the wait for the MMA of "
            f"default that still reads {race.buffer}[{race.slot}]"
        ) in race.message
    assert len(findings) == len(races)


@each_seed
def test_c07_a_release_one_step_later_is_right(seed):
    findings, c, expected = run(6 * 64, seed, release="a step later")
    assert (
        [finding for finding in findings if finding.id.startswith("TLX-R")]
        == [
            # The last slot is never given back: the loop ends.
        ]
    )
    assert np.array_equal(c, expected)


# --- C09 ---


@each_seed
def test_c09a_the_bytes_of_both_tiles(seed):
    findings, c, expected = run(4 * 64, seed, bytes=32_768)
    assert [finding for finding in findings if finding.severity != NOTE] == []
    assert np.array_equal(c, expected)


@each_seed
def test_c09b_the_bytes_of_one_tile_let_a_phase_end_early(seed):
    findings, *_ = run(4 * 64, seed, bytes=16_384)
    early = found("early-arrival", findings)
    assert {f.buffer for f in early} == {"full"}
    races = found("race-read-write", findings)
    assert {f.buffer for f in races} <= {"a_ring", "b_ring"}
    assert races
    assert any("32,768" in f.message for f in found("expected-bytes", findings))


@each_seed
def test_c09c_more_bytes_than_come(seed):
    findings, *_ = run(4 * 64, seed, bytes=49_152)
    consumer = next(f for f in found("deadlock", findings) if f.group == "default")
    assert (consumer.buffer, consumer.slot) == ("full", 0)
    assert "16,384 of 49,152 bytes missing" in consumer.message


@each_seed
def test_c09d_a_partial_tile_counts_whole(seed):
    findings, c, _ = run(96, seed)
    assert [finding for finding in findings if finding.severity != NOTE] == []
    assert check_values(c) == (-7, 8, 20, 5623)


@each_seed
def test_c09e_tiles_of_two_types(seed):
    findings, c, expected = run(4 * 64, seed, a_dtype="float8_e5m2", bytes=8_192 + 16_384)
    assert [finding for finding in findings if finding.severity != NOTE] == []
    assert np.array_equal(c, expected)
    findings, *_ = run(4 * 64, seed, a_dtype="float8_e5m2", bytes=32_768)
    assert any("24,576" in f.message for f in found("expected-bytes", findings))
    assert (
        "8,192 of 32,768 bytes missing" in next(f for f in found("deadlock", findings) if f.group == "default").message
    )

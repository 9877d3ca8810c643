"""A ring: clean when it is right, wrong in every schedule when it is wrong."""

import pytest

from tests.check.rings import SLOT_BYTES, run

SEEDS = range(20)


def kinds(**setup) -> list[set[str]]:
    """The dynamic rules that each schedule finds broken, by name."""
    return [
        {finding.rule.name for finding in run(seed=seed, **setup)[0] if finding.id.startswith("TLX-R")}
        for seed in SEEDS
    ]


@pytest.mark.parametrize("consumers", [1, 2])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_right_ring_is_clean_for_every_number_of_trips(stages, consumers):
    for steps in range(1, 2 * stages + 2):
        for tiles in (1, 2, 3):
            findings, right = run(tiles, steps, stages=stages, consumers=consumers, schedules=3)
            assert right
            assert findings == []


# What every schedule finds. A wrong ring also breaks other rules in some of them.
FAULTS = {
    "a consumer arrives before it reads": (dict(ARRIVE_EARLY=True), {"race-read-write"}),
    "a consumer doesn't arrive": (dict(ARRIVE=False), {"deadlock"}),
    "a consumer doesn't wait": (dict(WAIT_FULL=False), {"missable-phase"}),
    "the producer doesn't wait": (dict(WAIT_EMPTY=False), {"early-arrival"}),
    "the producer waits for the wrong parity first": (dict(FIRST_PARITY=0), {"deadlock"}),
    "half the bytes": (dict(BYTES=SLOT_BYTES // 2), {"deadlock"}),
    "twice the bytes": (dict(BYTES=2 * SLOT_BYTES), {"deadlock"}),
    "an arrive count of two for one consumer": (dict(empty_count=2), {"deadlock"}),
    "an arrive count of one for two consumers": (dict(consumers=2, empty_count=1), {"early-arrival"}),
    "the phase restarts, 4 steps in 3 slots": (dict(RESET=True, steps=4, stages=3), {"stale-wait", "engine-in-flight"}),
    "the phase restarts, 5 steps in 3 slots": (dict(RESET=True, steps=5, stages=3), {"stale-wait", "engine-in-flight"}),
    "the phase restarts, 3 steps in 2 slots": (dict(RESET=True, steps=3, stages=2), {"stale-wait", "engine-in-flight"}),
    "the phase restarts, two consumers": (
        dict(RESET=True, steps=5, stages=3, consumers=2),
        {"stale-wait", "engine-in-flight"},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_in_every_schedule(fault):
    setup, expected = FAULTS[fault]
    assert [found for found in kinds(**setup) if not expected <= found] == []


@pytest.mark.parametrize(("steps", "stages"), [(1, 1), (2, 2), (3, 3), (1, 2)])
def test_a_restart_after_an_odd_number_of_rounds_is_wrong_in_every_schedule(steps, stages):
    """The producer may run ahead or not, so the rule that finds it differs."""
    for found in kinds(RESET=True, steps=steps, stages=stages):
        assert found & {"early-arrival", "stale-wait", "race-read-write"}


@pytest.mark.parametrize(("steps", "stages"), [(4, 2), (6, 3), (2, 1)])
def test_a_restart_after_an_even_number_of_rounds_is_right(steps, stages):
    assert kinds(RESET=True, steps=steps, stages=stages) == [set()] * len(SEEDS)


def test_waiting_twice_for_a_phase_is_no_mistake():
    assert kinds(FULL_TWICE=True) == [set()] * len(SEEDS)

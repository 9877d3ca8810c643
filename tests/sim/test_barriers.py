"""mbarriers, one PTX rule at a time."""

import pytest

from tests.sim.views import AGENT, PLAIN, view
from tlx.sim.agents import Observer
from tlx.sim.barriers import Barriers
from tlx.sim.errors import BarrierMisuse
from tlx.sim.memory import SharedMemory


@pytest.fixture
def make():
    """`make(count)` initialises barrier `full[0]`."""
    barriers = Barriers(SharedMemory(64, Observer()), Observer())
    return lambda count: barriers.initialize(AGENT, view((2, 1), "i64", PLAIN, name="full").index(0), count, None)


def test_a_new_barrier_has_passed_the_odd_phase_only(make):
    barrier = make(1)
    assert barrier.passed(1)
    assert not barrier.passed(0)


def test_a_parity_is_one_bit(make):
    with pytest.raises(BarrierMisuse, match=r"full\[0\]: parity 2 must be 0 or 1"):
        make(1).passed(2)


def test_a_phase_completes_with_its_last_arrival(make):
    barrier = make(2)
    barrier.arrive(AGENT, 1, None)
    assert (barrier.phases_done, barrier.arrived) == (0, 1)
    barrier.arrive(AGENT, 1, None)
    assert (barrier.phases_done, barrier.arrived) == (1, 0)
    assert barrier.passed(0)
    assert not barrier.passed(1)


def test_a_phase_needs_its_bytes_too(make):
    barrier = make(1)
    barrier.expect(AGENT, 100, None)
    barrier.land(AGENT, 60, None)
    assert (barrier.phases_done, barrier.bytes_missing, barrier.bytes_expected) == (0, 40, 100)
    barrier.land(AGENT, 40, None)
    assert (barrier.phases_done, barrier.bytes_missing, barrier.bytes_expected) == (1, 0, 0)


def test_bytes_may_land_before_they_are_expected(make):
    barrier = make(1)
    barrier.land(AGENT, 100, None)
    assert (barrier.phases_done, barrier.bytes_missing) == (0, -100)
    barrier.expect(AGENT, 100, None)
    assert barrier.phases_done == 1


def test_more_arrivals_than_the_phase_has_left_are_an_error(make):
    barrier = make(2)
    barrier.arrive(AGENT, 1, None)
    with pytest.raises(BarrierMisuse, match=r"full\[0\]: 2 arrivals when phase 0 has 1 of 2"):
        barrier.arrive(AGENT, 2, None)


def test_the_count_must_be_legal(make):
    with pytest.raises(BarrierMisuse, match="arrive count 0 must be in 1..1,048,575"):
        make(0)


def test_a_live_barrier_may_not_be_initialised_again(make):
    make(1)
    with pytest.raises(BarrierMisuse, match="still a live mbarrier"):
        make(1)


def test_a_barrier_knows_whether_it_is_inside_a_phase(make):
    barrier = make(2)
    assert not barrier.inside_phase
    barrier.arrive(AGENT, 1, None)
    assert barrier.inside_phase
    assert str(barrier.leftover()) == "full[0] ends inside phase 0: 1 of 2 arrivals"

"""Arrivals, bytes and phases of mbarriers, decided for every trip count or said to be undecided."""

import pytest

from tests.check.static.texts import (
    ALLOC_BAR,
    ALLOC_TILE,
    arrive,
    branch,
    check,
    expect,
    ids,
    index,
    init,
    load,
    loop,
    tasks,
    wait,
)

PARITY = "%parity = arith.andi %i, %c1 : i32\n"
TURNED = f"{PARITY}%turned = arith.xori %parity, %c1 : i32\n"
TILE_BYTES = 64 * 64 * 2


def handed_over(count: int, default: str, *others: str) -> str:
    return ALLOC_BAR + init(count) + tasks(default, *others)


# --- arrive counts and trips -----------------------------------------------------------------------------------------


def test_one_arrival_for_one_wait():
    assert ids(handed_over(1, wait("%c0"), arrive())) == []


def test_a_count_that_is_too_high_for_the_arrivals_of_a_loop():
    (finding,) = check(handed_over(2, loop(PARITY + wait("%parity")), loop(arrive())))
    assert finding.id == "TLX-S006"
    assert "a phase of bar takes 2 arrival(s), but 1 come for each wait of default (partition0 1 at line" in (
        finding.message
    )
    assert "it waits for ever once the loops run long enough" in finding.message
    assert finding.hint == "initialize bar with a count of 1"


def test_a_count_that_is_too_low_for_the_arrivals_of_two_tasks():
    (finding,) = check(handed_over(1, loop(PARITY + wait("%parity")), loop(arrive()), loop(arrive())))
    assert finding.id == "TLX-S006"
    assert "2 come for each wait of default" in finding.message
    assert "phases complete that it doesn't wait for" in finding.message
    assert finding.hint == "initialize bar with a count of 2"


def test_a_count_of_the_sum_of_both_tasks():
    assert ids(handed_over(2, loop(PARITY + wait("%parity")), loop(arrive()), loop(arrive()))) == []


def test_arrivals_in_all_trips_but_the_first_and_one_behind_the_loop():
    later = f"%later = arith.cmpi sgt, %i, %c0 : i32\nscf.if %later {{\n{arrive()}}}\n"
    last = f"%any = arith.cmpi sgt, %n, %c0 : i32\nscf.if %any {{\n{arrive()}}}\n"
    assert ids(handed_over(1, loop(PARITY + wait("%parity")), loop(later) + last)) == []
    (finding,) = check(handed_over(1, loop(PARITY + wait("%parity")), loop(later)))
    assert finding.id == "TLX-S007"
    (finding,) = check(handed_over(1, loop(PARITY + wait("%parity")), last))
    assert finding.id == "TLX-S007"


def test_loops_with_other_bounds_are_undecided():
    (finding,) = check(handed_over(1, loop(PARITY + wait("%parity")), loop(arrive(), "%other")))
    assert finding.id == "TLX-S000"
    assert "arrivals-and-waits (TLX-S007) is not decided" in finding.message


def test_a_condition_on_one_side_is_undecided():
    assert ids(handed_over(1, loop(PARITY + wait("%parity")), loop(branch(arrive())))) == ["TLX-S000"]


def test_the_same_condition_on_both_sides():
    assert ids(handed_over(1, loop(branch(PARITY + wait("%parity"))), loop(branch(arrive())))) == []


def test_waiting_twice_for_a_phase_counts_once():
    assert ids(handed_over(1, loop(PARITY + wait("%parity") + wait("%parity")), loop(arrive()))) == []


def test_tasks_that_take_turns_at_the_phases_of_a_barrier():
    """Each waits for every second phase, which the other's arrival completes: phases of one parity are its own."""
    first, second = loop(wait("%c1") + arrive()), loop(wait("%c0") + arrive(), "%other")
    assert ids(handed_over(1, first, second)) == ["TLX-S000", "TLX-S000"]
    (finding,) = check(handed_over(1, first, loop(wait("%c0") + arrive() + arrive(), "%other")))
    assert finding.id == "TLX-S007"
    assert "phases complete that it doesn't wait for" in finding.message


def nested(inner: str, trips: str) -> str:
    return f"scf.for %t = %c0 to %n step %c1 : i32 {{\n{loop(inner, trips)}}}\n"


def test_a_phase_that_starts_anew_in_each_tile():
    """Right after an even number of phases of one barrier."""
    for trips, rules in (("%c1", ["TLX-S007"]), ("%c2", []), ("%other", ["TLX-S000"])):
        body = handed_over(1, nested(PARITY + wait("%parity"), trips), nested(arrive(), trips))
        assert ids(body) == rules
    (finding,) = check(handed_over(1, nested(PARITY + wait("%parity"), "%c1"), nested(arrive(), "%c1")))
    assert "start anew in each trip of an outer loop, after 1 phases" in finding.message
    assert finding.hint == "count the uses of the ring on through the outer loop"


def test_a_phase_that_does_not_advance_in_the_inner_loop_counts_once():
    inner = f"scf.for %j = %c0 to %other step %c1 : i32 {{\n{wait('%parity')}}}\n"
    assert ids(handed_over(1, loop(PARITY + inner), loop(arrive()))) == ["TLX-S000"]
    assert ids(handed_over(1, loop(PARITY + wait("%parity") + inner), loop(arrive()))) == []


BARS = "%bars = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #plain, #smem, mutable>\n"
BARS += index("%first", "%bars", "%c0") + index("%second", "%bars", "%c1")
SLOT = "%slot = arith.remsi %i, %c2 : i32\n%round = arith.divsi %i, %c2 : i32\n"
SLOT += "%parity = arith.andi %round, %c1 : i32\n" + index("%bar", "%bars", "%slot")


def ring_of_bars(inits: str, signal: str = arrive()) -> str:
    return BARS + inits + tasks(loop(SLOT + wait("%parity")), loop(SLOT + signal))


def test_a_slot_with_another_count_than_the_arrivals_match():
    assert ids(ring_of_bars(init(1, "%first") + init(1, "%second"))) == []
    (finding,) = check(ring_of_bars(init(1, "%first") + init(2, "%second")))
    assert (finding.id, finding.slot) == ("TLX-S006", 1)
    assert "a phase of bars[1] takes 2 arrival(s), but 1 come for each wait" in finding.message


def test_slots_with_other_counts_where_nothing_tells_the_right_one_are_undecided():
    assert ids(ring_of_bars(init(1, "%first") + init(2, "%second"), branch(arrive()))) == ["TLX-S000"]


def test_a_slot_without_initialization():
    (finding,) = check(ring_of_bars(init(1, "%first")))
    assert (finding.id, finding.slot, finding.message) == ("TLX-S010", 1, "bars[1] is never initialized")


# --- first waits -----------------------------------------------------------------------------------------------------


def test_two_tasks_that_wait_for_each_other_first():
    body = ALLOC_BAR + init(1) + ALLOC_BAR.replace("%bar", "%back") + init(1, "%back")
    ahead = loop(TURNED + wait("%turned", "%back") + arrive())
    answer = loop(PARITY + wait("%parity") + arrive("%back"))
    assert ids(body + tasks(ahead, answer)) == []
    stuck = loop(PARITY + wait("%parity", "%back") + arrive())
    (finding,) = check(body + tasks(stuck, answer))
    assert finding.id == "TLX-S011"
    assert "default waits for back, parity 0, with 0 of 1 arrivals; partition0 for bar, parity 0" in finding.message
    assert "let the first wait for back use parity 1" in finding.hint


def test_an_arrival_under_an_unknown_condition_may_come():
    assert "TLX-S011" not in ids(handed_over(1, wait("%c0"), branch(arrive())))


def test_an_arrival_in_a_later_trip_may_come():
    later = f"%later = arith.cmpi sgt, %i, %c2 : i32\nscf.if %later {{\n{arrive()}}}\n"
    assert "TLX-S011" not in ids(handed_over(1, wait("%c0"), loop(later)))


def test_a_loop_of_known_length_is_walked_to_its_end():
    assert "TLX-S011" in ids(handed_over(3, wait("%c0"), loop(arrive(), "%c2")))
    assert ids(handed_over(2, wait("%c0"), loop(arrive(), "%c2"))) == []


# --- signals ---------------------------------------------------------------------------------------------------------


def test_a_barrier_without_initialization():
    (finding,) = check(ALLOC_BAR + tasks(wait("%c0"), arrive()))
    assert (finding.id, finding.message) == ("TLX-S010", "bar is never initialized")


def test_a_barrier_nobody_arrives_on():
    (finding,) = check(handed_over(1, wait("%c0"), ""))
    assert (finding.id, finding.message) == ("TLX-S010", "default waits for bar, and no task arrives on it")


def test_a_barrier_nobody_waits_for():
    (finding,) = check(handed_over(1, "", arrive()))
    assert (finding.id, finding.severity) == ("TLX-S013", "warning")
    assert finding.message == "partition0 signals bar, and no task waits for it"


def test_a_barrier_that_cannot_be_followed_is_undecided():
    two = ALLOC_BAR + ALLOC_BAR.replace("%bar", "%or")
    choice = "%one = arith.select %flag, %bar, %or : !ttg.memdesc<1xi64, #plain, #smem, mutable>\n"
    assert ids(two + init(1) + init(1, "%or") + choice + tasks(wait("%c0", "%one"), arrive())) == ["TLX-S000"]


# --- expected bytes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "outcome"),
    [
        (2 * TILE_BYTES, None),
        (TILE_BYTES, "bar expects 8,192 B, but the copies bring 8,192 + 8,192 = 16,384 B: a phase may complete before"),
        (3 * TILE_BYTES, "bar expects 24,576 B, but the copies bring 8,192 + 8,192 = 16,384 B: a wait for it never"),
    ],
)
def test_two_copies_on_one_barrier(size, outcome):
    producer = loop(expect(size) + load() + load())
    findings = check(ALLOC_TILE + handed_over(1, loop(PARITY + wait("%parity")), producer))
    assert [finding.id for finding in findings] == (["TLX-S005"] if outcome else [])
    if outcome:
        assert findings[0].message.startswith(outcome)
        assert findings[0].hint == "expect 16,384 B"


def test_bytes_expected_once_for_the_copies_of_a_loop():
    body = ALLOC_TILE + handed_over(1, wait("%c0"), expect(2 * TILE_BYTES) + loop(load(), "%c2"))
    assert ids(body) == []


def test_a_copy_under_the_condition_of_its_expectation():
    producer = loop(expect(TILE_BYTES, predicate="%flag") + load(predicate="%flag"))
    body = ALLOC_TILE + handed_over(1, loop(branch(PARITY + wait("%parity"))), producer)
    assert ids(body) == []


def test_a_conditional_copy_that_is_always_expected_waits_for_ever_where_it_is_left_out():
    producer = loop(expect(TILE_BYTES) + load(predicate="%flag"))
    body = ALLOC_TILE + handed_over(1, loop(PARITY + wait("%parity")), producer)
    assert ids(body) == ["TLX-S000"]


def test_bytes_that_nobody_expects():
    findings = check(ALLOC_TILE + handed_over(1, wait("%c0"), load()))
    assert [finding.id for finding in findings] == ["TLX-S010", "TLX-S005"]
    assert "bytes alone complete no phase" in findings[0].message

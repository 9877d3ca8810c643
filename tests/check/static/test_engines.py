"""MMAs and TMA stores: results, buffers and fences on every path through branches and loops."""

import pytest

from tests.check.static.texts import (
    ACC,
    ALLOC_TILE,
    ALLOC_TILES,
    FENCE,
    branch,
    check,
    ids,
    index,
    local_store,
    loop,
    mma,
    mma_wait,
    store_wait,
    tma_store,
    use,
)

# --- results of MMAs -------------------------------------------------------------------------------------------------


def test_a_result_used_before_its_wait():
    (finding,) = check(ALLOC_TILE + mma("%acc") + use("%acc"))
    assert finding.id == "TLX-S008"
    assert finding.message == "`arith.truncf` reads the result of an async MMA that may still be in flight"


def test_a_result_used_after_its_wait():
    assert ids(ALLOC_TILE + mma("%acc") + mma_wait("%done", "%acc", 0) + use("%done")) == []


def test_a_wait_that_leaves_the_mma_in_flight():
    assert ids(ALLOC_TILE + mma("%acc") + mma_wait("%done", "%acc", 1) + use("%done")) == ["TLX-S008"]


def test_a_wait_that_leaves_only_the_next_mma_in_flight():
    two = mma("%acc") + mma("%next") + mma_wait("%done", "%acc", 1) + use("%done")
    assert ids(ALLOC_TILE + two + mma_wait("%end", "%next", 0)) == []


def carried(body: str, yielded: str) -> str:
    return (
        f"%last = scf.for %i = %c0 to %n step %c1 iter_args(%carry = %zeros) -> ({ACC}) : i32 {{\n{body}"
        f"scf.yield {yielded} : {ACC}\n}}\n"
    )


def test_a_result_carried_to_the_next_trip_as_accumulator():
    loop_of_mmas = carried(mma("%acc", "%carry") + mma_wait("%done", "%acc", 1), "%done")
    assert ids(ALLOC_TILE + loop_of_mmas + mma_wait("%end", "%last", 0) + use("%end")) == []
    assert ids(ALLOC_TILE + loop_of_mmas + use("%last")) == ["TLX-S008"]


def test_a_result_used_in_the_next_trip():
    body = use("%carry") + mma("%acc", "%carry") + mma_wait("%done", "%acc", 1)
    assert ids(ALLOC_TILE + carried(body, "%done")) == ["TLX-S008"]


def test_a_wait_in_one_branch_only():
    waits, hands_on = mma_wait("%done", "%acc", 0) + f"scf.yield %done : {ACC}\n", f"scf.yield %acc : {ACC}\n"

    def choice(then: str, otherwise: str) -> str:
        return f"%one = scf.if %flag -> ({ACC}) {{\n{then}}} else {{\n{otherwise}}}\n"

    assert ids(ALLOC_TILE + mma("%acc") + choice(waits, hands_on) + use("%one")) == ["TLX-S008"]
    assert ids(ALLOC_TILE + mma("%acc") + choice(waits, waits) + use("%one")) == []


# --- staging of TMA stores -------------------------------------------------------------------------------------------

SLOT = "%slot = arith.remsi %i, %c2 : i32\n" + index("%tile", "%tiles", "%slot")


def refilled(pendings: int) -> str:
    return loop(SLOT + store_wait(pendings) + local_store() + FENCE + tma_store()) + store_wait(0)


@pytest.mark.parametrize(("pendings", "found"), [(0, []), (1, []), (2, ["TLX-S009"])])
def test_a_ring_of_two_staging_buffers(pendings, found):
    assert ids(ALLOC_TILES + refilled(pendings)) == found


def test_one_staging_buffer():
    trip = local_store() + FENCE + tma_store()
    assert ids(ALLOC_TILE + loop(store_wait(0) + trip) + store_wait(0)) == []
    assert ids(ALLOC_TILE + loop(trip + store_wait(0))) == []
    (finding,) = check(ALLOC_TILE + loop(trip) + store_wait(0))
    assert finding.id == "TLX-S009"
    assert "tile is written while the TMA store before may still read it" in finding.message


def test_a_wait_in_one_branch_only_does_not_cover_the_store():
    trip = branch(store_wait(0)) + local_store() + FENCE + tma_store()
    assert ids(ALLOC_TILE + loop(trip) + store_wait(0)) == ["TLX-S009"]


def test_a_slot_that_is_not_known_is_undecided():
    views = index("%tile", "%tiles", "%n") + index("%some", "%tiles", "%other")
    assert ids(ALLOC_TILES + views + tma_store() + local_store("%some") + store_wait(0)) == ["TLX-S000"]


def test_a_store_that_outlives_the_kernel():
    (finding,) = check(ALLOC_TILE + local_store() + FENCE + tma_store())
    assert finding.id == "TLX-S014"
    assert finding.message == "default may end while its TMA store still reads tile"


# --- proxy fences ----------------------------------------------------------------------------------------------------


def test_a_tma_store_without_a_fence():
    (finding,) = check(ALLOC_TILE + local_store() + tma_store() + store_wait(0))
    assert finding.id == "TLX-S012"
    assert finding.message == "an engine reads tile, and no proxy fence lies between the store before and it"
    assert ids(ALLOC_TILE + local_store() + FENCE + tma_store() + store_wait(0)) == []


def test_a_fence_behind_the_tma_store_is_too_late():
    trip = local_store() + tma_store() + FENCE + store_wait(0)
    assert ids(ALLOC_TILE + trip) == ["TLX-S012"]


def test_an_mma_without_a_fence():
    body = local_store() + "{fence}" + mma("%acc") + mma_wait("%done", "%acc", 0)
    assert ids(ALLOC_TILE + body.replace("{fence}", "")) == ["TLX-S012"]
    assert ids(ALLOC_TILE + body.replace("{fence}", FENCE)) == []


def test_a_fence_ahead_of_the_loop_does_not_cover_its_stores():
    trip = local_store() + mma("%acc") + mma_wait("%done", "%acc", 0)
    assert ids(ALLOC_TILE + FENCE + loop(trip)) == ["TLX-S012"]


def test_stores_to_another_slot_need_no_fence():
    views = index("%tile", "%tiles", "%c0") + index("%some", "%tiles", "%c1")
    assert ids(ALLOC_TILES + views + local_store("%some") + tma_store() + store_wait(0)) == []

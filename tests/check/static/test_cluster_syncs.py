"""Syncs of the cluster that some of its warps never come to."""

from tests.check.static.texts import ALLOC_BAR, check, ids, init, loop, tasks

SYNC = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}\n"
BUSY = "%three = arith.constant 3 : i32\n"


def test_a_sync_in_every_task():
    assert ids(tasks(SYNC, SYNC)) == []


def test_a_sync_without_tasks():
    assert ids(SYNC) == []


def test_a_sync_outside_of_the_tasks():
    (finding,) = check(SYNC + tasks("", BUSY))
    assert finding.id == "TLX-S015"
    assert finding.message.startswith("the cluster is synced outside of the tasks, where the warps of the tasks never")


def test_a_task_that_never_syncs():
    (finding,) = check(tasks(SYNC, BUSY))
    assert (finding.id, finding.group) == ("TLX-S015", "default")
    assert finding.message == "default syncs the cluster and partition0 never: everyone waits for ever"


def test_a_default_task_that_never_syncs():
    (finding,) = check(tasks("", SYNC))
    assert finding.message == "partition0 syncs the cluster and default never: everyone waits for ever"


def test_warps_that_fill_up_a_warp_group():
    (finding,) = check(tasks(SYNC, SYNC, ""))
    assert "partition1, warps that only fill up a warp group, never syncs the cluster" in finding.message
    assert finding.hint == "give each task a multiple of 4 warps, or add tasks that only sync"


def test_another_number_of_syncs():
    (finding,) = check(tasks(SYNC + SYNC, SYNC))
    assert finding.message.startswith("default syncs the cluster and partition0 another number of times:")


def test_syncs_in_loops():
    assert ids(tasks(loop(SYNC), loop(SYNC))) == []
    (note,) = check(tasks(loop(SYNC), loop(SYNC, bound="%other")))
    assert (note.id, note.group) == ("TLX-S000", "partition0")


def test_barriers_that_other_ctas_reach_are_left_to_the_run():
    address = "%address = tti.experimental_memdesc_to_i32 %bar : !ttg.memdesc<1xi64, #plain, #smem, mutable>\n"
    waits = "ttng.wait_barrier %bar, %c0, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>\n"
    mapa = (
        '%there = tt.elementwise_inline_asm "mapa.shared::cluster.u32 $0, $1, $2;" {constraints = "=r,r,r", '
        "packed_element = 1 : i32, pure = true} %address, %c1 : i32, i32 -> i32\n"
    )
    assert ids(ALLOC_BAR + init(1) + waits) == ["TLX-S010"]
    assert ids(ALLOC_BAR + init(1) + address + mapa + waits) == ["TLX-S000"]


def test_warps_of_another_set_of_tasks():
    (finding,) = check(tasks(SYNC, SYNC), total_warps=8)
    assert finding.message == "3 warps run none of the tasks and never sync the cluster: everyone waits for ever"

"""Clusters, as TTGIR spells them."""

from dataclasses import replace

import pytest
from triton.backends.compiler import GPUTarget

from tests.sim.cluster_text import (
    ARRIVE,
    BUFFERS,
    COPY,
    ELECT,
    EXPECT,
    FILL,
    LOAD,
    STORE,
    STORE_ASYNC,
    SYNC,
    TILE,
    WAIT,
    launch,
    mapped,
    on_first,
    on_second,
    ptx,
    run,
)
from tlx import sim
from tlx.language.cluster_ptx import ARRIVE_REMOTE_PTX, COPY_REMOTE_PTX, MAPA_PTX
from tlx.sim.device import HOPPER
from tlx.sim.launch import Launch
from tlx.sim.program import code_of_file
from tlx.sim.report import Report

SEEDS = range(8)
each_seed = pytest.mark.parametrize("seed", SEEDS)

READY = BUFFERS + SYNC + mapped() + ELECT
RANGE = list(range(64))


# --- places ----------------------------------------------------------------------------------------------------------


def test_clusters_lie_along_x_for_the_hardware_and_in_their_shape_for_the_user():
    ctas = run("", x=2, y=2, grid=(2, 1, 1)).ctas
    places = {cta.ctaid: (cta.rank, cta.program_id) for cta in ctas}
    assert places == {
        (0, 0, 0): (0, (0, 0, 0)),
        (1, 0, 0): (1, (1, 0, 0)),
        (2, 0, 0): (2, (0, 1, 0)),
        (3, 0, 0): (3, (1, 1, 0)),
        (4, 0, 0): (0, (2, 0, 0)),
        (5, 0, 0): (1, (3, 0, 0)),
        (6, 0, 0): (2, (2, 1, 0)),
        (7, 0, 0): (3, (3, 1, 0)),
    }


def test_program_ids_and_counts_are_the_hardwares():
    run(
        """
    %x = tt.get_program_id x : i32
    %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %place = arith.remsi %x, %size : i32
    %same = arith.cmpi eq, %place, %rank : i32
    tt.assert %same, "rank" : i1
    %count = tt.get_num_programs x : i32
    %c6 = arith.constant 6 : i32
    %six = arith.cmpi eq, %count, %c6 : i32
    tt.assert %six, "count" : i1
    """,
        grid=(3, 1, 1),
    )


def test_a_cluster_is_resident_as_a_whole():
    class Residents(sim.Observer):
        most = 0

        def start_cta(self, cta):
            self.most = max(self.most, len(cta.launch.resident))

    residents = Residents()
    launch("", residents, grid=(4, 1, 1), device=replace(HOPPER, multiprocessors=5)).run()
    assert residents.most == 4


def test_a_report_counts_programs():
    ended = launch("", sim.Observer(), x=2, y=2, grid=(3, 1, 2))
    ended.run()
    assert Report.of(ended).grid == (6, 2, 2)


# --- the cluster's barrier -------------------------------------------------------------------------------------------


@each_seed
def test_nobody_passes_the_barrier_before_all_have_come(seed):
    run(f"{BUFFERS} {FILL} {SYNC} {SYNC} {LOAD}", seed=seed)


def tasks(default: str, partition: str, warps: int = 4, before: str = "") -> str:
    return f"""
    {before}
    ttg.warp_specialize() attributes {{warpGroupStartIds = array<i32: 4>}}
    default {{
      {default}
      ttg.warp_yield
    }}
    partition0() num_warps({warps}) {{
      {partition}
      ttg.warp_return
    }} : () -> ()
    """


def test_every_task_must_come():
    run(tasks(SYNC, SYNC), warps=8)
    with pytest.raises(sim.DeadlockError) as error:
        run(tasks(SYNC, ""), warps=8)
    (first, second) = error.value.blocked
    assert (first.who, second.who) == ("default of CTA 0 of the cluster", "default of CTA 1 of the cluster")
    assert first.waits_for == "the cluster barrier: 8 of 16 warps have come in phase 0"
    assert (
        "in CTAs 0, 1 of the cluster partition0 (4 warp(s) that only fill up a warp group) never comes" in first.cause
    )


def test_a_task_that_has_done_something_else_is_missed_too():
    with pytest.raises(sim.DeadlockError) as error:
        run(tasks(SYNC, "%three = arith.constant 3 : i32"), warps=8)
    assert "partition0 has ended without coming: every task must come to every sync" in error.value.blocked[0].cause


def test_warps_that_run_no_task_never_come():
    with pytest.raises(sim.DeadlockError) as error:
        run(tasks(SYNC, SYNC, warps=1), warps=8)
    assert "3 warp(s) wait for tasks to start" in error.value.blocked[0].cause
    with pytest.raises(sim.DeadlockError) as error:
        run(tasks("", "", before=SYNC), warps=8)
    assert "4 warp(s) wait for tasks to start: outside of the tasks nobody may sync" in error.value.blocked[0].cause


MODULE = """
module attributes {"ttg.cluster-dim-x" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    ttg.warp_specialize()
    default {
      SYNC
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      SYNC
      ttg.warp_return
    }
    FILLERS
    : () -> ()
    tt.return
  }
}
"""
FILLERS = """
    partition1() num_warps(2) {
      SYNC
      ttg.warp_return
    }
    partition2() num_warps(1) {
      SYNC
      ttg.warp_return
    }
"""


@pytest.mark.parametrize("filled", [True, False])
def test_triton_fills_up_warp_groups_with_warps_that_never_come(filled, tmp_path):
    path = tmp_path / "kernel.ttgir"
    path.write_text(MODULE.replace("FILLERS", FILLERS if filled else "").replace("SYNC", SYNC))
    code = code_of_file(str(path), GPUTarget("cuda", 90, 32))
    assert (code.num_warps, code.total_warps) == (4, 8)
    started = Launch(code, (1, 1, 1), (), (), HOPPER, 0, sim.Observer())
    if filled:
        started.run()
        return
    with pytest.raises(sim.DeadlockError) as error:
        started.run()
    cause = error.value.blocked[0].cause
    assert "partition1 (2 warp(s) that only fill up a warp group) never comes" in cause
    assert "partition2 (1 warp(s) that only fill up a warp group) never comes" in cause


def test_warps_that_have_exited_count_as_having_come():
    run(on_first(SYNC))


def test_arrivals_and_waits_alternate():
    arrive, wait = SYNC.strip().splitlines()
    with pytest.raises(sim.BarrierMisuse, match="arrives at the cluster barrier twice without a wait"):
        run(arrive + "\n" + arrive)
    with pytest.raises(sim.BarrierMisuse, match="waits at the cluster barrier without having arrived"):
        run(wait)


# --- what reaches other CTAs -----------------------------------------------------------------------------------------


@each_seed
def test_an_arrival_on_a_peers_barrier(seed):
    run(READY + ARRIVE + WAIT, seed=seed)
    with pytest.raises(sim.DeadlockError, match="bar, parity 0: 0 phases done, 0 of 1 arrivals") as error:
        run(READY + WAIT, seed=seed)
    assert "nothing in the kernel arrives on bar" not in str(error.value)  # its address is taken


def test_a_predicate_that_all_threads_share_arrives_for_each_of_them():
    with pytest.raises(sim.BarrierMisuse, match="bar: 128 arrivals when phase 0 has 0 of 1"):
        run(READY + ptx("arrived", ARRIVE_REMOTE_PTX, "%bar_there", "%c1", "%c1") + WAIT)


@each_seed
def test_a_store_to_a_peer(seed):
    watch = run(READY + STORE + SYNC + LOAD, seed=seed)
    assert watch.tile(0) == watch.tile(1) == RANGE


@each_seed
def test_an_async_store_to_a_peer(seed):
    watch = run(READY + EXPECT + STORE_ASYNC + WAIT + LOAD, seed=seed)
    assert watch.tile(0) == watch.tile(1) == RANGE


@each_seed
def test_a_copy_to_a_peer(seed):
    watch = run(READY + on_first(FILL + COPY) + on_second(EXPECT + WAIT + LOAD) + SYNC, seed=seed)
    assert watch.tile(0) == watch.tile(1) == RANGE


def test_bytes_expected_by_one_cta_only():
    with pytest.raises(sim.DeadlockError) as error:
        run(READY + on_first(EXPECT) + STORE_ASYNC + WAIT)
    (blocked,) = error.value.blocked
    assert blocked.who == "default of CTA 1 of the cluster"
    assert blocked.program_id == (1, 0, 0)
    assert blocked.bytes_missing == -256


def test_bytes_land_on_a_barrier_of_the_cta_that_is_written():
    store = STORE_ASYNC.replace("tt.splat %bar_there", "tt.splat %bar_here")
    with pytest.raises(sim.BarrierMisuse, match="bar of CTA . of the cluster can't count bytes written to CTA ."):
        run(READY + EXPECT + store + WAIT)


def test_a_copy_is_of_whole_16_bytes():
    copy = ptx("copied", COPY_REMOTE_PTX, "%tile_there", "%tile_here", "%c4", "%bar_there", "%one")
    with pytest.raises(sim.MisalignedAccess, match="a bulk copy of 4 B"):
        run(READY + FILL + copy)


def moved(offset: str) -> str:
    """The store, some bytes behind the tile's start."""
    start = f"%start = arith.addi %tile_there, {offset} : i32\n"
    return start + STORE.replace("tt.splat %tile_there", "tt.splat %start")


def test_a_store_is_at_a_multiple_of_its_size():
    with pytest.raises(sim.MisalignedAccess, match="stores of 4 B to shared memory must be at multiples of 4"):
        run(READY + moved("%c2"))


def test_a_store_stays_in_its_buffer():
    with pytest.raises(sim.BufferBoundsError, match="no buffer holds the 256 B from shared address 4 on"):
        run(READY + moved("%c4"))


# --- CTAs that aren't there ------------------------------------------------------------------------------------------


def test_the_address_of_a_slice_is_that_of_its_first_element():
    part = "!ttg.memdesc<32xi32, #plain, #smem, mutable, 64>"
    watch = run(
        READY
        + f"""
    %half = ttg.memdesc_subslice %tile[32] : {TILE} -> {part}
    %half_here = tti.experimental_memdesc_to_i32 %half : {part}
    """
        + on_first(FILL + COPY.replace("%tile_here", "%half_here").replace("constant 256", "constant 128"))
        + on_second(EXPECT.replace("256", "128") + WAIT)
        + SYNC
    )
    assert watch.tile(1)[:32] == RANGE[32:]


def test_a_rank_that_the_cluster_does_not_have():
    with pytest.raises(sim.NoSuchPeer, match=r"CTA 2 of a cluster of 2: ranks are 0 to 1"):
        run(BUFFERS + ptx("there", MAPA_PTX, "%tile_here", "%c2"))


def error_of(body: str, seed: int) -> str:
    try:
        run(body, seed=seed)
    except sim.SimulationError as error:
        return type(error).__name__
    return ""


def test_a_peer_that_has_not_started():
    assert "PeerNotReady" in {error_of(BUFFERS + mapped() + ELECT + ARRIVE + WAIT, seed) for seed in SEEDS}


def test_a_peer_that_has_ended():
    body = READY + on_first(STORE)
    assert {error_of(body, seed) for seed in range(30)} == {"", "PeerGone"}

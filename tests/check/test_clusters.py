"""What the checks know of clusters, whatever the schedule: order between CTAs, and CTAs that aren't there."""

import pytest

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
    WAIT,
    launch,
    mapped,
    on_first,
    on_second,
)
from tlx.check.checker import Checker
from tlx.check.findings import Finding
from tlx.sim.launch import simulate

SEEDS = range(12)
pytestmark = pytest.mark.filterwarnings("ignore::tlx.sim.SimulationWarning")  # leftover phases are findings here

PEERS = mapped() + ELECT
READY = BUFFERS + SYNC + PEERS
FENCE = '"ttng.fence_async_shared"() {bCluster = false} : () -> ()\n'


def findings(body: str, seed: int, **options) -> list[Finding]:
    checker = Checker()
    simulate(lambda seed: launch(body, checker, seed=seed, **options), range(seed, seed + 1))
    return checker.findings


def found(body: str, **options) -> set[str]:
    """The rules broken in every schedule; None among them if it depends on the schedule."""
    sets = {frozenset(f.rule.name for f in findings(body, seed, **options)) for seed in SEEDS}
    (rules,) = sets
    return set(rules)


def found_always(body: str) -> set[str]:
    """The rules broken in every schedule, of those that are broken in some."""
    return set.intersection(*({f.rule.name for f in findings(body, seed)} for seed in SEEDS))


# --- right kernels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        READY + ARRIVE + WAIT + SYNC,
        READY + STORE + SYNC + LOAD,
        READY + EXPECT + STORE_ASYNC + WAIT + LOAD,
        READY + on_first(FILL + FENCE + COPY) + on_second(EXPECT + WAIT + LOAD) + SYNC,
        READY + STORE + ARRIVE + WAIT + LOAD + SYNC,
    ],
    ids=["arrival", "store and sync", "async store", "copy", "store and arrival"],
)
def test_nothing_is_found_in_a_right_kernel(body):
    assert found(body) == set()


# --- peers that aren't ready -----------------------------------------------------------------------------------------


def test_an_arrival_before_the_sync():
    assert "peer-not-ready" in found_always(BUFFERS + PEERS + ARRIVE + WAIT + SYNC)


def test_a_store_before_the_sync():
    body = BUFFERS + PEERS + STORE + SYNC + LOAD
    assert "peer-not-ready" in found_always(body)
    (finding,) = {f.message for f in findings(body, 1) if f.rule.name == "peer-not-ready"}
    assert "remote_shmem_store(tile)` of default of CTA" in finding
    assert "isn't ordered after the start of that CTA" in finding


def test_barriers_that_no_fence_has_published():
    body = READY.replace("nvvm.fence.mbarrier.init", "") + ARRIVE + WAIT + SYNC
    assert found(body) == {"peer-not-ready"}
    assert "no fence has made known to the cluster" in findings(body, 0)[0].message


def test_a_fence_before_the_initialisation_publishes_nothing():
    early = READY.replace("nvvm.fence.mbarrier.init", "").replace("%tile =", "nvvm.fence.mbarrier.init\n %tile =", 1)
    assert found(early + ARRIVE + WAIT + SYNC) == {"peer-not-ready"}


# --- peers that may have ended ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        READY + on_first(STORE),
        READY + on_first(ARRIVE),
        READY + STORE + ARRIVE,
        READY + on_first(FILL + FENCE + COPY) + on_second(EXPECT + WAIT + LOAD),
    ],
    ids=["store", "arrival", "store and arrival that nobody waits for", "source of a copy"],
)
def test_an_access_that_the_end_of_the_peer_does_not_wait_for(body):
    assert "peer-gone" in found_always(body)


def test_bytes_that_nobody_waits_for():
    assert "peer-gone" in found_always(READY + EXPECT + STORE_ASYNC)


def test_a_sync_before_the_end_is_enough():
    assert "peer-gone" not in found(READY + on_first(STORE) + SYNC)


# --- races between CTAs ----------------------------------------------------------------------------------------------


def test_a_peers_store_races_with_a_read():
    (finding,) = findings(READY + FILL + SYNC + STORE + LOAD + SYNC, 0)
    assert finding.rule.name == "race-read-write"
    assert "the read of tile by default of CTA" in finding.message
    assert found(READY + FILL + SYNC + STORE + LOAD + SYNC) == {"race-read-write"}
    assert found(READY + FILL + SYNC + STORE + SYNC + LOAD) == set()


def test_an_async_store_is_seen_after_its_barrier():
    assert found(READY + EXPECT + STORE_ASYNC + LOAD + WAIT) == {"race-read-write"}


def test_a_copy_of_what_was_stored_needs_a_proxy_fence():
    unfenced = READY + on_first(FILL + COPY) + on_second(EXPECT + WAIT + LOAD) + SYNC
    assert found(unfenced) == {"missing-proxy-fence"}
    fenced_by_the_reader = READY + STORE + SYNC + on_first(FENCE + COPY) + on_second(EXPECT + WAIT) + SYNC
    assert found(fenced_by_the_reader) == set()
    assert found(fenced_by_the_reader.replace(FENCE, "")) == {"missing-proxy-fence"}


def test_syncs_in_a_loop_keep_step():
    loop = "scf.for %i = %c0 to %c4 step %c1 : i32 {{\n{}\n}}\n"
    assert found(READY + loop.format(STORE + SYNC + LOAD + SYNC)) == set()
    assert found(READY + loop.format(STORE + SYNC + LOAD)) == {"race-read-write"}


# --- deadlocks -------------------------------------------------------------------------------------------------------


def test_bytes_expected_by_one_cta_only():
    body = READY + on_first(EXPECT) + STORE_ASYNC + WAIT
    assert "deadlock" in found_always(body)
    (finding,) = [f for f in findings(body, 0) if f.rule.name == "deadlock"]
    assert finding.message.startswith("default of CTA 1 of the cluster, iteration 0, waits for bar")


def test_a_sync_that_one_cta_leaves_out():
    body = BUFFERS + on_first(SYNC) + WAIT
    (first, second) = sorted(f.message for f in findings(body, 0) if f.rule.name == "deadlock")
    assert first.startswith("default of CTA 0 of the cluster, iteration 0, waits for the cluster barrier: 4 of 8 warps")
    assert second.startswith("default of CTA 1 of the cluster, iteration 0, waits for bar")


def test_a_rank_that_the_cluster_does_not_have():
    assert found(READY.replace("%peer", "%c2")) == {"out-of-bounds"}

"""The fence at the cluster's scope stands between what a task stores and its next arrival at a peer, and outside the
loops that only say that a slot is free."""

import triton
import triton.language as tl

import tlx
from tlx.ir import Region, parse
from tlx.language.cluster_ptx import ARRIVE_REMOTE_PTX
from tlx.language.fences import MEMORY_FENCES

TEXTS = {MEMORY_FENCES["cluster"]: "fence", ARRIVE_REMOTE_PTX: "arrive"}


def places(kernel, **signature: str) -> list[tuple[str, int]]:
    """The fences and arrivals of a kernel in order, each with the number of loops around it."""
    module = parse(tlx.compile(kernel, signature, ctas_per_cga=(2, 1, 1)).asm["ttgir"])

    def walk(region: Region, loops: int):
        for op in (op for block in region.blocks for op in block.ops):
            if op.name == "tt.elementwise_inline_asm" and op.attributes["asm_string"] in TEXTS:
                yield TEXTS[op.attributes["asm_string"]], loops
            for inner in op.regions:
                yield from walk(inner, loops + (op.name == "scf.for"))

    return list(walk(module.kernel.regions[0], 0))


@tlx.jit
def store_and_signal(y):
    bars = tlx.alloc_barriers(1)
    tl.store(y, 1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)


def test_what_was_stored_is_published_once():
    assert places(store_and_signal, y="*i32") == [("fence", 0), ("arrive", 0), ("arrive", 0)]


@tlx.jit
def signal_in_trips(y, tiles, steps):
    bars = tlx.alloc_barriers(1)
    for tile in tl.range(0, tiles):
        for _ in tl.range(0, steps):
            tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)
        tl.store(y + tile, tile)


def test_a_loop_that_frees_slots_has_the_fence_before_it():
    assert places(signal_in_trips, y="*i32", tiles="i32", steps="i32") == [("fence", 1), ("arrive", 2)]


@triton.jit
def free(bar):
    tlx.barrier_arrive(bar, remote_cta_rank=tlx.cluster_cta_rank() ^ 1)


@tlx.jit
def signal_by_a_helper(y, steps):
    bars = tlx.alloc_barriers(1)
    free(bars[0])
    tl.store(y, 1)
    for _ in tl.range(0, steps):
        free(bars[0])


def test_a_helper_that_signals_is_seen():
    found = places(signal_by_a_helper, y="*i32", steps="i32")
    assert found == [("arrive", 0), ("fence", 0), ("arrive", 1)]


@tlx.jit
def store_in_each_trip(y, steps):
    bars = tlx.alloc_barriers(1)
    for step in tl.range(0, steps):
        tl.store(y, step)
        tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)


def test_stores_of_each_trip_are_published_in_each():
    found = places(store_in_each_trip, y="*i32", steps="i32")
    assert found == [("fence", 1), ("arrive", 1)]

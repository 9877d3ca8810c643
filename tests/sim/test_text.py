"""Ops as TTGIR spells them, where no front end writes the case."""

import pytest

from tlx import ir, sim
from tlx.sim.code import Code
from tlx.sim.device import HOPPER
from tlx.sim.launch import Launch

HEAD = """
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 1024 : i32} {
  tt.func public @kernel() {
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %false = arith.constant false
    %ones = arith.constant dense<1> : tensor<64xi32, #rows>
"""
WORD = "!ttg.memdesc<1xi64, #plain, #smem, mutable>"
TILE = "!ttg.memdesc<64xi32, #plain, #smem, mutable>"


def run(body: str) -> Launch:
    """Runs a kernel without arguments, given its body after the allocation of shared memory."""
    code = Code(ir.parse(HEAD + body + "\n tt.return\n }\n}"), store_waits_say=True)
    launch = Launch(code, (1, 1, 1), (), (), HOPPER, 0, sim.Observer())
    launch.run()
    return launch


BARRIER = f"""
    %bar = ttg.local_alloc {{allocation.offset = 512 : i32}} : () -> {WORD}
    ttng.init_barrier %bar, 1 : {WORD}
"""


def test_a_false_predicate_arrives_nowhere():
    with pytest.raises(sim.DeadlockError, match=r"bar, parity 0: 0 phases done, 0 of 1 arrivals"):
        run(f"{BARRIER} ttng.arrive_barrier %bar, 1, %false : {WORD}\n ttng.wait_barrier %bar, %c0 : {WORD}")


def test_a_false_predicate_expects_nothing():
    launch = run(f"{BARRIER} ttng.barrier_expect %bar, 64, %false : {WORD}")
    assert launch.leftovers == []


def test_a_false_predicate_waits_for_nothing():
    launch = run(f"{BARRIER} ttng.wait_barrier %bar, %c0, %false : {WORD}")
    assert launch.resident == []
    with pytest.raises(sim.DeadlockError):
        run(f"{BARRIER} ttng.wait_barrier %bar, %c0 : {WORD}")


def test_a_wait_may_have_dependencies_instead_of_a_predicate():
    tile = f"%tile = ttg.local_alloc {{allocation.offset = 0 : i32}} : () -> {TILE}"
    with pytest.raises(sim.DeadlockError):
        run(f"{BARRIER} {tile}\n ttng.wait_barrier %bar, %c0 deps %tile : {WORD}, {TILE}")


def test_a_freed_buffer_may_not_be_read():
    body = f"""
    %tile = ttg.local_alloc %ones {{allocation.offset = 0 : i32}} : (tensor<64xi32, #rows>) -> {TILE}
    %first = ttg.local_load %tile : {TILE} -> tensor<64xi32, #rows>
    ttg.local_dealloc %tile : {TILE}
    """
    run(body)
    with pytest.raises(sim.UninitializedRead, match="tile: 256 of 256 bytes"):
        run(f"{body} %second = ttg.local_load %tile : {TILE} -> tensor<64xi32, #rows>")


def test_a_barrier_must_be_invalidated_before_its_memory_holds_data():
    store = f"""
    %tile = ttg.local_alloc {{allocation.offset = 512 : i32}} : () -> {TILE}
    ttg.local_store %ones, %tile : tensor<64xi32, #rows> -> {TILE}
    """
    used = f"{BARRIER} ttng.arrive_barrier %bar, 1 : {WORD}\n"
    with pytest.raises(sim.BarrierMisuse, match="tile: data is written over an mbarrier"):
        run(used + store)
    run(f"{used} ttng.inval_barrier %bar : {WORD} {store}")
    run(BARRIER + store)  # nobody has used it: Triton gives its memory away


def test_an_unsigned_loop_runs_past_the_largest_signed_number():
    launch = run("""
    %first = arith.constant 2147483646 : i32
    %last = arith.constant -2147483646 : i32
    %step = arith.constant 1 : i32
    scf.for unsigned %i = %first to %last step %step : i32 {
      %twice = arith.addi %i, %i : i32
    }
    """)
    counts = {step.op.name: count for step, count in zip(launch.code.steps, launch.counts)}
    assert counts["arith.addi"] == 4


def test_store_waits_that_say_so_are_for_reads():
    module = ir.parse(
        HEAD + "ttng.async_tma_store_wait {pendings = 0 : i32, read_only}\n"
        "ttng.async_tma_store_wait {pendings = 0 : i32}\n tt.return\n }\n}"
    )
    waits = [op for op in module.walk() if op.name == "ttng.async_tma_store_wait"]
    assert [Code(module, store_waits_say=True).waits_for_reads(op) for op in waits] == [True, False]
    assert [Code(module, store_waits_say=False).waits_for_reads(op) for op in waits] == [True, True]

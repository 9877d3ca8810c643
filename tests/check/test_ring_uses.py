"""Rings that own their phases: nothing is found in right kernels, and every mistake that they leave possible is."""

import numpy as np
import pytest
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tests.check.mutation.run import Subject
from tests.language import ring_gemm, ring_uses
from tests.language.case import Case
from tlx import sim
from tlx.check import checking

ROWS, COLUMNS, TILES, STEPS = 64, 64, 2, 5
SEEDS = range(3)

CASES = {case.name: case for case in ring_gemm.CASES + ring_uses.CASES}
GEMM = "GEMM over a ring: 2 stages, 2 consumers, 5 steps"
MUTATED = [
    GEMM,
    "ring of 3 for 1, 7 trips for each tile",
    "two producers store in `while` loops: 3 stages, 7 fills",
    "two producers load: 3 stages, 7 fills",
]
# Threads alone read what threads stored: a proxy fence orders nothing more for them than the barrier does.
EQUIVALENT = {
    ("two producers store in `while` loops: 3 stages, 7 fills", "drop fence: fence in partition0"),
    ("two producers store in `while` loops: 3 stages, 7 fills", "drop fence: fence in partition1"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_nothing_is_found_in_a_right_kernel(case: Case):
    with checking(schedules=len(SEEDS)) as checker:
        case.launch(sim.array)
    assert [finding for finding in checker.findings if finding.severity != "note"] == []


@pytest.mark.parametrize("name", MUTATED)
def test_every_mutant_is_found_but_the_equivalent_ones(name):
    subject = Subject(CASES[name])
    verdicts = [subject.judge(mutation, SEEDS) for mutation in subject.mutations]
    survivors = {(name, verdict.mutation.name) for verdict in verdicts if not verdict.killed}
    assert len(verdicts) > 10
    assert survivors == {key for key in EQUIVALENT if key[0] == name}


@tlx.jit
def products(
    a,
    b,
    y,
    tiles,
    steps,
    SIZE: tl.constexpr,
    RESTART: tl.constexpr,
    LOAD_B: tl.constexpr,
    WAIT_FOR_MMA: tl.constexpr,
    READ_AFTER: tl.constexpr,
    STRIDE: tl.constexpr,
):
    """The sum of A_k @ B_k over all blocks, with faults to switch on."""
    ring = tlx.ring(a=((SIZE, SIZE), tl.float16), b=((SIZE, SIZE), tl.float16), stages=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((SIZE, SIZE), tl.float32)
            use = 0
            for _ in tl.range(0, tiles):
                for _ in tl.range(0, steps):
                    with ring.use(use) as slot:
                        a_block = slot.a
                        acc = tlx.async_dot(a_block, slot.b, acc)
                        if WAIT_FOR_MMA:
                            acc = tlx.async_dot_wait(0, acc)
                    if not WAIT_FOR_MMA:
                        acc = tlx.async_dot_wait(0, acc)
                    if READ_AFTER:
                        acc += tlx.local_load(a_block)
                    use += STRIDE
            i, j = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
            tl.store(y + i * SIZE + j, acc)
        with tlx.async_task(num_warps=1):
            fill = 0
            for tile in tl.range(0, tiles):
                if RESTART:
                    fill = 0
                for k in tl.range(0, steps):
                    with ring.fill(fill) as slot:
                        row = (tile * steps + k) * SIZE
                        slot.load(a, slot.a, [row, 0])
                        if LOAD_B:
                            slot.load(b, slot.b, [row, 0])
                    fill += 1


def found(**faults) -> set[str]:
    """Rules that the launch breaks."""
    right = {"RESTART": False, "LOAD_B": True, "WAIT_FOR_MMA": True, "READ_AFTER": False, "STRIDE": 1}
    values = np.random.default_rng(0).integers(-3, 4, (2, TILES * STEPS * ROWS, COLUMNS)).astype(np.float16)
    with checking(schedules=len(SEEDS)) as checker:
        a, b = (TensorDescriptor.from_tensor(sim.array(part), [ROWS, COLUMNS]) for part in values)
        y = sim.array(np.zeros((ROWS, COLUMNS), np.float32))
        products[(1,)](a, b, y, TILES, STEPS, ROWS, **right | faults)
    return {finding.id for finding in checker.findings if finding.severity != "note"}


def test_the_products_are_right():
    assert found() == set()


@pytest.mark.parametrize(
    "fault, rule",
    [
        ({"RESTART": True}, "TLX-R001"),
        ({"LOAD_B": False}, "TLX-S005"),
        ({"WAIT_FOR_MMA": False}, "TLX-R001"),
        ({"READ_AFTER": True}, "TLX-R001"),
        ({"STRIDE": 2}, "TLX-R008"),
    ],
    ids=["fills counted from 0 for each tile", "a buffer not loaded", "MMA in flight", "read after release", "skipped"],
)
def test_the_fault_is_found(fault, rule):
    assert rule in found(**fault)

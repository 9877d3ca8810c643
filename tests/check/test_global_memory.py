"""Races in global memory: what orders two programs, and what doesn't."""

import numpy as np
import pytest
import triton
import triton.language as tl

from tlx import sim
from tlx.check import checking

SEEDS = range(10)


def races(kernel, grid: int, **arguments) -> list[int]:
    """How many races each schedule finds."""
    counts = []
    for seed in SEEDS:
        with checking(seed=seed, schedules=1) as checker:
            kernel[(grid,)](
                **{k: sim.array(v.copy()) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
            )
        assert {f.rule.name for f in checker.findings} <= {"global-race"}
        counts.append(len(checker.findings))
    return counts


NEVER, ALWAYS = [0] * len(SEEDS), [1] * len(SEEDS)
X = np.zeros(64, np.float32)


@triton.jit
def write(x, SIZE: tl.constexpr, STRIDE: tl.constexpr, SAME: tl.constexpr):
    program = tl.program_id(0)
    value = 1 if SAME else program + 1
    tl.store(x + program * STRIDE + tl.arange(0, SIZE), tl.full((SIZE,), value, tl.float32))


def test_programs_that_write_places_of_their_own():
    assert races(write, 4, x=X, SIZE=16, STRIDE=16, SAME=False) == NEVER


def test_programs_that_write_one_place():
    assert races(write, 4, x=X, SIZE=16, STRIDE=8, SAME=False) == ALWAYS


def test_programs_that_write_one_value():
    assert races(write, 4, x=X, SIZE=16, STRIDE=0, SAME=True) == NEVER


@triton.jit
def sum_of_parts(x, counter, total, SIZE: tl.constexpr, SEM: tl.constexpr):
    """Each program writes its part, the last one adds them up."""
    tl.store(x + tl.program_id(0), 2.0)
    if tl.atomic_add(counter, 1, sem=SEM) == SIZE - 1:
        tl.store(total, tl.sum(tl.load(x + tl.arange(0, SIZE))))


@pytest.mark.parametrize(("sem", "expected"), [("acq_rel", NEVER), ("relaxed", ALWAYS), ("release", ALWAYS)])
def test_the_last_program_reads_what_the_others_wrote(sem, expected):
    arguments = {"x": X, "counter": np.zeros(1, np.int32), "total": np.zeros(1, np.float32)}
    assert races(sum_of_parts, 8, **arguments, SIZE=8, SEM=sem) == expected


@triton.jit
def atomics_only(x, SIZE: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, SIZE), 1.0, sem="relaxed")


def test_atomics_do_not_race_with_each_other():
    assert races(atomics_only, 4, x=X, SIZE=64) == NEVER


@triton.jit
def atomic_and_load(x, z, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    if tl.program_id(0) == 0:
        tl.atomic_add(x + i, 1.0)
    else:
        tl.store(z + i, tl.load(x + i))


def test_an_atomic_races_with_a_load():
    assert races(atomic_and_load, 2, x=X, z=X, SIZE=64) == ALWAYS


@triton.jit
def two_sizes(words, halves, WORDS: tl.constexpr, FIRST: tl.constexpr):
    """Words from the start, and halves from word FIRST on, of one memory."""
    if tl.program_id(0) == 0:
        i = tl.arange(0, WORDS)
        tl.store(words + i, i + 1)
    else:
        j = tl.arange(0, 16)
        tl.store(halves + 2 * FIRST + j, (j + 7).to(tl.int16))


@pytest.mark.parametrize(("first", "expected"), [(32, NEVER), (16, ALWAYS)])
def test_elements_of_two_sizes_in_one_storage(first, expected):
    counts = []
    for seed in SEEDS:
        memory = np.zeros(64, np.int32)
        with checking(seed=seed, schedules=1) as checker:
            two_sizes[(2,)](sim.array(memory), sim.array(memory.view(np.int16)), 32, first)
        counts.append(len(checker.findings))
    assert counts == expected

"""Whatever of a kernel's synchronization is broken is found, and nothing in the kernel as it is."""

import numpy as np
import pytest
import triton

from tests.check.mutation import table
from tests.check.mutation.equivalent import EQUIVALENT
from tests.check.mutation.run import Subject
from tests.check.mutation.subjects import SUBJECTS

SEEDS = range(3)


@pytest.fixture(scope="module")
def subjects() -> dict[str, Subject]:
    return {case.name: Subject(case) for case in SUBJECTS}


@pytest.fixture(params=[case.name for case in SUBJECTS])
def subject(request, subjects) -> tuple[str, Subject]:
    return request.param, subjects[request.param]


@pytest.mark.parametrize("case", SUBJECTS, ids=str)
def test_the_kernel_is_right(case, subjects):
    for name, expected in case.expected.items():
        np.testing.assert_array_equal(subjects[case.name].results[name], expected)


def test_nothing_is_found_in_the_kernel_as_it_is(subject):
    _, kernel = subject
    assert kernel.static() == ()
    assert [kernel.dynamic(seed) for seed in SEEDS] == [()] * len(SEEDS)


def test_every_mutant_is_found_but_the_equivalent_ones(subject):
    name, kernel = subject
    verdicts = [kernel.judge(mutation, SEEDS) for mutation in kernel.mutations]
    survivors = {(name, verdict.mutation.name) for verdict in verdicts if not verdict.killed}
    assert survivors == {(name, mutation.name) for mutation in kernel.mutations} & EQUIVALENT.keys()


def test_the_kernel_is_as_before_after_all_mutations(subject):
    _, kernel = subject
    assert kernel.static() == ()
    assert kernel.dynamic(0) == ()


def test_there_are_more_than_a_hundred_mutants_of_the_librarys_kernels(subjects):
    library = [subject for name, subject in subjects.items() if name.startswith("gemm")]
    assert sum(len(subject.mutations) for subject in library) > 100


@pytest.mark.skipif(not triton.__version__.startswith("3.6."), reason="the page is written with Triton 3.6")
def test_the_page_says_what_is_found(subject):
    name, kernel = subject
    is_there = table.section(name, table.verdicts_of(kernel)) in table.PAGE.read_text()
    assert is_there, "run `python -m tests.check.mutation.table`"


@pytest.mark.slow
def test_a_mutant_that_running_finds_is_found_in_every_one_of_50_schedules(subject):
    _, kernel = subject
    for mutation in kernel.mutations:
        with mutation.applied():
            found = {bool(kernel.dynamic(seed)) for seed in range(50)}
        assert len(found) == 1, mutation.name

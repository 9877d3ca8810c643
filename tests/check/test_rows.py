"""At least forty kinds of mistakes that people have reported: found in every schedule, and nothing else is found."""

import pytest

from tests.check.rows import ROWS

SEEDS = range(6)

each_row = pytest.mark.parametrize("row", ROWS, ids=str)


@each_row
def test_the_mistake_is_found_in_every_schedule(row):
    for seed in SEEDS:
        findings = row.run(fixed=False, seed=seed)
        assert row.breaks_its_rules(findings), (seed, [finding.message for finding in findings])


@each_row
def test_the_corrected_kernel_is_clean(row):
    for seed in SEEDS:
        assert row.run(fixed=True, seed=seed) == []


def test_there_are_forty():
    assert len({row.kernel for row in ROWS}) == len(ROWS) >= 40
    assert all(1 <= row.number <= 57 for row in ROWS)

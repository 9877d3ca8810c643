"""The table in the documentation is made of the results beside it, and those know every name."""

import json
import runpy
from pathlib import Path

import pytest
import triton

from tests.tl.names import public_names

ROOT = Path(__file__).parents[2]
MINOR = ".".join(triton.__version__.split(".")[:2])
GENERATOR = runpy.run_path(str(ROOT / "tools" / "make_tl_table.py"))


def test_the_table_is_current():
    assert (ROOT / "docs" / "tl.md").read_text() == GENERATOR["table"]()


def test_no_cell_is_empty():
    rows = [line for line in GENERATOR["table"]().splitlines() if line.startswith("| `")]
    assert len(rows) > 400
    assert all(cell.strip() for row in rows for cell in row.strip("|").split("|"))


@pytest.mark.parametrize("minor", GENERATOR["MINORS"])
def test_no_case_fails(minor):
    results = GENERATOR["read"](minor).results
    assert not [(case, form) for case, forms in results.items() for form, found in forms.items() if "failed" in found]


def test_the_results_know_the_names_of_this_triton():
    assert set(json.loads((ROOT / "docs" / "tl" / f"{MINOR}.json").read_text())["names"]) == set(public_names())

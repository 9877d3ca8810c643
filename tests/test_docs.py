"""The generated pages are what the docstrings say now, and every link of the documentation leads somewhere."""

import re
import runpy
from pathlib import Path

import pytest

import tlx
from tools.make_docs import CONCEPTS, DOCS, PAGES, documented, markdown

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_current(name):
    assert (DOCS / name).read_text() == PAGES[name](), "run: python -m tools.make_docs"


def test_every_public_name_has_a_concept_and_a_docstring():
    names = [name for concept in CONCEPTS for name in documented(concept)]
    assert sorted(names) == sorted(set(tlx.__all__) - {"__version__"})
    assert [name for name in names if not (getattr(tlx, name).__doc__ or "").strip()] == []


def test_docstrings_become_lists():
    text = """Meaning.

    Args:
        a: one,
            continued.
        b: two.

    Returns:
        tensor: what
        it is.
    """
    assert markdown(text) == (
        "Meaning.\n\nArgs:\n\n- `a`: one,\n  continued.\n- `b`: two.\n\nReturns:\n\n- `tensor`: what\n  it is."
    )


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_and_paths(page):
    text = page.read_text()
    prose = re.sub(r"`[^`]*`", "", text)
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", prose):
        assert (page.parent / target).exists(), target
    for path in re.findall(r"`((?:tlx|kernels|tests|tools|docs)/[\w/.]*)`", text):
        assert (ROOT / path).exists(), path


def test_the_first_program_of_rings_runs(tmp_path):
    first = re.search(r"^```python\n(.*?)^```$", (DOCS / "rings.md").read_text(), re.DOTALL | re.MULTILINE)
    program = tmp_path / "program.py"
    program.write_text(first[1])
    names = runpy.run_path(str(program))  # asserts its result
    assert names["y"].numpy().any()

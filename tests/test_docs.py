"""Programs of the documentation run, mistakes that it shows are found, generated pages are current, links lead
somewhere."""

import re
import runpy
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

import tlx
from tests.refused import CASES
from tlx.check.errors import CheckError
from tools.make_docs import CONCEPTS, DOCS, PAGES, documented, markdown

ROOT = Path(__file__).parent.parent
WRITTEN = [path for path in sorted(DOCS.glob("*.md")) if path.name not in PAGES]


@dataclass(frozen=True)
class Program:
    """A code block that is a whole program: it begins with its imports, and asserts its result.

    Args:
        page: that holds it.
        line: of the page, on which it begins.
        code: the block.
        mistakes: rows of the table of mistakes that comes behind it and before the next program: what stands in the
            program, what stands there instead, and what finds it.
    """

    page: Path
    line: int
    code: str
    mistakes: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    def run(self, folder: Path, code: str | None = None) -> None:
        """Runs it as a user's file."""
        path = folder / "program.py"
        path.write_text(code or self.code)
        runpy.run_path(str(path))


def programs(page: Path) -> list[Program]:
    """The programs of a page; blocks that don't begin with an import are parts of something, and scripts
    (`if __name__ == "__main__":`) have tests of their own."""
    text = page.read_text()
    found = list(re.finditer(r"^```python\n((?:import|from) .*?)^```$", text, re.DOTALL | re.MULTILINE))
    ends = [*[match.start() for match in found[1:]], len(text)]
    lines = [text.count("\n", 0, match.start(1)) + 1 for match in found]
    return [
        Program(page, line, match[1], mistakes(text[match.end() : end])) for match, line, end in zip(found, lines, ends)
    ]


def mistakes(text: str) -> tuple[tuple[str, str, str], ...]:
    """The rows of the tables `| instead of | written | found as |`."""
    tables = re.findall(r"^\| instead of \| written \| found as \|\n\|[-| ]*\n((?:\|.*\n)*)", text, re.MULTILINE)
    rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for table in tables for row in table.splitlines()]
    return tuple((old.strip("`"), new.strip("`"), found) for old, new, found in rows)


RUN = [program for page in WRITTEN for program in programs(page) if "__main__" not in program.code]
MISTAKES = [(program, *row) for program in RUN for row in program.mistakes]


@pytest.mark.parametrize("program", RUN, ids=str)
def test_program_runs(program, tmp_path):
    assert "assert" in program.code
    program.run(tmp_path)


@pytest.mark.parametrize("program, right, wrong, found", MISTAKES, ids=lambda value: str(value).replace(" ", "_"))
def test_mistake_is_found(program, right, wrong, found, tmp_path):
    assert program.code.count(right) == 1
    with pytest.raises(tlx.TLXError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program.run(tmp_path, program.code.replace(right, wrong))
    error = caught.value
    names = {finding.id for finding in error.findings} if isinstance(error, CheckError) else {type(error).__name__}
    (name,) = re.findall(r"TLX-[RS]\d+|[A-Z]\w+(?:\.\w+)*(?=`)", found)
    assert name in names, error


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


def test_each_rule_of_the_fork_has_an_error_that_a_kernel_provokes():
    table = re.search(
        r"^\| rule of the fork \| here \|\n\|[-|]*\n((?:\|.*\n)*)", (DOCS / "coming-from.md").read_text(), re.M
    )
    named = set(re.findall(r"`([A-Z][A-Za-z]+)`", table[1])) - {"IgnoredArgument"}
    assert named - {case.error.__name__ for case in CASES} == set()


def test_the_index_links_every_page():
    linked = set(re.findall(r"\]\(([\w.-]+\.md)", (DOCS / "README.md").read_text()))
    assert linked == {page.name for page in DOCS.glob("*.md")} - {"README.md"}

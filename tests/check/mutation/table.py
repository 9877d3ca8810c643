"""Writes `docs/mutation.md`: which rule finds which mutation of which kernel. `python -m tests.check.mutation.table`"""

from __future__ import annotations

from pathlib import Path

from tests.check.mutation.equivalent import EQUIVALENT
from tests.check.mutation.run import Subject, Verdict
from tests.check.mutation.subjects import SUBJECTS

PAGE = Path(__file__).parents[3] / "docs" / "mutation.md"
SEEDS = range(3)

HEAD = """# Mutations

Every kernel here is right. Each row breaks it by one kind of small change of its late TTGIR, at every place where that
is possible, and says which rules find the mutants: by reading them (`TLX-S...`) and by running them under 3 schedules
(`TLX-R...`). Inputs have two tiles for a program and `2 * stages + 1` K steps. The tests in `tests/check/mutation`
demand that each mutant is found, save those that are argued to be equivalent.

Written by `python -m tests.check.mutation.table`.
"""


def verdicts_of(subject: Subject) -> list[Verdict]:
    """All mutants, read and run under all seeds."""
    return [subject.judge(mutation, SEEDS, all_rules=True) for mutation in subject.mutations]


def section(name: str, verdicts: list[Verdict]) -> str:
    """A kernel's part of the page: a row for each kind of mutation."""
    killed = sum(verdict.killed for verdict in verdicts)
    lines = [f"## {name}", "", f"{killed} of {len(verdicts)} mutants are found.", ""]
    lines += ["| mutation | mutants | found by reading | found by running |", "|---|---|---|---|"]
    kinds = dict.fromkeys(verdict.mutation.kind for verdict in verdicts)
    for kind in kinds:
        own = [verdict for verdict in verdicts if verdict.mutation.kind == kind]
        read = _rules([verdict.static for verdict in own])
        run = _rules([verdict.dynamic for verdict in own])
        lines.append(f"| {kind} | {len(own)} | {read} | {run} |")
    arguments = [
        f"- {verdict.mutation.name}: {EQUIVALENT[name, verdict.mutation.name]}"
        for verdict in verdicts
        if (name, verdict.mutation.name) in EQUIVALENT
    ]
    return "\n".join([*lines, *(["", "Equivalent:", *arguments] if arguments else []), ""])


def _rules(found: list[tuple[str, ...]]) -> str:
    """The rules, each with the number of mutants that it finds."""
    rules = sorted({rule for rules in found for rule in rules})
    return ", ".join(f"{rule} ({sum(rule in rules for rules in found)})" for rule in rules)


def page() -> str:
    """The whole page."""
    sections = [section(case.name, verdicts_of(Subject(case))) for case in SUBJECTS]
    return "\n".join([HEAD, *sections])


if __name__ == "__main__":
    PAGE.write_text(page())

"""Writes the pages of `docs/benchmarks` and the numbers of the README from the committed export of the database.

`python -m tools.make_benchmarks`. Each table stands under the `tlx sql` that gives it again. Measure anew with
`python -m tools.bench_h200`, which writes the export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlx.tune.database import Database, import_text
from tlx.tune.database.command import quoted
from tlx.tune.database.store import run_sql

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "benchmarks"
EXPORT = FOLDER / "export.txt"
README = ROOT / "README.md"
NOTE = "<!-- Written by tools/make_benchmarks.py from export.txt; `python -m tools.bench_h200` makes that anew. -->"
NOTHING = "No measurements are committed yet. `tlx compare` makes them on your machine."
MEMORY_BOUND = 10
"""FLOP per byte below which bytes are what an operation is measured by."""


@dataclass(frozen=True)
class Place:
    """What measurements were made on: those of different places are never in one table."""

    device: str
    driver: str
    triton: str
    torch: str
    cuda: str

    def __str__(self) -> str:
        return f"{self.device}, Triton {self.triton}, torch {self.torch}"

    def condition(self, table: str = "comparison") -> str:
        """SQL that rows of the place fulfil. Times under flags that change what Triton compiles are in no table."""
        facts = {name: quoted(value) for name, value in vars(self).items()}
        equal = " AND ".join(f"{table}.{name} = {value}" for name, value in facts.items())
        return f"{table}.unit = 'us' AND {table}.flags = '{{}}'\n  AND {equal}"


# --- what the export has ---


def load(export: str) -> Database:
    """The database that an export was made from, as far as it was exported."""
    database = Database.in_memory()
    import_text(database, export)
    return database


def operations(database: Database) -> list[str]:
    """Of which there are times."""
    rows = database.query("SELECT DISTINCT operation FROM comparison WHERE unit = 'us' AND flags = '{}' ORDER BY 1")
    return [row["operation"] for row in rows]


def places(database: Database, operation: str) -> list[Place]:
    """Where an operation was measured, the newest first."""
    sql = f"""SELECT device, driver, triton, torch, cuda FROM comparison
    WHERE operation = {quoted(operation)} AND unit = 'us' AND flags = '{{}}'
    GROUP BY 1, 2, 3, 4, 5 ORDER BY max(started) DESC, device, triton"""
    return [Place(**row) for row in database.query(sql)]


# --- queries ---


def problems_query(database: Database, operation: str, place: Place) -> str:
    """SQL of an operation's problems: a rate for each candidate, and how tlx does beside each other one."""
    where = f"operation = {quoted(operation)} AND {place.condition()}"
    facts = database.query(
        f"SELECT candidate, max(1.0 * flops / bytes) AS ratio FROM comparison WHERE {where} GROUP BY 1"
    )
    candidates = sorted((row["candidate"] for row in facts), key=_order)
    intense = max((row["ratio"] or 0.0 for row in facts), default=0.0) >= MEMORY_BOUND
    rate, unit = ("tflops", "TFLOP/s") if intense else ("gbps", "GB/s")
    columns = [f"round({_of(rate, name)}, 1) AS [{name} {unit}]" for name in candidates]
    if "tlx" in candidates:
        columns += [f"round({_of('median', 'tlx')}, 1) AS [tlx us]", f"round({_of('spread', 'tlx')}, 1) AS [± %]"]
        columns += [
            f"round({_of('median', name)} / {_of('median', 'tlx')}, 3) AS [x {name}]"
            for name in candidates
            if not name.startswith("tlx")
        ]
    listed = "".join(f",\n       {column}" for column in columns)
    grouped = "GROUP BY title, flops, bytes\nORDER BY flops, bytes, title"
    return f"SELECT title AS problem{listed}\nFROM comparison\nWHERE {where}\n{grouped}"


def _order(candidate: str) -> tuple[int, str]:
    """The plain kernel, ours, then libraries."""
    return (0 if candidate == "naive" else 1 if candidate.startswith("tlx") else 2), candidate


def _of(column: str, candidate: str) -> str:
    return f"max({column}) FILTER (WHERE candidate = {quoted(candidate)})"


def conditions_query(operation: str, place: Place) -> str:
    """SQL of what else the measurements have in common, or don't."""
    return f"""\
SELECT device, driver, triton, torch, cuda, group_concat(DISTINCT tlx) AS tlx,
       group_concat(DISTINCT substr(revision, 1, 12) || iif(revision LIKE '%-dirty', '-dirty', '')) AS revision,
       min(substr(started, 1, 10)) AS first, max(substr(started, 1, 10)) AS last
FROM comparison
WHERE operation = {quoted(operation)} AND {place.condition()}"""


def failures_query(operation: str, place: Place) -> str:
    """SQL of candidates that raised or were wrong."""
    return f"""\
SELECT title AS problem, candidate, reason FROM comparison
WHERE operation = {quoted(operation)} AND outcome = 'rejected' AND {place.condition()}
ORDER BY title, candidate"""


SUMMARY = """\
SELECT ours.operation, ours.device, ours.triton, other.candidate AS beside, count(*) AS problems,
       round(geomean(other.median / ours.median), 3) AS [tlx is x times as fast],
       round(min(other.median / ours.median), 3) AS least, round(max(other.median / ours.median), 3) AS most
FROM comparison AS ours JOIN comparison AS other USING (operation, title, device, driver, triton, torch, cuda, flags)
WHERE ours.candidate = 'tlx' AND other.candidate NOT LIKE 'tlx%' AND flags = '{}'
  AND ours.unit = 'us' AND other.unit = 'us' AND ours.flops IS other.flops AND ours.bytes IS other.bytes
  AND ours.median IS NOT NULL AND other.median IS NOT NULL
GROUP BY operation, device, driver, triton, torch, cuda, other.candidate
ORDER BY operation, device, triton, other.candidate"""


# --- as Markdown ---


def answered(database: Database, query: str) -> str:
    """The command that asks a query, and its answer; "" if that has no rows."""
    names, rows = run_sql(database, query)
    if not rows:
        return ""
    lines = [names, ["---"] * len(names), *([cell(value) for value in row] for row in rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f'```sh\ntlx sql "{query}" --db docs/benchmarks/export.txt\n```\n\n{table}'


def cell(value: Any) -> str:
    """A value of SQL in a table. Queries round numbers themselves, so that they give what is printed."""
    return "-" if value is None else " ".join(str(value).split()).replace("|", "\\|")


def operation_page(database: Database, operation: str) -> str:
    """The page of an operation."""
    title = f"{NOTE}\n\n# {operation}\n\n[How this is measured, and how to ask for it](README.md)."
    return "\n\n".join([title, *_sections(database, operation)]) + "\n"


def _sections(database: Database, operation: str) -> Iterator[str]:
    for place in places(database, operation):
        yield f"## {place}"
        yield answered(database, conditions_query(operation, place))
        yield answered(database, problems_query(database, operation, place))
        failures = answered(database, failures_query(operation, place))
        if failures:
            yield f"Candidates that failed, or whose output was wrong, and that have no times:\n\n{failures}"


def summary(database: Database) -> str:
    """tlx beside each other candidate, over all problems of an operation."""
    return answered(database, SUMMARY) or NOTHING


INDEX = """\
# Benchmarks

{pages}

## How this is measured

`tlx compare OPERATION --save` checks each candidate's output against a reference of higher precision first; wrong ones
get no times. Then candidates take turns (A B A B, 30 rounds), with the L2 cache emptied before each launch, on random
data. Short work is launched from a CUDA graph. Tables show medians; `± %` is half the distance from the 20th to the
80th percentile. `x NAME` is how many times as fast as NAME `tlx` is. Operations of fewer than {bound} FLOP a byte are
measured in GB/s of what they have to move. The simulator counts, and takes no times: none of its numbers is here.

## Where the numbers are

All of them come from [export.txt](export.txt), the text form of [the database](../database.md#as-text): the newest
measurement of each candidate on each problem, with all of its samples, since medians are computed when they are asked
for. Sweeps of the tuner are left out: they are many times as long, and no page shows them. The text is not compressed,
so that a new measurement is a readable diff. Above each table is the query that gives it again, in a checkout of this
repository; a test asks them all and compares.

```sh
python -m tools.bench_h200        # on a GPU: measures what the export lacks, and writes it
python -m tools.make_benchmarks   # writes these pages and the README's numbers from it
```
"""


def index_page(database: Database) -> str:
    """The page that leads to the others."""
    links = "\n".join(f"- [{name}]({name}.md)" for name in operations(database))
    pages = f"{links}\n\n{summary(database)}" if links else NOTHING
    return f"{NOTE}\n\n{INDEX.format(pages=pages, bound=MEMORY_BOUND)}"


def pages(database: Database) -> dict[str, str]:
    """All pages by their file's name."""
    own = {f"{name}.md": operation_page(database, name) for name in operations(database)}
    return {"README.md": index_page(database), **own}


# --- the README ---


def readme(database: Database, text: str) -> str:
    """The README with its blocks `<!-- numbers: NAME -->` written anew: NAME is "summary" or an operation."""
    block = re.compile(r"(<!-- numbers: ([\w.]+) -->\n).*?(<!-- /numbers -->)", re.DOTALL)
    return block.sub(lambda found: f"{found[1]}\n{_block(database, found[2])}\n\n{found[3]}", text)


def _block(database: Database, name: str) -> str:
    if name == "summary":
        return summary(database)
    newest = places(database, name)[:1]
    return answered(database, problems_query(database, name, newest[0])) if newest else NOTHING


def main() -> None:
    """Writes the pages, removes those of operations that the export no longer has, and the README's blocks."""
    with closing(load(EXPORT.read_text())) as database:
        found = pages(database)
        for path in FOLDER.glob("*.md"):
            if path.name not in found:
                path.unlink()
        for name, text in found.items():
            (FOLDER / name).write_text(text)
        README.write_text(readme(database, README.read_text()))


if __name__ == "__main__":
    main()

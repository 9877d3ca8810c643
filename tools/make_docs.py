"""Writes `docs/language.md` and `docs/errors.md` from the docstrings: `python -m tools.make_docs`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import tlx
import tlx.sim
from tests.refused import CASES, Refused
from tlx import errors
from tlx.check import api
from tlx.compiler import clusters as launches
from tlx.compiler import jit
from tlx.compiler.jit import TLXFunction
from tlx.language import (
    aliases,
    barriers,
    blackwell,
    buffers,
    bulk,
    clusters,
    copy,
    descriptors,
    fences,
    gather,
    ignored,
    layout_objects,
    mma,
    pins,
    pipelines,
    prefetch,
    remote,
    rings,
    slices,
    tasks,
    threads,
    tma,
    utility,
    views,
)
from tlx.sim import driver
from tlx.sim import errors as simulation
from tlx.tune import autotuner, space

DOCS = Path(__file__).parent.parent / "docs"
NOTE = "<!-- Written by tools/make_docs.py from the docstrings; edit those. -->"

CONCEPTS = {
    "Kernels": [jit],
    "Tasks": [tasks],
    "Buffers in shared memory": [buffers, rings, slices, views, gather],
    "Buffers that share memory": [aliases],
    "Barriers": [barriers],
    "Copies through pointers": [copy, bulk],
    "TMA": [tma, descriptors, prefetch],
    "Rings that own their phases": [pipelines],
    "Clusters": [clusters, remote, launches],
    "Asynchronous MMA": [mma],
    "Layouts": [layout_objects, pins],
    "Fences": [fences],
    "Threads and warps": [threads],
    "Utilities": [utility],
    "For Blackwell only": [blackwell],
    "Simulation": [driver],
    "Checks": [api],
    "Tuning": [autotuner, space],
    "Errors": [errors, ignored],
}
# Not names of `tlx`, but what kernels do with their arguments and with what `tlx` gives them.
RING = pipelines.pipeline
DESCRIPTOR_METHODS = (
    *("load", "store", "atomic_add", "atomic_min", "atomic_max"),
    *("atomic_and", "atomic_or", "atomic_xor", "gather", "scatter"),
)
METHODS = {
    "TMA": {"desc": [getattr(tma.tensor_descriptor, name) for name in DESCRIPTOR_METHODS]},
    "Rings that own their phases": {
        "ring": [RING.fill, RING.use, RING.acquire, RING.commit, RING.wait, RING.release],
        "slot": [pipelines.slot.load],
    },
}


# --- docstrings ---


def sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """The paragraphs of a docstring: ("Args", lines) for a section, ("", lines) for text."""
    for paragraph in re.split(r"\n\n", inspect.cleandoc(text)):
        heading, *rest = paragraph.split("\n")
        if heading.endswith(":") and heading[:-1].isalpha() and rest and rest[0].startswith("    "):
            inside = [line for line in rest if line.startswith("    ")]
            yield heading[:-1], inside
            if rest[len(inside) :]:
                yield "", rest[len(inside) :]
        else:
            yield "", [heading, *rest]


def markdown(text: str) -> str:
    """A docstring as Markdown: the items of its sections become lists."""
    parts = []
    for heading, lines in sections(text):
        if not heading:
            parts.append("\n".join(lines))
        elif heading == "Example":
            parts.append("```python\n" + inspect.cleandoc("\n".join(lines)) + "\n```")
        else:
            parts.append(f"{heading}:\n\n" + "\n".join(items(lines)))
    return "\n\n".join(parts)


def items(lines: list[str]) -> Iterator[str]:
    """The lines of a section: `    name: meaning` begins an item, any other line goes on with the one before."""
    for number, line in enumerate(lines):
        named = re.fullmatch(r"    (\w[\w, ]*): (.*)", line)
        if named:
            yield f"- `{named[1]}`: {named[2]}"
        else:
            yield ("  " if number else "- ") + line.strip()


def signature(value) -> str:
    """The parameters that a caller gives."""
    function = value.fn if isinstance(value, TLXFunction) else value
    found = inspect.signature(function)
    given = [p.replace(annotation=p.empty) for name, p in found.parameters.items() if name[0] != "_" and name != "self"]
    text = str(found.replace(parameters=given, return_annotation=found.empty))
    return re.sub(r"constexpr\[(\w+)\]", r"\1", text).replace("triton.language.", "tl.")


# --- language.md ---


def module_of(value) -> str:
    return value.fn.__module__ if isinstance(value, TLXFunction) else value.__module__


def is_the_public(name: str, value) -> bool:
    """Whether `tlx.name` is this value, and not a function of the name that a class has inside of tlx."""
    return isinstance(value, type) == isinstance(getattr(tlx, name), type)


def documented(concept: str) -> Iterator[str]:
    """The public names of a concept, in the order in which its files define them."""
    for module in CONCEPTS[concept]:
        names = [
            name
            for name, value in vars(module).items()
            if name in tlx.__all__ and module_of(value) == module.__name__ and is_the_public(name, value)
        ]
        yield from names


def entry(name: str, value) -> str:
    """Heading and docstring of a public name."""
    if isinstance(value, type):
        members = [
            f"- `.{key}`: {inspect.cleandoc(member.__doc__)}"
            for key, member in vars(value).items()
            if key[0] != "_" and isinstance(member, property) and member.__doc__
        ]
        return "\n\n".join([f"### `{name}`", markdown(value.__doc__), *(["\n".join(members)] if members else [])])
    documentation = value.fn.__doc__ if isinstance(value, TLXFunction) else value.__doc__
    return f"### `{name}{signature(value)}`\n\n{markdown(documentation)}"


def language_page() -> str:
    parts = [NOTE, "# Language reference", "Every name of `tlx`, by concept. `tl` is `triton.language`."]
    for concept, modules in CONCEPTS.items():
        parts += [f"## {concept}", inspect.cleandoc(modules[0].__doc__).split("\n\n")[0]]
        values = {name: value for module in modules for name, value in vars(module).items()}
        parts += [entry(f"tlx.{name}", values[name]) for name in documented(concept)]
        for value, methods in METHODS.get(concept, {}).items():
            parts += [entry(f"{value}.{method.__name__}", method) for method in methods]
    return "\n\n".join(parts) + "\n"


# --- errors.md ---


def leaves(base: type) -> list[type]:
    """The classes below that have none below themselves, in the order of definition."""
    below = base.__subclasses__()
    return [leaf for child in below for leaf in leaves(child)] if below else [base]


def example(case: Refused) -> str:
    """The kernel, and what tlx says of it."""
    lines, first = inspect.getsourcelines(case.marked)
    start = next(i for i, line in enumerate(lines) if line.startswith("def "))
    parts = ["```python\n@tlx.jit\n" + "".join(lines[start:]).rstrip() + "\n```"]
    if case.constexprs:
        parts.append("With " + ", ".join(f"{name}={value}" for name, value in case.constexprs.items()) + ":")
    try:
        tlx.compile(case.kernel, case.signature, case.constexprs, **case.options)
    except errors.TLXError as error:
        message = error.what + (f"\nhelp: {error.hint}" if error.hint else "")
        # Lines of the example, not of the file it comes from.
        shift = first + start - 2
        message = re.sub(r"in line (\d+)", lambda match: f"in line {int(match[1]) - shift}", message)
        parts.append(f"```text\n{message}\n```")
    return "\n\n".join(parts)


def error_entry(error: type) -> str:
    parts = [f"### `{error.__name__}`", inspect.cleandoc(error.__doc__)]
    cases = [case for case in CASES if case.error is error and case.marked is case.kernel.fn]
    return "\n\n".join(parts + [example(case) for case in cases[:1]])


ERRORS_INTRODUCTION = """\
An error says what is wrong, shows the line of the kernel with a caret and the calls that lead to it, and says what to
do. All of them are `tlx.TLXError`s with the attributes `what`, `hint` and `location` (`file`, `line`, `column`,
`callers`). The examples mark the line that the error points at."""

COMPILING = """\
Found before anything is launched. They are `triton.CompilationError`s too; those about budgets are also
`triton.OutOfResources`, so that `triton.autotune` skips the configuration."""

SIMULATING = """\
Found while a kernel runs in the simulator. The text names the seed of the schedule in which it happened.
`SimulationWarning` is a warning, the others are errors."""


def errors_page() -> str:
    compiling = [error for error in leaves(errors.LanguageError) if error.__module__ == errors.__name__]
    simulating = [getattr(simulation, name) for name in vars(simulation) if name in simulation.__all__]
    simulating = [
        error for error in simulating if issubclass(error, Exception) and error is not simulation.SimulationError
    ]
    parts = [NOTE, "# Errors", ERRORS_INTRODUCTION, "## While a kernel is compiled", COMPILING]
    parts += [error_entry(error) for error in compiling]
    parts += ["## While a kernel is simulated", SIMULATING]
    parts += [error_entry(error) for error in simulating]
    return "\n\n".join(parts) + "\n"


PAGES = {"language.md": language_page, "errors.md": errors_page}


def main() -> None:
    """Writes the pages."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())


if __name__ == "__main__":
    main()

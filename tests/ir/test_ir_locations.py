"""Locations point at what the user wrote, with 1-based columns, whichever Triton printed them."""

import inspect

import pytest

from tests.ir import triton_samples
from tlx.ir import parse
from tlx.source import Location


def located(location, *aliases):
    text = "\n".join([*aliases, "tt.func @f() {", f"  tt.return loc({location})", "}"])
    return parse(text).kernel.region("body").entry.ops[0].location


@pytest.mark.parametrize(
    "spelling, location",
    [
        ("unknown", Location()),
        ('"k.py":3:5', Location("k.py", 3, 5)),
        ('"k.py":3:5 to :9', Location("k.py", 3, 5)),
        ('"k.py":3:5 to 4:9', Location("k.py", 3, 5)),
        ('"x"("k.py":3:5)', Location("k.py", 3, 5, "x")),
        ('"x"', Location(name="x")),
        ('callsite("k.py":3:5 at "k.py":9:1)', Location("k.py", 3, 5, callers=(Location("k.py", 9, 1),))),
        ('callsite(unknown at "k.py":9:1)', Location("k.py", 9, 1)),
        ('fused[unknown, "k.py":3:5]', Location("k.py", 3, 5)),
        ('fused<"why">["k.py":3:5, "k.py":4:5]', Location("k.py", 3, 5)),
    ],
)
def test_spellings(spelling, location):
    assert located(spelling) == location


def test_call_sites_are_listed_from_the_inside_out():
    a, b, c = (Location("k.py", line, 1) for line in (1, 2, 3))
    nested_callee = located('callsite(callsite("k.py":1:1 at "k.py":2:1) at "k.py":3:1)')
    nested_caller = located('callsite("k.py":1:1 at callsite("k.py":2:1 at "k.py":3:1))')
    assert nested_callee == nested_caller == Location(a.file, a.line, a.column, callers=(b, c))


def test_aliases_may_be_defined_anywhere():
    text = '#loc1 = loc("k.py":7:2)\ntt.func @f() {\n  tt.return loc(#loc3)\n}\n#loc2 = loc("k.py":3:5)\n'
    text += '#loc3 = loc("x"(callsite(#loc2 at #loc1)))\n'
    op = parse(text).kernel.region("body").entry.ops[0]
    assert op.location == Location("k.py", 3, 5, "x", (Location("k.py", 7, 2),))


def test_columns_count_from_zero_where_a_function_is_at_column_zero():
    assert located("#loc2", '#loc1 = loc("k.py":7:1)', '#loc2 = loc("k.py":3:5)').column == 5
    assert located("#loc2", '#loc1 = loc("k.py":7:0)', '#loc2 = loc("k.py":3:5)').column == 6


def test_columns_of_the_installed_triton(texts):
    lines, first = inspect.getsourcelines(triton_samples.early_return.fn)
    index = next(number for number, line in enumerate(lines) if line.strip() == "return")
    for text in texts["early_return"].values():
        places = [op.location for op in parse(text).walk() if op.name == "tt.return"]
        assert Location(triton_samples.__file__, first + index, lines[index].index("return") + 1) in places


def test_names_and_callers_of_inlined_code(texts):
    module = parse(texts["reductions"]["ttgir"])
    lines, first = inspect.getsourcelines(triton_samples.reductions.fn)
    compare = [op for op in module.walk() if op.name == "arith.cmpf" and op.parent.parent.name == "combine"]
    bigger = next(op for op in compare if op.location.name == "bigger")
    line = first + next(number for number, line in enumerate(lines) if "tl.reduce(" in line)
    assert [caller.line for caller in bigger.location.callers][-1] in (line, line + 2)
    assert bigger.location.source_line().strip() == "bigger = a_value > b_value"

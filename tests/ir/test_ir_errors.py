"""What isn't TTGIR is refused with the place in the text."""

import pickle

import pytest

from tlx.errors import TLXError
from tlx.ir import TTGIRSyntaxError, parse


def refuse(text):
    with pytest.raises(TTGIRSyntaxError) as raised:
        parse(text)
    return raised.value


@pytest.mark.parametrize(
    "line, column, problem",
    [
        ("%y = arith.addi %x, %x ; : i32", 26, "no token starts with ';'"),
        ("%y = %x", 8, "unexpected '%x'"),
        ("%y = arith.addi %x, %missing : i32", 23, "nothing defines %missing"),
        ("%y = tt.splat %x : i32 -> tensor<8xi32, #missing>", 29, "nothing defines #missing"),
        ("cf.br ^bb9", 9, "nothing defines ^bb9"),
        ("%y = foo.bar %x {a = }", 19, "can't read '{a = }' behind its column 6"),
        ("%y = foo.bar %x loc(#loc9)", 8, "nothing defines #loc9"),
    ],
)
def test_place_and_problem(line, column, problem):
    error = refuse(f"tt.func @f(%x: i32) {{\n  {line}\n  tt.return\n}}\n")
    assert (error.line, error.column, error.problem) == (2, column, problem)
    assert error.text == f"  {line}"
    assert str(error) == f"TTGIR line 2, column {column}: {problem}\n2 |   {line}\n{' ' * (column + 3)}^"


def test_text_that_ends_too_early():
    error = refuse("tt.func @f() {\n  tt.return")
    assert (error.line, error.column) == (2, 12)
    assert error.problem == "the text ends inside an op or a region"


def test_empty_text():
    assert parse("").body.ops == []


def test_error_is_one_of_tlxs_and_survives_pickling():
    error = refuse("tt.func @f() {\n  ?\n}")
    assert isinstance(error, TLXError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)

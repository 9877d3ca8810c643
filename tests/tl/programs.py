"""Small kernels drawn at random: the source that Triton compiles, and the same statements in NumPy.

A program works on three matrices, two rows and two columns. Every statement gives one of them a new value of the same
shape, so that loops and branches may stand anywhere, and carry and join values in whatever layout they have.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

__all__ = ["Program", "programs"]

M, W = 16, 32
SHAPES = {"a": (M, W), "b": (M, W), "c": (M, W), "r": (W,), "s": (W,), "u": (M,), "v": (M,)}
MATRICES, ROWS, COLUMNS = ("a", "b", "c"), ("r", "s"), ("u", "v")
LIMIT = 99  # keeps float32 exact

HEAD = """\
import triton.language as tl


def program(x, row, column, out, n, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, W)
    there = i[:, None] * W + j[None, :]
    a = tl.load(x + there)
    b = tl.load(x + M * W + there)
    c = a - b
    r = tl.load(row + j)
    s = r + 1
    u = tl.load(column + i)
    v = u + 1
"""
TAIL = """\
    tl.store(out + there, a)
    tl.store(out + M * W + there, b)
    tl.store(out + 2 * M * W + there, c)
    tl.store(out + 3 * M * W + j, r)
    tl.store(out + 3 * M * W + W + j, s)
    tl.store(out + 3 * M * W + 2 * W + i, u)
    tl.store(out + 3 * M * W + 2 * W + M + i, v)
"""

Values = dict[str, np.ndarray]


@dataclass(frozen=True)
class Statement:
    """Source text, indented as at the margin, and its meaning: it changes the values, given `n`."""

    text: str
    run: Callable[[Values, int], None]


@dataclass(frozen=True)
class Expression:
    """Source text and its value."""

    text: str
    value: Callable[[Values], np.ndarray]


@dataclass(frozen=True)
class Program:
    """A kernel: its source, what it does, the element type and how many warps its task has, or none."""

    statements: tuple[Statement, ...]
    dtype: str
    form: str
    n: int

    @property
    def source(self) -> str:
        body = "".join(statement.text + "\n" for statement in self.statements)
        return HEAD + textwrap.indent(body, "    ") + TAIL

    def inputs(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(0)
        shapes = {"x": (2, M, W), "row": (W,), "column": (M,)}
        return {name: rng.integers(-9, 10, shape).astype(self.dtype) for name, shape in shapes.items()}

    def result(self) -> np.ndarray:
        """What `out` holds afterwards."""
        inputs = self.inputs()
        a, b = inputs["x"]
        r, u = inputs["row"], inputs["column"]
        values = {"a": a, "b": b, "c": a - b, "r": r, "s": r + 1, "u": u, "v": u + 1}
        with np.errstate(all="ignore"):
            for statement in self.statements:
                statement.run(values, self.n)
        return np.concatenate([values[name].ravel() for name in SHAPES]).astype(self.dtype)

    def __repr__(self) -> str:
        return f"{self.dtype}, {self.form}, n = {self.n}:\n{self.source}"


def bounded(expression: Expression) -> Expression:
    return Expression(
        f"tl.minimum(tl.maximum({expression.text}, -{LIMIT}), {LIMIT})",
        lambda values: np.minimum(np.maximum(expression.value(values), -LIMIT), LIMIT),
    )


def name_of(names: tuple[str, ...]) -> st.SearchStrategy[Expression]:
    return st.sampled_from(names).map(lambda name: Expression(name, lambda values: values[name]))


def across(text: str, function: Callable, *operands: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """An expression of operands; `text` has a place for each of them."""
    return st.tuples(*operands).map(
        lambda given: Expression(
            text.format(*(e.text for e in given)), lambda values: function(*(e.value(values) for e in given))
        )
    )


def binary(left, right) -> st.SearchStrategy[Expression]:
    return st.one_of(
        across("{} + {}", np.add, left, right),
        across("{} - {}", np.subtract, left, right),
        across("{} * {}", np.multiply, left, right),
        across("tl.maximum({}, {})", np.maximum, left, right),
        across("tl.minimum({}, {})", np.minimum, left, right),
        across("tl.where({0} > {1}, {1}, {0} - 1)", lambda a, b: np.where(a > b, b, a - 1), left, right),
    )


def summed(axis: int) -> Callable:
    return lambda a: a.sum(axis, dtype=a.dtype)


def accumulated(axis: int) -> Callable:
    return lambda a: np.cumsum(a, axis, dtype=a.dtype)


matrix, row, column = name_of(MATRICES), name_of(ROWS), name_of(COLUMNS)
wide_row = across("{}[None, :]", lambda r: r[None, :], row)
wide_column = across("{}[:, None]", lambda u: u[:, None], column)
EXPRESSIONS = {
    MATRICES: st.one_of(
        binary(matrix, matrix),
        binary(matrix, wide_row),
        binary(matrix, wide_column),
        across("tl.flip({}, 1)", lambda a: a[:, ::-1], matrix),
        across("tl.flip({}, 0)", lambda a: a[::-1], matrix),
        across("tl.cumsum({}, 0)", accumulated(0), matrix),
        across("tl.cumsum({}, 1)", accumulated(1), matrix),
        across("tl.reshape(tl.trans({}), (M, W))", lambda a: a.T.reshape(M, W), matrix),
        across("tl.trans(tl.reshape({}, (W, M)))", lambda a: a.reshape(W, M).T, matrix),
        across(
            "tl.reshape(tl.permute(tl.reshape({}, (M, 2, W // 2)), (1, 0, 2)), (M, W))",
            lambda a: a.reshape(M, 2, W // 2).transpose(1, 0, 2).reshape(M, W),
            matrix,
        ),
        across("tl.broadcast_to({}, (M, W))", lambda r: np.broadcast_to(r, (M, W)), wide_row),
        across("tl.gather({}, tl.zeros((M, W), tl.int32) + 3, 1)", lambda a: a[:, [3] * W], matrix),
    ),
    ROWS: st.one_of(
        binary(row, row),
        across("tl.sum({}, 0)", summed(0), matrix),
        across("tl.max({}, 0)", lambda a: a.max(0), matrix),
        across("tl.cumsum({}, 0)", accumulated(0), row),
        across("tl.interleave({0}, {0})", lambda u: np.repeat(u, 2), column),
    ),
    COLUMNS: st.one_of(
        binary(column, column),
        across("tl.sum({}, 1)", summed(1), matrix),
        across("tl.min({}, 1)", lambda a: a.min(1), matrix),
        across("tl.flip({}, 0)", lambda u: u[::-1], column),
        across("tl.sum(tl.reshape({}, (M, 2)), 1)", lambda r: r.reshape(M, 2).sum(1, dtype=r.dtype), row),
    ),
}


def statements(index: str | None) -> st.SearchStrategy[Statement]:
    """Statements without a body; `index` is the variable of the loop around them."""

    def assign(target: str, expression: Expression) -> Statement:
        kept = bounded(expression)
        return Statement(f"{target} = {kept.text}", lambda values, n: values.update({target: kept.value(values)}))

    def with_index(target: str, factor: int) -> Statement:
        return assign(
            target,
            Expression(f"{target} + {factor} * {index}", lambda values: values[target] + factor * values[index]),
        )

    plain = [st.builds(assign, st.sampled_from(names), expression) for names, expression in EXPRESSIONS.items()]
    indexed = [st.builds(with_index, st.sampled_from(list(SHAPES)), st.integers(1, 3))] if index else []
    return st.one_of(*plain, *indexed, swaps)


def swap(left: str, right: str) -> Statement:
    return Statement(
        f"{left}, {right} = {right}, {left}",
        lambda values, n: values.update({left: values[right], right: values[left]}),
    )


swaps = st.builds(swap, st.sampled_from(MATRICES), st.sampled_from(MATRICES)) | st.just(swap("r", "s"))


def block(statements: list[Statement]) -> str:
    return textwrap.indent("\n".join(s.text for s in statements), "    ")


def run_all(statements: list[Statement], values: Values, n: int) -> None:
    for statement in statements:
        statement.run(values, n)


def loop(index: str, bounds: str, trips: Callable[[int], int]) -> Callable[[list[Statement]], Statement]:
    def build(body: list[Statement]) -> Statement:
        def run(values, n):
            for i in range(trips(n)):
                values[index] = i
                run_all(body, values, n)

        return Statement(f"for {index} in {bounds}:\n{block(body)}", run)

    return build


def branch(limit: int, then: list[Statement], orelse: list[Statement]) -> Statement:
    text = f"if n > {limit}:\n{block(then)}" + (f"\nelse:\n{block(orelse)}" if orelse else "")
    return Statement(text, lambda values, n: run_all(then if n > limit else orelse, values, n))


def nested(index: str, inside: Callable[[str | None], st.SearchStrategy[Statement]]) -> st.SearchStrategy[Statement]:
    """Loops and branches around other statements; `inside` gives those for a loop's variable, or for none."""
    looped = st.lists(inside(index), min_size=1, max_size=3)
    several = st.lists(inside(None), min_size=1, max_size=3)
    return st.one_of(
        looped.map(loop(index, "range(n)", lambda n: n)),
        looped.map(loop(index, "tl.range(0, 3, loop_unroll_factor=2)", lambda n: 3)),
        several.map(loop(f"static_{index}", "tl.static_range(2)", lambda n: 2)),
        st.builds(branch, st.integers(0, 3), several, st.just([]) | several),
    )


@st.composite
def programs(draw) -> Program:
    """Programs of up to five statements, loops and branches nested twice at most."""
    inner = lambda index: statements(index) | nested("h", statements)  # noqa: E731
    statement = statements(None) | nested("k", inner)
    return Program(
        tuple(draw(st.lists(statement, min_size=1, max_size=5))),
        draw(st.sampled_from(["int32", "float32", "int64"])),
        draw(st.sampled_from(["outside", "1", "2", "4", "8"])),
        draw(st.integers(0, 3)),
    )

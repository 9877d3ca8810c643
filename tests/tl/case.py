"""What a case is: one plain Triton function with arguments, and the forms in which it becomes a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import triton
import triton.language as tl

import tlx

__all__ = ["CASES", "FORMS", "MINOR", "N", "STOCK", "Case", "case", "floats", "numbers", "output", "put", "put_tile"]

N = 64
MINOR = int(triton.__version__.split(".")[1])
STOCK = "stock"
FORMS = ("outside", "1", "2", "4", "8")
"""tlx outside of tasks, and inside a task of so many warps."""

CASES: dict[str, Case] = {}


@tlx.jit
def in_task(FUNCTION: tl.constexpr, arguments, NUM_WARPS: tl.constexpr):
    """Calls the function in a task of its own."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=NUM_WARPS):
            FUNCTION(*arguments)


@dataclass(frozen=True)
class Case:
    """A function with one set of arguments.

    Args:
        name: the function's name, and what this set shows if there are several.
        function: a plain Python function that `triton.jit` and `tlx.jit` take.
        arguments: by the function's parameters: arrays, numbers, compile-time values. `out` is what it writes.
        expected: what NumPy makes of the arrays but `out`: the rows of `out`; None where the stock kernel is the
            only reference.
        grid: programs.
        rtol: tolerance against NumPy, 0 for equal bits.
        gpu_rtol: tolerance between forms on a GPU, where layouts decide the order of sums and what is fused.
        options: launch options.
        check: what holds for four rows of `out` each, where NumPy has no such function: a truth value for each element.
        not_simulated: why the case is compiled only.
        refused: the reason, by form, why a form has an error; a part of its text.
    """

    name: str
    function: Callable
    arguments: dict[str, Any]
    expected: Callable[..., list] | None = None
    grid: int = 1
    rtol: float = 0
    gpu_rtol: float = 0
    options: dict[str, Any] = field(default_factory=dict)
    check: Callable[[np.ndarray], np.ndarray] | None = None
    not_simulated: str = ""
    refused: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def bind(self, form: str, to_tensor: Callable) -> tuple[Any, tuple, Any]:
        """The kernel of a form, fresh launch arguments for it, and the tensor behind `out`."""
        values = {k: to_tensor(v.copy()) if isinstance(v, np.ndarray) else v for k, v in self.arguments.items()}
        jit = triton.jit if form == STOCK else tlx.jit
        function = _jitted(jit, self.function)
        triton.set_allocator(lambda size, alignment, stream: to_tensor(np.zeros(size, "i1")))  # for device descriptors
        if form in (STOCK, "outside"):
            return function, tuple(values.values()), values["out"]
        constants = {name for name, p in inspect.signature(self.function).parameters.items() if _is_constant(p)}
        packed = tuple(tl.constexpr(v) if k in constants else v for k, v in values.items())
        return in_task, (function, packed, int(form)), values["out"]

    def compile(self, form: str, to_tensor: Callable):
        """Compiles without running."""
        kernel, arguments, _ = self.bind(form, to_tensor)
        return kernel.warmup(*arguments, grid=(self.grid,), **self.options)

    def run(self, form: str, to_tensor: Callable) -> Any:
        """Launches once; returns the tensor behind `out`."""
        kernel, arguments, out = self.bind(form, to_tensor)
        kernel[(self.grid,)](*arguments, **self.options)
        return out

    def reference(self) -> np.ndarray:
        """What NumPy gives for `out`."""
        arrays = {k: v.copy() for k, v in self.arguments.items() if isinstance(v, np.ndarray)}
        out = arrays.pop("out")
        with np.errstate(all="ignore"):
            rows = [np.asarray(row).astype(out.dtype).ravel() for row in self.expected(**arrays)]
        return np.concatenate(rows).reshape(out.shape)


_KERNELS: dict[tuple, Any] = {}


def _jitted(jit: Callable, function: Callable):
    """The function's kernel, made once: Triton keeps compiled code with it."""
    if (jit, function) not in _KERNELS:
        _KERNELS[jit, function] = jit(function)
    return _KERNELS[jit, function]


def _is_constant(parameter: inspect.Parameter) -> bool:
    return parameter.annotation in (tl.constexpr, "tl.constexpr")


def case(variant: Any = "", *, since: int = 0, until: int = 99, **description) -> Callable[[Callable], Callable]:
    """Declares a case of the decorated function; several for one function need a `variant` each.

    Args:
        since, until: the first and the last Triton minor that it works on.
        description: fields of `Case`; other names are arguments of the function.
    """
    fields = {k: description.pop(k) for k in list(description) if k in Case.__dataclass_fields__}

    def register(function: Callable) -> Callable:
        name = f"{function.__name__} {variant}".strip()
        if name in CASES:
            raise ValueError(f"two cases are named {name}")
        order = inspect.signature(function).parameters
        arguments = {parameter: description[parameter] for parameter in order}
        if since <= MINOR <= until:
            CASES[name] = Case(name, function, arguments, **fields)
        return function

    return register


# --- data, the same in every run -------------------------------------------------------------------------------------


def numbers(dtype, *shape: int, low: int = -8, high: int = 8) -> np.ndarray:
    """Small whole numbers: sums and products of them are exact in every dtype."""
    dtype = np.dtype(dtype)
    return (
        np.random.default_rng(sum(shape)).integers(max(0, low) if dtype.kind == "u" else low, high, shape).astype(dtype)
    )


def floats(dtype, *shape: int, low: float = -2, high: float = 2) -> np.ndarray:
    """Numbers in general position."""
    return np.random.default_rng(sum(shape)).uniform(low, high, shape).astype(dtype)


def output(*shape: int, dtype="f4") -> np.ndarray:
    """An array for results, filled with a number that no case computes."""
    return np.full(shape, 77).astype(dtype)


# --- helpers of cases ------------------------------------------------------------------------------------------------


@triton.jit
def put(out, row, value):
    """Writes a vector as a row of `out`."""
    i = tl.arange(0, value.shape[0])
    tl.store(out + row * value.shape[0] + i, value.to(out.dtype.element_ty))


@triton.jit
def put_tile(out, row, value):
    """Writes a matrix as a row of `out`."""
    M: tl.constexpr = value.shape[0]
    W: tl.constexpr = value.shape[1]
    i = tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :]
    tl.store(out + row * M * W + i, value.to(out.dtype.element_ty))

"""A row: one kind of mistake that people have reported, as the smallest kernel that makes it.

Kernels take what they need of these arguments, by name:

- `x`, `y`: descriptors of fp16[512, 64] in blocks of 64 x 64, 8,192 B each;
- `z`: a pointer to float32[4, 64, 64]; `p`: a pointer to fp16[64, 64]; `flag`: a pointer to int32[8], zeros;
- `ragged`: a descriptor of fp16[40, 50] in rows of 64 elements, in blocks of 64 x 64;
- `n`: 4; `none`: 0;
- `FIXED`: whether the mistake is corrected.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton
import triton.experimental.gluon.language as gl
import triton.language as tl
from triton.experimental.gluon._runtime import GluonJITFunction
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import NOTE, Finding, Rule, checking

__all__ = ["ARGUMENTS", "BYTES", "ROWS", "Row", "put", "row"]

BYTES = tl.constexpr(64 * 64 * 2)
"""Of a block."""

ROWS: list[Row] = []


@tlx.jit
def put(z, values, place: tl.constexpr = 0):
    """Stores a block of 64 x 64."""
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tl.store(z + place * 4096 + i * 64 + j, values.to(tl.float32))


@dataclass(frozen=True)
class Row:
    """One kind of mistake.

    Args:
        number: of the row in the log of reports.
        what: the mistake, in a few words.
        rules: those that the broken kernel breaks in every schedule; of a tuple one of them, whichever comes first.
        kernel: with a parameter FIXED.
        grid: programs.
        options: of the launch, beside the warps.
    """

    number: int
    what: str
    rules: tuple[Rule | tuple[Rule, ...], ...]
    kernel: Any
    grid: int
    options: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.number}: {self.what}"

    def run(self, fixed: bool, seed: int) -> list[Finding]:
        """What the check finds, notes aside."""
        parameters = inspect.signature(self.kernel.fn).parameters
        gluon = isinstance(self.kernel, GluonJITFunction)
        arguments = {name: ARGUMENTS[name](gluon) for name in parameters if name != "FIXED"}
        with checking(seed=seed, schedules=1) as checker:
            self.kernel[(self.grid,)](**arguments, FIXED=fixed, num_warps=4, **self.options)
        return [finding for finding in checker.findings if finding.severity != NOTE]

    def breaks_its_rules(self, findings: list[Finding]) -> bool:
        """Whether each of its rules is among the findings."""
        found = {finding.rule for finding in findings}
        return all(found & set(rule if isinstance(rule, tuple) else (rule,)) for rule in self.rules)


def row(
    number: int, what: str, *rules: Rule | tuple[Rule, ...], grid: int = 1, until: int = 99, options: dict | None = None
) -> Callable:
    """Declares the decorated kernel as a row, for Triton 3.x up to that minor."""

    def declare(kernel):
        if int(triton.__version__.split(".")[1]) <= until:
            ROWS.append(Row(number, what, rules, kernel, grid, options or {}))
        return kernel

    return declare


def _blocks(gluon: bool):
    values = sim.array(np.random.default_rng(0).integers(-3, 4, (512, 64)).astype(np.float16))
    if gluon:
        layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
        return GluonDescriptor(values, [512, 64], [64, 1], [64, 64], layout)
    return TensorDescriptor.from_tensor(values, [64, 64])


def _ragged(gluon: bool):
    return TensorDescriptor(sim.array(np.zeros((64, 64), np.float16)), [40, 50], [64, 1], [64, 64])


ARGUMENTS: dict[str, Callable[[bool], Any]] = {
    "x": _blocks,
    "y": _blocks,
    "ragged": _ragged,
    "z": lambda _: sim.array(np.full((4, 64, 64), 7, np.float32)),
    "p": lambda _: sim.array(np.ones((64, 64), np.float16)),
    "flag": lambda _: sim.array(np.zeros(8, np.int32)),
    "n": lambda _: 4,
    "none": lambda _: 0,
}

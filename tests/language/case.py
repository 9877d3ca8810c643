"""What a language case is: a small kernel, its arguments, and what its outputs hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from triton.tools.tensor_descriptor import TensorDescriptor

from tlx import sim
from tlx.compiler.jit import TLXFunction

__all__ = ["TMA", "Case", "integers", "output", "run_simulated"]

BFLOAT16 = "bfloat16"


@dataclass(frozen=True)
class TMA:
    """An array that the kernel reaches through a descriptor of blocks of this shape."""

    values: np.ndarray
    block: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One kernel with one set of arguments.

    Args:
        name: what the case shows.
        kernel: the tlx-jitted function.
        arguments: by the kernel's names: arrays, `TMA`, numbers, compile-time values.
        expected: what arrays of the arguments hold after the launch, by name.
        grid: programs along x, or along each axis.
        options: launch options such as `num_warps`.
        ttgir: how often a text stands in the TTGIR, for facts that the result doesn't show.
        ptx: likewise in the PTX.
        simulated: whether the simulator knows all of its ops.
    """

    name: str
    kernel: TLXFunction
    arguments: dict[str, Any]
    expected: dict[str, np.ndarray]
    grid: int | tuple[int, ...] = 1
    options: dict[str, Any] = field(default_factory=dict)
    ttgir: dict[str, int] = field(default_factory=dict)
    ptx: dict[str, int] = field(default_factory=dict)
    simulated: bool = True

    def __str__(self) -> str:
        return self.name

    @property
    def programs(self) -> tuple[int, ...]:
        """The grid of a launch."""
        return self.grid if isinstance(self.grid, tuple) else (self.grid,)

    def bind(self, to_tensor) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fresh launch arguments and, by name, the tensors behind them; `to_tensor` makes one of a copied array."""
        arguments, tensors = {}, {}
        for name, value in self.arguments.items():
            if isinstance(value, TMA):
                tensors[name] = to_tensor(value.values.copy())
                value = TensorDescriptor.from_tensor(tensors[name], list(value.block))
            elif isinstance(value, np.ndarray):
                value = tensors[name] = to_tensor(value.copy())
            arguments[name] = value
        return arguments, tensors

    def launch(self, to_tensor) -> dict[str, Any]:
        """Launches once; returns the tensors."""
        arguments, tensors = self.bind(to_tensor)
        self.kernel[self.programs](**arguments, **self.options)
        return tensors

    def compiled(self):
        """The kernel as the simulated launch compiles it, without running it."""
        arguments, _ = self.bind(sim.array)
        with sim.simulating():
            return self.kernel.warmup(**arguments, **self.options, grid=self.programs)


def run_simulated(case: Case) -> dict[str, np.ndarray]:
    """What the arrays hold after the case ran in the simulator."""
    with sim.simulating():
        return {name: tensor.numpy() for name, tensor in case.launch(sim.array).items()}


def integers(*shape: int, low: int = -3, high: int = 4, dtype=np.float32) -> np.ndarray:
    """Small whole numbers, the same in every run: sums and products of them are exact in every dtype."""
    return np.random.default_rng(sum(shape)).integers(low, high, shape).astype(dtype)


def output(*shape: int, dtype=np.float32) -> np.ndarray:
    """An array for results, filled with a number that no case computes."""
    return np.full(shape, 77, dtype)

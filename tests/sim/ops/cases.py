"""What a test of a whole kernel is: arguments, grid, and the arrays that NumPy expects after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import triton

N = 128
MINOR = int(triton.__version__.split(".")[1])


@dataclass
class Case:
    """A launch.

    Args:
        kernel: a `@triton.jit` function.
        arrays: pointer arguments by name.
        expected: arrays by name after the launch, from the arrays before it.
        scalars, constants: the other arguments.
        grid: programs.
        rtol: 0 demands equal bits.
        gpu_rtol: for the GPU where it approximates what the simulator rounds correctly.
    """

    kernel: Callable
    arrays: dict[str, np.ndarray]
    expected: Callable[..., dict[str, np.ndarray]]
    scalars: dict[str, int | float] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)
    rtol: float = 0
    gpu_rtol: float = 0


def numbers(dtype, *shape: int, low=-8, high=8) -> np.ndarray:
    """Small integers of any dtype: sums and products are exact."""
    return np.random.default_rng(0).integers(low, high, shape or (N,)).astype(dtype)


def floats(dtype, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(0.1, 2, shape or (N,)).astype(dtype)

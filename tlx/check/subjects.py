"""What `tlx check` can be pointed at: a function that launches kernels, a kernel, a file of TTGIR."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonJITFunction
from triton.experimental.gluon.language import NVMMASharedLayout
from triton.experimental.gluon.language import dtype as gluon_dtype
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from ..ir.model import Op, TensorDescType
from ..sim.agents import Observer
from ..sim.arguments import bind
from ..sim.code import Code
from ..sim.device import HOPPER
from ..sim.launch import Launch, simulate
from ..sim.program import code_of_file
from .api import checking
from .arguments import ArraySpec, Usage, arguments_of
from .checker import Checker
from .findings import Finding
from .static import check_module

__all__ = ["check_callable", "check_file", "run_callable", "run_file"]

_KERNELS = (JITFunction, Autotuner, Heuristics)


def check_callable(
    path: str, name: str, arguments: Sequence[str], grid: tuple[int, ...], options: dict, seeds: range
) -> list[Finding]:
    """What is wrong with the kernels that a function of a Python file launches, or with a kernel of it.

    Args:
        arguments: `NAME=VALUE`, for the function or the kernel.
        grid: of a kernel.
        options: launch options of a kernel.

    Raises:
        Usage: the file has no such function.
    """
    with checking(seed=seeds.start, schedules=len(seeds)) as checker:
        run_callable(path, name, arguments, grid, options)
    if not checker.runs:
        raise Usage(f"{name} launched nothing", hint="point at a kernel, or at a function that launches one")
    return checker.findings


def run_callable(path: str, name: str, arguments: Sequence[str], grid: tuple[int, ...], options: dict) -> None:
    """Calls a function of a Python file, or launches a kernel of it; the arguments are those of `check_callable`.

    Raises:
        Usage: the file has no such function.
    """
    subject = getattr(_module(path), name, None)
    if isinstance(subject, _KERNELS):
        subject[grid](**arguments_of(arguments, lambda _, spec: _tensor(spec, subject)), **options)
    elif isinstance(subject, FunctionType):
        subject(**arguments_of(arguments, lambda _, spec: _tensor(spec, None)))
    else:
        raise Usage(f"{path} has no function or kernel {name}")


def check_file(path: str, arguments: Sequence[str], grid: tuple[int, ...], seeds: range) -> list[Finding]:
    """What is wrong with the kernel in a `.ttgir` file. It is run only with arguments; without, it is only read."""
    code = _code(path)
    if not arguments:
        return check_module(code.module)
    checker = Checker(check_module)
    _run(code, arguments, grid, seeds, checker)
    return checker.findings


def run_file(path: str, arguments: Sequence[str], grid: tuple[int, ...], seeds: range, observer: Observer) -> None:
    """Runs the kernel in a `.ttgir` file."""
    _run(_code(path), arguments, grid, seeds, observer)


def _code(path: str) -> Code:
    _existing(path)
    try:
        return code_of_file(path, GPUTarget("cuda", HOPPER.target.arch, HOPPER.target.warp_size))
    except RuntimeError as error:  # Triton has printed what is wrong
        raise Usage(f"{path} is no TTGIR that Triton {triton.__version__} can read: {error}") from error


def _run(code: Code, arguments: Sequence[str], grid: tuple[int, ...], seeds: range, observer: Observer) -> None:
    values = _launch_values(code.kernel.op, arguments_of(arguments, lambda _, spec: spec))
    clusters = _clusters((*grid, 1, 1)[:3], code.cluster)
    simulate(lambda seed: Launch(code, clusters, *values, HOPPER, seed, observer), seeds)


def _clusters(grid: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The clusters of a grid of programs."""
    if any(programs % size for programs, size in zip(grid, shape)):
        raise Usage(f"the grid {grid} is no multiple of the kernel's clusters of {shape}")
    return tuple(programs // size for programs, size in zip(grid, shape))


def _existing(path: str) -> Path:
    if not Path(path).is_file():
        raise Usage(f"there is no file {path}")
    return Path(path)


def _module(path: str):
    file = _existing(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Triton finds a kernel's globals through it
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def _tensor(spec: ArraySpec, kernel):
    values = spec.make()
    if spec.block is None:
        return values
    if isinstance(kernel, GluonJITFunction):
        layout = NVMMASharedLayout.get_default_for(list(spec.block), gluon_dtype(str(values.dtype)))
        return GluonDescriptor(values, list(values.shape), list(values.stride()), list(spec.block), layout)
    return TensorDescriptor.from_tensor(values, list(spec.block))


def _launch_values(function: Op, given: dict) -> tuple[tuple, tuple]:
    """The values and storages of a kernel's arguments; a descriptor's block is the one of its type."""
    names, values = [], []
    parameters = iter(function.regions[0].entry.arguments)
    for parameter in parameters:
        name = parameter.location.name or parameter.name
        if name not in given:
            raise Usage(f"argument {name} of type {parameter.type} is missing")
        value = given[name]
        if isinstance(value, ArraySpec):
            value = value.make()
        if isinstance(parameter.type, TensorDescType):
            value = TensorDescriptor.from_tensor(value, list(parameter.type.block.shape))
            for _ in range(2 * len(value.block_shape)):  # its sizes and strides follow it
                next(parameters)
        names.append(name)
        values.append(value)
    unknown = given.keys() - set(names)
    if unknown:
        raise Usage(f"the kernel has no argument {', '.join(sorted(unknown))}; it has {', '.join(names)}")
    return bind(function, dict.fromkeys(names, ""), tuple(values))

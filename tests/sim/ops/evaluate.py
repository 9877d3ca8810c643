"""Runs one op's meaning on given operands, without a parser or a machine."""

import re
from types import SimpleNamespace

import numpy as np

from tlx.ir.model import Op, PointerType, ScalarType, TensorType, Value
from tlx.sim import ops as _registers_all  # noqa: F401
from tlx.sim.ops.registry import handler
from tlx.sim.pointers import Argument, GlobalMemory, Pointers
from tlx.source import Location

HERE = Location("kernel.py", 7, 3)


def mlir(text: str):
    """`f32`, `*bf16` (a pointer), `4x2xf32`, `4x*i32`."""
    *shape, element = re.split(r"(?<=\d)x", text)
    element_type = PointerType(ScalarType(element[1:])) if element.startswith("*") else ScalarType(element)
    return TensorType(tuple(map(int, shape)), element_type) if shape else element_type


def group(*arguments: Argument, program_id=(0, 0, 0), grid=(1, 1, 1)):
    return SimpleNamespace(
        cta=SimpleNamespace(ctaid=program_id, program_id=program_id),
        launch=SimpleNamespace(memory=GlobalMemory(arguments), grid=grid),
        evaluate=lambda region, *values: region(*values),
    )


def run(name, *values, result="", operands="", on=None, combine=None, **attributes):
    """What the op of that name makes of `values`.

    Args:
        result, operands: types, separated by spaces, where the op's meaning depends on them.
        on: a `group`.
        combine: the region, as a Python function.
    """
    op = Op(
        name,
        operands=[Value("operand", mlir(t)) for t in operands.split()],
        results=[Value("result", mlir(t)) for t in result.split()],
        attributes=attributes,
        regions=[combine] if combine else [],
        location=HERE,
    )
    return handler(name)(on or group(), op, *values)


def argument(array: np.ndarray, name: str = "x") -> Argument:
    """A NumPy array, or a view of one, as a kernel's argument."""
    base = array if array.base is None else array.base
    return Argument(name, array.ctypes.data, base.ctypes.data, base.nbytes, array.dtype, array)


def pointers(argument: Argument, *indices: int) -> Pointers:
    """Pointers to those elements; a scalar for a single index."""
    addresses = argument.address + argument.dtype.itemsize * np.array(indices, np.int64)
    return Pointers(addresses if len(indices) > 1 else addresses[0], argument)


def same(actual, expected) -> None:
    """Equal in dtype, shape and bits, where any NaN equals any other."""
    expected = np.asarray(expected)
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype.kind in "fV":
        nan = np.isnan(expected)
        assert (np.isnan(actual) == nan).all(), (actual, expected)
        actual, expected = actual[~nan], expected[~nan]
    assert actual.tobytes() == expected.tobytes(), (actual, expected)

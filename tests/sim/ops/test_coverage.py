"""Every op that stock Triton makes of ordinary kernels has a meaning."""

import numpy as np
import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from tests.sim.ops.cases import Case
from tests.sim.ops.stock_kernels import KERNELS
from tests.sim.ops.stock_programs import PROGRAMS
from tlx import ir
from tlx.sim import ops as _registers_all  # noqa: F401
from tlx.sim.ops.registry import handler

CASES = KERNELS | PROGRAMS
TERMINATORS = ("return", "yield", ".condition")
TYPES = {"bool": "i1", "bfloat16": "bf16", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}


def triton_type(dtype: np.dtype) -> str:
    kind = {"f": "fp", "i": "i", "u": "u"}.get(dtype.kind, "")
    return TYPES.get(dtype.name) or f"{kind}{8 * dtype.itemsize}"


def compiled(case: Case) -> str:
    signature = {name: "*" + triton_type(array.dtype) for name, array in case.arrays.items()}
    signature |= {name: "fp32" if isinstance(value, float) else "i32" for name, value in case.scalars.items()}
    signature |= dict.fromkeys(case.constants, "constexpr")
    source = ASTSource(case.kernel, {name: signature[name] for name in case.kernel.arg_names}, case.constants)
    target = GPUTarget("cuda", 90, 32)
    return triton.compile(source, target=target).asm["ttgir"]


@pytest.mark.parametrize("name", CASES)
def test_all_ops_of_a_stock_kernel_have_a_meaning(name):
    module = ir.parse(compiled(CASES[name]))
    names = {op.name for op in module.walk() if not op.successors and not op.name.endswith(TERMINATORS)}
    assert {name for name in names - {"tt.func"} if handler(name) is None} == set()

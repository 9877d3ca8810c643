"""Stock kernels are compiled by stock Triton, whether or not tlx is there."""

import os
import subprocess
import sys
from pathlib import Path

from triton.compiler import code_generator, compiler
from triton.runtime import jit

import tlx
from tests.language.tasks import registers

ROOT = Path(__file__).parents[2]

PROGRAM = """
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def kernel(x, y, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y + i, tl.sum(tl.load(x + i, mask=i < n)) + i, mask=i < n)

def ptx():
    source = ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "N": "constexpr"}, {"N": 256})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": True}).asm["ptx"]

before = ptx()
import tlx
from tests.language.tasks import registers
tlx.compile(registers, {"y": "*i32"})
after = ptx()
assert before == after
"""


def test_a_stock_kernel_compiles_to_the_same_code(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TRITON_ALWAYS_COMPILE": "1"}
    answer = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=120)
    assert answer.returncode == 0, answer.stderr


def test_compiling_changes_nothing_in_tritons_modules():
    modules = [code_generator, compiler, jit]
    before = [dict(vars(module)) for module in modules]
    generator = dict(vars(code_generator.CodeGenerator))
    tlx.compile(registers, {"y": "*i32"})
    assert [dict(vars(module)) for module in modules] == before
    assert dict(vars(code_generator.CodeGenerator)) == generator

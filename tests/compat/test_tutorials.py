"""fbtriton's Hopper tutorials, unchanged: compiled, simulated and checked at small sizes, and run on a GPU."""

import re
from dataclasses import replace

import pytest

from tlx.check import checking
from tlx.compiler.jit import TLXFunction
from tools.compare_fbtriton import CASES, TOLERANCE, Case, error_of, load

SMALL = {1: (3000,), 3: (256, 512, 320), 4: (1, 2, 384, 128)}  # by rank
SKINNY = {"skinny, TMA": (128, 128, 1024), "skinny, cp.async": (128, 128, 8448)}

# Their last trips start copies that nobody waits for: fully masked ones, but they still write zeros to shared memory,
# and PTX doesn't say that it stays the CTA's own until they have.
LEAVE_COPIES_IN_FLIGHT = {"128x256x64 s3 8 warps", "skinny, cp.async"}


def small(case: Case) -> Case:
    return replace(case, shape=SKINNY.get(case.config, SMALL[len(case.shape)]))


EACH = {f"{case.name} {case.config}": small(case) for case in CASES}
# Results that the epilogues store through pointers: one of a GEMM, the logarithm of the sums of each of two consumers.
THROUGH_POINTERS = {
    **dict.fromkeys(LEAVE_COPIES_IN_FLIGHT | SKINNY.keys(), 1),
    **dict.fromkeys({case.name for case in CASES if len(case.shape) == 4}, 2),
}

each_case = pytest.mark.parametrize("case", EACH.values(), ids=EACH)


@each_case
def test_checked(case, tutorials):
    """The result is right in the simulator, and the checker finds what is wrong and nothing else."""
    with checking(schedules=2) as checker:
        result, expected = case.run(load(tutorials, case.name), case.shape)
    assert error_of(result, expected) < TOLERANCE
    faults = {finding.rule.name for finding in checker.findings if finding.severity != "note"}
    assert faults == ({"engine-in-flight"} if case.config in LEAVE_COPIES_IN_FLIGHT else set()), checker.findings


@pytest.fixture
def kernels(tutorials, monkeypatch):
    """What the tutorials launch is compiled and kept here, and not run."""
    compiled, run = [], TLXFunction.run

    def compile_only(self, *args, grid, warmup, **kwargs):
        compiled.append(run(self, *args, grid=grid, warmup=True, **kwargs))

    monkeypatch.setattr(TLXFunction, "run", compile_only)
    return compiled


@each_case
def test_compiled(case, kernels, tutorials):
    """No loop converts layouts through shared memory: tensors meet the tensor cores and descriptors as they are."""
    case.run(load(tutorials, case.name), case.shape)
    (kernel,) = kernels
    assert kernel.asm["cubin"]
    conversions = re.findall(r"ttg.convert_layout .* -> tensor<(.*), (#.*)>", kernel.asm["ttgir"])
    through_pointers = [(shape, layout) for shape, layout in conversions if not layout.startswith("#ttg.dot_op")]
    assert len(through_pointers) == THROUGH_POINTERS.get(case.name if len(case.shape) == 4 else case.config, 0)


HOPPER_TESTS = [
    "test_hopper_gemm_pipelined",
    "test_hopper_gemm_ws",
    "test_hopper_gemm_ws_warp_barrier",
    "test_hopper_fa_ws",
    "test_hopper_fa_ws_pipelined",
    "test_hopper_fa_ws_pipelined_pingpong",
    "test_hopper_fa_ws_pipelined_pingpong_persistent",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", HOPPER_TESTS)
def test_metas_tests_simulated(name, correctness):
    """Meta's own tests pass at small sizes in the simulator."""
    correctness.Gemm.SHAPES = [(256, 256, 192)]
    correctness.FlashAttention.SHAPES = [(1, 2, 256, 128)]
    with checking(schedules=1):
        getattr(correctness, name)()


@pytest.mark.gpu
@pytest.mark.parametrize("name", HOPPER_TESTS)
def test_metas_tests(name, correctness):
    """Meta's own tests pass as they are."""
    getattr(correctness, name)()


@pytest.mark.gpu
@each_case
def test_on_gpu(case, tutorials):
    """The result is right on a GPU, at the same sizes as in the simulator and at sizes of many tiles."""
    for shape in (case.shape, {1: (1 << 20,), 3: (1024, 1024, 1024), 4: (2, 4, 1024, 128)}[len(case.shape)]):
        if case.config not in SKINNY or shape == case.shape:
            assert error_of(*case.run(load(tutorials, case.name), shape)) < TOLERANCE

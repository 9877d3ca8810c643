"""Stock Triton kernels give in the simulator what NumPy gives, and so do they on a GPU."""

import numpy as np
import pytest
import triton
import triton.language as tl

from tests.sim.ops.cases import Case
from tests.sim.ops.edge_kernels import EDGES
from tests.sim.ops.stock_kernels import KERNELS
from tests.sim.ops.stock_programs import PROGRAMS
from tlx import sim


def launch(case: Case, arguments: dict) -> None:
    case.kernel[case.grid](**arguments, **case.scalars, **case.constants)


def simulated(case: Case, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    with sim.simulating():
        launch(case, {name: sim.array(array) for name, array in arrays.items()})
    return arrays


def on_gpu(case: Case, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    import torch

    def tensor(array: np.ndarray):
        name = array.dtype.name
        if array.dtype.kind != "V" and not name.startswith("float8"):
            return torch.from_numpy(array).cuda()
        return torch.from_numpy(array.view(f"u{array.itemsize}")).cuda().view(getattr(torch, name))

    tensors = {name: tensor(array) for name, array in arrays.items()}
    launch(case, tensors)
    return {
        name: tensors[name].contiguous().view(torch.uint8).cpu().numpy().view(array.dtype).reshape(array.shape)
        for name, array in arrays.items()
    }


def close(actual: np.ndarray, expected: np.ndarray, rtol: float) -> None:
    """Equal up to `rtol`, in bits if that is 0; any NaN equals any other."""
    if expected.dtype.kind not in "iub":
        actual, expected = actual.astype("f8"), expected.astype("f8")
    if rtol:
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(actual, expected)


CASES = KERNELS | PROGRAMS | EDGES
BACKENDS = [pytest.param(simulated, id="simulated"), pytest.param(on_gpu, id="gpu", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("run", BACKENDS)
@pytest.mark.parametrize("name", CASES)
def test_a_stock_kernel_agrees_with_numpy(name, run):
    case = CASES[name]
    before = {name: array.copy() for name, array in case.arrays.items()}
    after = run(case, {name: array.copy() for name, array in case.arrays.items()})
    expected = before | case.expected(**before)
    for argument, array in expected.items():
        assert after[argument].dtype == array.dtype
        close(after[argument], array, max(case.rtol, case.gpu_rtol) if run is on_gpu else case.rtol)


@triton.jit
def assert_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(tl.load(x + i) >= 0, "x is negative")


def test_a_failed_assertion_shows_message_and_line():
    x = np.arange(4, dtype=np.int32) - 1
    with sim.simulating(), pytest.raises(sim.AssertionFailed, match="x is negative at .0,., 1 of 4 elements") as caught:
        assert_kernel[(1,)](sim.array(x), N=4, debug=True)
    assert 'tl.device_assert(tl.load(x + i) >= 0, "x is negative")' in str(caught.value)


@triton.jit
def scale_kernel(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, 2 * tl.load(x + i, i < n, other=0))


def test_a_missing_mask_is_found_and_shown():
    x, out = np.zeros(100, np.float32), np.zeros(100, np.float32)
    with sim.simulating(), pytest.raises(sim.OutOfBounds) as caught:
        scale_kernel[(2,)](sim.array(x), sim.array(out), 100, N=64)
    assert "store of out[100..127] is outside the storage of out" in caught.value.what
    assert "112 B past the end, 28 of 64 lanes, in program (1, 0, 0)" in caught.value.what
    assert "tl.store(out + i, 2 * tl.load(x + i, i < n, other=0))" in str(caught.value)


@triton.jit
def swap_halves_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    swapped = tl.inline_asm_elementwise("prmt.b32 $0, $1, 0, 0x1032;", "=r,r", [tl.load(x + i)], tl.int32, True, 1)
    tl.store(out + i, swapped)


def test_inline_ptx_needs_a_meaning():
    x, out = np.array([0x12345678, 1], np.int32), np.zeros(2, np.int32)
    with sim.simulating():
        with pytest.raises(sim.UnknownFunction, match="prmt.b32 .0, .1, 0, 0x1032"):
            swap_halves_kernel[(1,)](sim.array(x), sim.array(out), N=2)
        sim.device_function("prmt.b32 $0, $1, 0, 0x1032;")(lambda value: (value << 16) | (value >> 16 & 0xFFFF))
        swap_halves_kernel[(1,)](sim.array(x), sim.array(out), N=2)
    assert list(out) == [0x56781234, 0x10000]

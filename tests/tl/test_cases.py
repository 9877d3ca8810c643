"""The oracle: every form of every case gives the stock kernel's bits, and NumPy's numbers."""

from functools import cache

import ml_dtypes  # noqa: F401  (its dtypes by name)
import numpy as np
import pytest

from tests.tl.case import FORMS, STOCK, Case
from tests.tl.cases import CASES
from tlx import sim

each_case = pytest.mark.parametrize("case", CASES.values(), ids=str)
THOROUGH = ("2", "8")
each_form = pytest.mark.parametrize(
    "form", [pytest.param(form, marks=pytest.mark.thorough) if form in THOROUGH else form for form in FORMS]
)


@cache
def stock(case_name: str) -> np.ndarray:
    return simulated(CASES[case_name], STOCK)


def simulated(case: Case, form: str) -> np.ndarray:
    with sim.simulating():
        return case.run(form, sim.array).numpy()


def same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal, where any NaN equals any other, and a negative zero is not a positive one."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    nan = np.zeros(actual.shape, bool) if actual.dtype.kind in "iub" else np.isnan(actual.astype("f8"))
    shown = (actual, expected) if actual.dtype.kind in "iub" else (actual.astype("f8"), expected.astype("f8"))
    np.testing.assert_array_equal(*shown)
    assert actual[~nan].tobytes() == expected[~nan].tobytes()


def close(actual: np.ndarray, expected: np.ndarray, rtol: float) -> None:
    if actual.dtype.kind not in "iub":
        actual, expected = actual.astype("f8"), expected.astype("f8")
    if rtol:
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(actual, expected)


def agrees(case: Case, found: np.ndarray, rtol: float) -> None:
    """With NumPy, or with what the case knows of its result."""
    if case.expected is not None:
        close(found, case.reference(), rtol)
    if case.check is not None:
        for first in range(0, len(found), 4):
            assert case.check(found[first : first + 4]).all(), f"rows from {first}"


@each_case
def test_the_stock_kernel_agrees_with_numpy(case):
    if not case.not_simulated:
        agrees(case, stock(case.name), case.rtol)


def messages(error: BaseException | None) -> str:
    """An error's text and that of its causes: Triton shows the outermost call first."""
    return f"{error}\n{messages(error.__cause__)}" if error else ""


@each_form
@each_case
def test_a_form_gives_the_stock_bits(case, form, record_property):
    record_property("case", case.name)
    record_property("form", form)
    if form in case.refused:
        with sim.simulating(), pytest.raises(Exception) as caught:
            case.run(form, sim.array)
        assert case.refused[form] in messages(caught.value)
        record_property("refused", case.refused[form])
        return
    with sim.simulating():
        assert case.compile(form, sim.array).asm["cubin"]
    record_property("compiled", True)
    if case.not_simulated:
        record_property("not simulated", case.not_simulated)
        return
    same_bits(simulated(case, form), stock(case.name))


# --- on a GPU --------------------------------------------------------------------------------------------------------

BITS = {1: np.uint8, 2: np.int16}  # dtypes that torch doesn't take from NumPy travel as these


def to_cuda(values: np.ndarray):
    import torch

    if hasattr(np, values.dtype.name):
        return torch.from_numpy(values).cuda()
    return torch.from_numpy(values.view(BITS[values.itemsize])).cuda().view(getattr(torch, values.dtype.name))


def on_gpu(case: Case, form: str) -> np.ndarray:
    import torch

    out = case.arguments["out"]
    tensor = case.run(form, to_cuda)
    return tensor.contiguous().view(torch.uint8).cpu().numpy().view(out.dtype).reshape(out.shape)


@pytest.mark.gpu
@each_form
@each_case
def test_a_form_on_the_gpu(case, form, record_property):
    """Equal to the stock kernel on the GPU, and close to NumPy."""
    record_property("case", case.name)
    record_property("form", form)
    if form in case.refused:
        record_property("refused", case.refused[form])
        return
    found = on_gpu(case, form)
    close(found, on_gpu(case, STOCK), case.gpu_rtol)
    agrees(case, found, max(case.rtol, case.gpu_rtol))

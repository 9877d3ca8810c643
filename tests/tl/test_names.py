"""Every public name of the installed Triton has a case, or a reason why it has none."""

import pytest

from tests.tl.cases import CASES
from tests.tl.names import REASONS, public_names, reason_without_case, uses

USED = set().union(*(uses(case.function) for case in CASES.values()))


@pytest.mark.parametrize("name", public_names())
def test_a_name_has_a_case_or_a_reason(name):
    assert (name in USED) != bool(reason_without_case(name))


def test_names_come_from_the_wheel():
    assert {"tl.sum", "tensor.sum", "math.exp", "libdevice.tanh", "tensor_descriptor.load", "cuda.smid"} <= set(
        public_names()
    )


def test_an_unlisted_name_is_missed():
    assert not reason_without_case("tl.new_function")
    assert "tl.new_function" not in USED


def test_uses_looks_into_helpers():
    assert {"tl.store", "tl.cumsum", "tensor.cumsum"} <= uses(CASES["scans"].function)


def test_reasons_are_of_names_that_some_minor_has():
    assert all("." in name for name in REASONS)

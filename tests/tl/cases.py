"""Every case, by name."""

from tests.tl import (  # noqa: F401
    cases_arithmetic,
    cases_control,
    cases_dot,
    cases_language,
    cases_libdevice,
    cases_math,
    cases_memory,
    cases_random,
    cases_reduce,
    cases_shape,
)
from tests.tl.case import CASES

__all__ = ["CASES"]

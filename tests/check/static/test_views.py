"""Which bytes two views of one allocation have in common, as far as reading tells."""

import pytest

from tlx.check.analysis.expressions import Linear
from tlx.check.analysis.views import View, overlap

ROOT = object()


def slot(number: int, size: int) -> View:
    return View(ROOT, (Linear(number),), None, (size,))


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (slot(1, 512), slot(1, 512), True),
        (slot(1, 512), slot(2, 512), False),
        (slot(1, 512), slot(0, 1024), True),
        (slot(2, 512), slot(0, 1024), False),
        (slot(1, 256), slot(0, 512), True),
    ],
)
def test_slots_are_compared_by_their_bytes(a, b, found):
    assert overlap(a, b) is found
    assert overlap(b, a) is found

"""Where rings lie in memory that they share, in bytes and slots."""

import itertools

import pytest

from tlx.language.placement import Digit, Leaf, Node, Place, places_of

QK = Leaf(0, "qk", bytes=4096, count=2)
P = Leaf(1, "p", bytes=1024, count=4)
SUMS = Leaf(2, "sums", bytes=256, count=2)


def begins(leaf: Leaf, place: Place) -> list[int]:
    """The first byte of each slot."""
    return [place.index(slot, None) * leaf.bytes for slot in range(leaf.count)]


def test_rings_begin_together_without_a_group():
    total, places = places_of([QK, P], None, 0)
    assert total == 8192
    assert begins(QK, places[0]) == [0, 4096]
    assert begins(P, places[1]) == [0, 1024, 2048, 3072]


def test_a_group_shares_slots_of_the_same_number():
    total, places = places_of([QK, SUMS], Node((QK, SUMS), distinct=False, group_size=1), 0)
    assert total == 8192
    assert begins(SUMS, places[2]) == [0, 4096]
    assert places[2] == Place(slots=32, digits=(Digit(None, 16),))


def test_groups_in_groups():
    pair = Node((P,), distinct=False, group_size=2)
    root = Node((QK, Node((pair, SUMS), distinct=True, group_size=1)), distinct=False, group_size=1)
    total, places = places_of([QK, P, SUMS], root, 0)
    assert total == 8192
    assert begins(QK, places[0]) == [0, 4096]
    assert begins(P, places[1]) == [0, 1024, 4096, 5120]
    assert begins(SUMS, places[2]) == [2048, 6144]


def test_digits_that_go_on_are_one():
    root = Node((P,), distinct=False, group_size=4)
    assert places_of([P], root, 0)[1][1] == Place(slots=4, digits=(Digit(None, 1),))


def test_a_size_that_was_asked_for_is_filled_up_to_whole_slots():
    total, places = places_of([P], None, 5000)
    assert (total, places[1].slots) == (5120, 5)


@pytest.mark.parametrize("sizes", [*itertools.product([16, 128, 1024], repeat=3)])
def test_side_by_side_nothing_overlaps(sizes):
    leaves = [Leaf(i, f"leaf{i}", size, 3) for i, size in enumerate(sizes)]
    total, places = places_of(leaves, Node(tuple(leaves), distinct=True, group_size=1), 0)
    spans = sorted((first, first + leaf.bytes) for leaf in leaves for first in begins(leaf, places[leaf.key]))
    assert all(end <= first for (_, end), (first, _) in itertools.pairwise(spans))
    assert spans[-1][1] <= total

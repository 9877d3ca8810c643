"""Vector clocks, and the bytes that accesses share."""

import numpy as np
import pytest

from tests.sim.views import view
from tlx.check.clocks import Components, join, knows
from tlx.check.shadow import Access, Shadow
from tlx.sim.agents import Agent


def agent(name: str) -> Agent:
    return Agent("group", name)


def test_a_clock_takes_the_later_time_of_each_component():
    clock = {0: 3, 1: 1}
    join(clock, {1: 2, 2: 5})
    assert clock == {0: 3, 1: 2, 2: 5}
    assert knows(clock, [(0, 3), (2, 5)])
    assert not knows(clock, [(1, 3)])
    assert not knows(clock, [(7, 1)])


def test_what_follows_a_release_is_not_known():
    components = Components()
    one, other = components.first(agent("one")), components.first(agent("other"))
    before = one.epoch
    components.release(one, "an arrival", None)
    other.learn({one.component: before[1]}, {})
    assert knows(other.seen, [before])
    assert not knows(other.seen, [one.epoch])
    assert components.last_known(other.seen, one.component).words == "an arrival"


def test_a_component_is_given_again_once_its_end_is_known():
    components = Components()
    group = components.first(agent("group"))
    first = components.start(agent("a"), "engines", group)
    assert components.start(agent("b"), "engines", group).component != first.component
    components.finish(first, "its end", None)
    assert components.start(agent("c"), "engines", group).component not in (first.component, group.component)
    group.learn(first.seen, first.fenced)
    again = components.start(agent("d"), "engines", group)
    assert again.component == first.component
    assert again.time == first.time + 1
    assert not knows(group.seen, [again.epoch])


# --- shared memory ---


@pytest.fixture
def shadow():
    return Shadow(4 * 8_192)


def whole():
    return view((4, 64, 64))


def test_views_of_the_same_bytes_share_their_cells(shadow):
    tiles = whole()
    first, second = tiles.index(0), tiles.index(1)
    assert len(shadow.cells(first)) == len(shadow.cells(second)) == 1
    assert shadow.cells(first)[0] is not shadow.cells(second)[0]
    assert shadow.cells(tiles.index(0)) == shadow.cells(first)
    assert set(shadow.cells(tiles)) > {*shadow.cells(first), *shadow.cells(second)}


def test_a_part_takes_the_history_of_the_whole(shadow):
    actor = Components().first(agent("group"))
    tiles = whole()
    (cell,) = shadow.cells(tiles)
    cell.record(written := Access(actor, tiles, True, False, None))
    part = tiles.index(2).slice((0, 0), (32, 64))
    (small,) = shadow.cells(part)
    assert small.write is written
    assert small.size == 32 * 64 * 2
    assert sum(cell.size for cell in shadow.cells(tiles)) == 4 * 8_192
    assert len(shadow.cells(tiles)) == 2


def test_cells_partition_the_memory_whatever_is_viewed(shadow):
    """Cells of a view cover exactly its bytes: every byte's number says which cell it is in."""
    rng = np.random.default_rng(0)
    views = []
    for _ in range(30):
        tile = whole().index(int(rng.integers(4)))
        row, column = (int(n) * 8 for n in rng.integers(0, 8, 2))
        views.append(tile.slice((row, column), (int(rng.integers(1, 65 - row)), int(rng.integers(1, 65 - column)))))
        shadow.cells(views[-1])
    for each in views:
        assert sum(cell.size for cell in shadow.cells(each)) == each.nbytes
    one, other = views[0], views[1]
    shared = np.intersect1d(_bytes(one), _bytes(other)).size
    assert sum(cell.size for cell in set(shadow.cells(one)) & set(shadow.cells(other))) == shared


def _bytes(tile) -> np.ndarray:
    place = tile.byte_offsets()
    return np.arange(place.start, place.stop) if isinstance(place, slice) else place


def test_a_write_conflicts_with_reads_and_writes_a_read_with_writes(shadow):
    components = Components()
    one, other = components.first(agent("one")), components.first(agent("other"))
    tile = whole().index(0)
    (cell,) = shadow.cells(tile)
    cell.record(write := Access(one, tile, True, False, None))
    cell.record(read := Access(other, tile, False, False, None))
    assert list(cell.conflicts(Access(one, tile, False, False, None))) == [write]
    assert list(cell.conflicts(Access(one, tile, True, False, None))) == [write, read]
    cell.record(Access(one, tile, True, False, None))
    assert cell.reads == {}

"""Shared memory: poison, views, and barriers that are not data."""

import numpy as np
import pytest

from tests.sim.views import AGENT, PLAIN, SWIZZLED, TILE, view
from tlx.ir.model import MemDescType, ScalarType
from tlx.sim.agents import Observer
from tlx.sim.barriers import Barriers
from tlx.sim.errors import BarrierMisuse, BufferBoundsError, UninitializedRead
from tlx.sim.memory import SharedMemory


@pytest.fixture
def memory():
    return SharedMemory(32_768, Observer())


def test_reads_give_what_was_written(memory):
    tiles = view((2, 64, 64))
    memory.write(AGENT, tiles.index(1), TILE, None)
    assert np.array_equal(memory.read(AGENT, tiles.index(1), None), TILE)


def test_bytes_are_where_the_layout_says(memory):
    memory.write(AGENT, view((64, 64)), TILE, None)
    # Row 1 begins in chunk 1, because the 128-byte swizzle exchanges it with chunk 0.
    assert memory.bytes[128:144].view(np.float16).tolist() == list(range(72, 80))
    assert memory.bytes[144:160].view(np.float16).tolist() == list(range(64, 72))


def test_a_poisoned_byte_is_named_with_buffer_and_slot(memory):
    with pytest.raises(UninitializedRead, match=r"tiles\[1\]: 8,192 of 8,192 bytes"):
        memory.read(AGENT, view((2, 64, 64)).index(1), None)


def test_a_partly_written_buffer_may_not_be_read(memory):
    tile = view((64, 64))
    memory.write(AGENT, tile.slice((0, 0), (32, 64)), TILE[:32], None)
    with pytest.raises(UninitializedRead, match="4,096 of 8,192 bytes"):
        memory.read(AGENT, tile, None)
    assert np.array_equal(memory.read(AGENT, tile.slice((8, 16), (8, 16)), None), TILE[8:16, 16:32])


def test_a_slice_with_gaps_leaves_the_gaps_alone(memory):
    tile = view((64, 64))
    memory.write(AGENT, tile, TILE, None)
    memory.write(AGENT, tile.slice((0, 16), (64, 16)), -TILE[:, 16:32], None)
    expected = TILE.copy()
    expected[:, 16:32] *= -1
    assert np.array_equal(memory.read(AGENT, tile, None), expected)


def test_a_slice_with_gaps_may_be_read_though_the_gaps_are_poisoned(memory):
    part = view((64, 64)).slice((0, 16), (64, 16))
    memory.write(AGENT, part, TILE[:, 16:32], None)
    assert np.array_equal(memory.read(AGENT, part, None), TILE[:, 16:32])


def test_views_reach_the_same_bytes(memory):
    tile = view((64, 64))
    memory.write(AGENT, tile, TILE, None)
    assert np.array_equal(memory.read(AGENT, tile.transpose((1, 0)), None), TILE.T)
    assert np.array_equal(memory.read(AGENT, tile.reshape((32, 128)), None), TILE.reshape(32, 128))
    words = MemDescType((64, 64), ScalarType("i16"), SWIZZLED, None)
    assert np.array_equal(memory.read(AGENT, tile.reinterpret(words), None), TILE.view(np.int16))


def test_a_view_larger_than_its_buffer_is_refused():
    with pytest.raises(BufferBoundsError, match="16,384 B at offset 0 leaves the allocation of 8,192 B"):
        view((64, 64)).reinterpret(MemDescType((2, 64, 64), ScalarType("f16"), SWIZZLED, None))


@pytest.mark.parametrize("index", [-1, 2])
def test_an_index_outside_the_ring_is_refused(index):
    with pytest.raises(BufferBoundsError, match=rf"tiles\[{index}\]: the index must be in 0..1"):
        view((2, 64, 64)).index(index)


def test_barriers_are_not_data_and_data_is_no_barrier(memory):
    barriers = Barriers(memory, Observer())
    word = view((1,), "i64", PLAIN, name="full")
    with pytest.raises(BarrierMisuse, match="full is used as an mbarrier but was never initialised"):
        barriers.at(word)
    barriers.initialize(AGENT, word, 1, None)
    with pytest.raises(BarrierMisuse, match="an mbarrier is read as data"):
        memory.read(AGENT, word, None)
    with pytest.raises(BarrierMisuse, match="data is written over an mbarrier"):
        memory.write(AGENT, view((64, 64)), TILE, None)
    barriers.invalidate(AGENT, word, None)
    memory.write(AGENT, word, np.int64([3]), None)
    with pytest.raises(BarrierMisuse, match="full is used as an mbarrier but holds data"):
        barriers.at(word)


def test_a_freed_buffer_is_poisoned_again(memory):
    tile = view((64, 64))
    memory.write(AGENT, tile, TILE, None)
    memory.poison(tile.buffer)
    with pytest.raises(UninitializedRead):
        memory.read(AGENT, tile, None)

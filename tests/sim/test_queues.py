"""Commit groups: which operations a wait is for."""

import pytest

from tlx.sim.agents import Agent, Observer
from tlx.sim.engines import Engine, Queue

GROUP = Agent("group", "default")


@pytest.fixture
def queue():
    """A queue of three groups, of 1, 2 and 0 operations."""
    queue = Queue("TMA stores", Observer())
    for size in (1, 2, 0):
        for _ in range(size):
            queue.add(Engine("tma_store", None, GROUP))
        queue.commit()
    return queue


def blocked(waiting) -> bool:
    return next(waiting, None) is not None


def test_a_wait_leaves_the_last_groups_out(queue):
    engines = queue.unretired()
    assert not blocked(queue.wait(GROUP, 3))
    assert blocked(queue.wait(GROUP, 2))
    engines[0].done = True
    assert not blocked(queue.wait(GROUP, 2))
    assert queue.unretired() == engines[1:]
    assert blocked(queue.wait(GROUP, 1))


def test_a_wait_is_for_every_operation_of_a_group(queue):
    engines = queue.unretired()
    for engine in engines[:2]:
        engine.done = True
    assert blocked(queue.wait(GROUP, 0))
    engines[2].done = True
    assert not blocked(queue.wait(GROUP, 0))
    assert queue.unretired() == []


def test_a_wait_for_reads_passes_before_the_writes_are_done(queue):
    engines = queue.unretired()
    for engine in engines:
        engine.reads_done = True
    assert not blocked(queue.wait_reads(GROUP, 0))
    assert queue.unretired() == []
    assert blocked(queue.wait(GROUP, 0))


def test_reads_are_waited_for_once_and_new_groups_again(queue):
    engines = queue.unretired()
    for engine in engines:
        engine.reads_done = engine.done = True
    assert not blocked(queue.wait_reads(GROUP, 0))
    assert not blocked(queue.wait(GROUP, 0))
    queue.add(Engine("tma_store", None, GROUP))
    queue.commit()
    assert blocked(queue.wait_reads(GROUP, 0))


def test_the_last_operation_is_the_one_issued_last(queue):
    engines = queue.unretired()
    assert queue.last is engines[2]
    late = Engine("tma_store", None, GROUP)
    queue.add(late)
    assert queue.last is late

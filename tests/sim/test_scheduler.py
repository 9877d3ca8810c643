"""The scheduler: seeded, fair to nobody, and complete."""

from tlx.sim.agents import Agent, Condition, Signal
from tlx.sim.scheduler import Scheduler


def trace(seed: int) -> list[str]:
    """The order in which two groups and an engine of three steps each move."""
    moves = []

    def walk(name):
        for _ in range(3):
            moves.append(name)
            yield None

    scheduler = Scheduler(seed)
    for kind, name in (("group", "a"), ("group", "b"), ("mma", "e")):
        scheduler.start(Agent(kind, name, walk(name)))
    scheduler.run()
    return moves


def test_every_agent_runs_to_its_end():
    assert sorted(trace(0)) == ["a"] * 3 + ["b"] * 3 + ["e"] * 3


def test_a_seed_always_gives_the_same_order():
    assert trace(7) == trace(7)


def test_seeds_give_many_orders():
    assert len({tuple(trace(seed)) for seed in range(50)}) > 30


def test_engines_are_early_in_some_schedules_and_late_in_others():
    places = [trace(seed).index("e") for seed in range(50)]
    assert 0 in places
    assert 6 in places


def test_a_blocked_agent_moves_only_after_its_signal():
    signal = Signal()
    moves = []

    def wait():
        while "set" not in moves:
            yield Condition(signal, "the signal")
        moves.append("passed")

    def wake():
        yield None
        moves.append("set")
        signal.notify()

    scheduler = Scheduler(0)
    waiting = Agent("group", "waiting", wait())
    scheduler.start(waiting)
    scheduler.run()
    assert waiting.blocked_on.words == "the signal"
    scheduler.start(Agent("group", "waking", wake()))
    scheduler.run()
    assert moves == ["set", "passed"]
    assert waiting.done

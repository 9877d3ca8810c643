"""Who moves next: a seeded choice among the agents that can."""

from __future__ import annotations

from random import Random

from .agents import Agent

__all__ = ["Scheduler"]

# How often an engine moves when a warp group could, one of these for each seed: some schedules have engines that are
# always late, some have engines that are done at once.
_ENGINE_SHARES = (0.02, 0.2, 0.5, 0.9)


class Scheduler:
    """Runs agents one step at a time. The same seed makes the same choices.

    Args:
        seed: of the choices.

    `current` is the agent that moves.
    """

    def __init__(self, seed: int):
        self._random = Random(seed)
        self._engine_share = self._random.choice(_ENGINE_SHARES)
        self.current: Agent | None = None
        self._groups: list[Agent] = []
        self._engines: list[Agent] = []

    def start(self, agent: Agent) -> None:
        """Lets an agent run from now on."""
        agent.resume = self._engines.append if agent.kind != "group" else self._groups.append
        agent.resume(agent)

    def run(self) -> None:
        """Runs until no agent can move."""
        random, groups, engines = self._random.random, self._groups, self._engines
        while groups or engines:
            pool = groups if not engines or (groups and random() >= self._engine_share) else engines
            index = int(random() * len(pool))
            self.current = pool[index]
            if not self.current.step():
                pool[index] = pool[-1]
                pool.pop()

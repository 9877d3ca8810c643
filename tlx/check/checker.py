"""The observer that checks: it keeps the clocks of all agents and applies the rules to every event.

One launch under one schedule is one run; the findings of all runs are gathered. What is found does not depend on which
of two unordered accesses happened to come first.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.model import Module, Op
from ..sim import errors
from ..sim.agents import Agent, Observer
from ..sim.barriers import Barrier
from ..sim.cta import CTA
from ..sim.launch import Launch
from ..sim.memory import Buffer, MemDesc
from .clocks import Actor, Components
from .exits import engines_in_flight, failures, leftover_phases, overruns
from .findings import Finding
from .gather import Gathered
from .global_memory import GlobalRaces
from .peers import Peers
from .protocol import AnyBarrier, Protocol
from .races import Races
from .rules import RESULT_USED_EARLY
from .words import agent_words, home_of, op_words, task_words

__all__ = ["Checker"]

_NOT_THE_KERNELS = (errors.UnsupportedOp, errors.UnsupportedLayout, errors.ArgumentError)


class Checker(Observer):
    """Checks every launch that it observes.

    Args:
        static: what else to apply to each module that is launched.
    """

    def __init__(self, static: Callable[[Module], list[Finding]] | None = None):
        self.gathered = Gathered()
        self.runs = 0
        self._static = static
        self._read: list[Module] = []

    @property
    def findings(self) -> list[Finding]:
        """What all launches do wrong, errors first."""
        return self.gathered.findings

    # --- runs --------------------------------------------------------------------------------------------------------

    def begin(self, launch: Launch) -> None:
        self._read_module(launch.code.module)
        self.runs += 1
        self._seed = launch.seed
        self._components = Components()
        self._actors: dict[Agent, Actor] = {}
        self._protocol = Protocol(self._components, self._report)
        self._races = Races(self._components, launch.code.shared_bytes, self._report)
        self._global = GlobalRaces(self._components, launch.memory.arguments, self._report)
        self._peers = Peers(self._components, self._report)
        self._memory = launch.memory
        self._writers: dict[Agent, Actor] = {}

    def end(self, launch: Launch) -> None:
        self._report_all(overruns(launch))
        self._finish()

    def stopped(self, launch: Launch, error: Exception) -> bool:
        if isinstance(error, _NOT_THE_KERNELS):
            return False
        self._report_all(failures(error))
        for cta in launch.resident:
            for group in cta.groups:
                waits = group.blocked_on
                if waits is not None and waits.barrier is not None:
                    self._protocol.blocked(self._actor(group), waits.barrier, waits.parity, group.step_now.op)
        self._finish()
        return True

    def start_cta(self, cta: CTA) -> None:
        self._peers.start(self._actor(cta.main))

    def end_cta(self, cta: CTA) -> None:
        main = self._actor(cta.main)
        unseen = [actor for actor in self._components.last_started((cta, "engine")) if not actor.known_to(main)]
        self._report_all(engines_in_flight([actor for actor in unseen if home_of(actor.agent) is cta]))
        self._peers.end(main)
        self._report_all(leftover_phases(cta, {actor.agent.signals for actor in unseen}))
        if not unseen:
            self._races.end_cta(cta)
        self._forget(cta)

    def _forget(self, cta: CTA) -> None:
        """Drops the agents of an ended CTA, unless an engine still runs there, which may wait for others."""
        agents = [agent for agent in self._actors if agent.cta is cta]
        if all(agent.done or agent.kind == "group" for agent in agents):
            for agent in agents:
                if agent.done:
                    del self._actors[agent]

    def _finish(self) -> None:
        self._protocol.finish()
        self._races.finish()

    def _read_module(self, module: Module) -> None:
        if self._static is not None and not any(module is known for known in self._read):
            self._read.append(module)
            for finding in self._static(module):
                self.gathered.add(finding, None)

    def _report(self, finding: Finding) -> None:
        self.gathered.add(finding, self._seed)

    def _report_all(self, findings) -> None:
        for finding in findings:
            self._report(finding)

    # --- agents ------------------------------------------------------------------------------------------------------

    def _actor(self, agent: Agent) -> Actor:
        if agent not in self._actors:
            self._actors[agent] = self._components.first(agent)
        return self._actors[agent]

    def issue(self, engine: Agent) -> None:
        issuer = self._actor(engine.issuer)
        self._actors[engine] = self._components.start(engine, (engine.cta, "engine"), issuer)
        self._components.release(issuer, f"the start of {agent_words(engine)}", engine.op)

    def retire(self, agent: Agent, engine: Agent, reads_only: bool) -> None:
        self._join(self._actor(agent), self._actors[engine], op_words(engine.op), engine.op)
        if not reads_only and engine in self._writers:
            self._join(self._actor(agent), self._writers.pop(engine), op_words(engine.op), engine.op)

    def synchronize(self, agents: list[Agent], op: Op) -> None:
        main, *others = agents
        actor = self._actor(main)
        if others and others[0] not in self._actors:
            for agent in others:
                self._actors[agent] = self._components.start(agent, (agent.cta, "group"), actor)
            self._components.release(actor, op_words(op), op)
            return
        for agent in others:
            self._join(actor, self._actors.pop(agent), f"the end of {agent.name}", op)

    def _join(self, actor: Actor, done: Actor, words: str, op: Op) -> None:
        self._components.finish(done, words, op)
        actor.learn(done.seen, done.fenced)

    def fence(self, agent: Agent, op: Op) -> None:
        actor = self._actor(agent)
        actor.fenced = dict(actor.seen)
        self._components.release(actor, op_words(op), op)

    # --- shared memory -----------------------------------------------------------------------------------------------

    def read(self, agent: Agent, view: MemDesc, op: Op, cta: CTA) -> None:
        self._access(self._actor(agent), view, False, op, cta)

    def write(self, agent: Agent, view: MemDesc, op: Op, cta: CTA) -> None:
        self._access(self._actor(agent), view, True, op, cta)

    def _access(self, actor: Actor, view: MemDesc, writes: bool, op: Op, cta: CTA) -> None:
        self._peers.access(actor, cta, view.name, op)
        self._races.access(actor, cta, view, writes, op)

    # --- global memory -----------------------------------------------------------------------------------------------

    def load(self, agent: Agent, addresses, itemsize: int, op: Op) -> None:
        self._global.load(self._actor(agent), addresses, itemsize, op)

    def store(self, agent: Agent, addresses, values, op: Op) -> None:
        actor = self._actor(agent)
        if agent.kind == "tma_store":
            # Its writes may be waited for later than its reads, so they are an agent of their own.
            actor = self._writers.setdefault(agent, self._components.start(agent, (agent.cta, "writes"), actor))
        self._global.store(actor, addresses, values, op, lambda: self._memory.holds(addresses, values))

    # --- mistakes that don't stop the machine ------------------------------------------------------------------------

    def mistake(self, agent: Agent, error: Exception, op: Op, subject=None) -> None:
        if isinstance(error, errors.UninitializedRead):
            self._races.unwritten(self._actor(agent), subject, error.what, op)
        elif isinstance(error, errors.BarrierMisuse):
            self._protocol.over_arrival(self._actor(agent), subject, error.what, error.hint, op)
        elif isinstance(error, errors.UnfinishedResult):
            self._report(
                Finding(
                    RESULT_USED_EARLY,
                    error.what,
                    op.location,
                    group=task_words(agent),
                    hint=error.hint,
                    program_id=agent.cta.program_id,
                )
            )
        # Engines in flight at the end of a CTA, and CTAs that aren't there: the clocks tell them in every schedule.

    # --- barriers ----------------------------------------------------------------------------------------------------

    def initialize(self, agent: Agent, barrier: Barrier, op: Op) -> None:
        self._protocol.initialize(self._actor(agent), barrier, op)

    def publish(self, agent: Agent, op: Op) -> None:
        self._protocol.publish(self._actor(agent), op)

    def invalidate(self, agent: Agent, barrier: Barrier, op: Op) -> None:
        self._protocol.invalidate(self._actor(agent), barrier, op)

    def abandon(self, agent: Agent, barrier: Barrier, buffer: Buffer) -> None:
        self._protocol.abandon(self._actor(agent), barrier, buffer)

    def arrive(self, agent: Agent, barrier: AnyBarrier, count: int, op: Op) -> None:
        self._touch(self._actor(agent), barrier, op)
        self._protocol.arrive(self._actor(agent), barrier, op)

    def land(self, engine: Agent, barrier: Barrier, count: int, op: Op) -> None:
        self._touch(self._actors[engine], barrier, op)
        self._protocol.land(self._actors[engine], barrier, op)

    def _touch(self, actor: Actor, barrier: AnyBarrier, op: Op) -> None:
        if isinstance(barrier, Barrier):
            self._peers.touch(actor, barrier.cta, barrier.full_name, op)

    def complete(self, barrier: AnyBarrier, phase: int) -> None:
        self._protocol.complete(barrier)

    def wait(self, agent: Agent, barrier: AnyBarrier, phase: int, op: Op) -> None:
        self._protocol.wait(self._actor(agent), barrier, phase, op)

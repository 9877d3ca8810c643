"""The observer that records what one CTA does and what each piece of it needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod

import numpy as np

from ..check.words import home_of, op_words
from ..ir.model import Module, Op
from ..sim.agents import Agent, Observer
from ..sim.cta import CTA
from ..sim.launch import Launch
from .errors import NothingTraced
from .nodes import (
    ARRIVE,
    ENGINE,
    FENCE,
    ISSUE,
    LAND,
    LOAD,
    RETIRE,
    SHARED,
    STORE,
    SYNCHRONIZE,
    WAIT,
    Need,
    Node,
)

__all__ = ["Recorder"]


class Recorder(Observer):
    """Records the cluster of one program of each launch; the last launch stays.

    Args:
        program: its place in the grid.

    `nodes` come in the order in which the simulator ran, which is one that respects every need. `cta` is the program's.
    """

    def __init__(self, program: tuple[int, int, int] = (0, 0, 0)):
        self.program = program
        self.kernel = ""
        self.module: Module | None = None
        self.cta: CTA | None = None
        self.nodes: list[Node] = []

    def recorded(self) -> CTA:
        """The CTA of the program.

        Raises:
            NothingTraced: no launch has run it.
        """
        if self.cta is None:
            raise NothingTraced(
                f"program {self.program} ran in no launch", hint="launch a kernel on a grid that holds it"
            )
        return self.cta

    def begin(self, launch: Launch) -> None:
        self.kernel = launch.code.kernel.op.attributes["sym_name"]
        self.module = launch.code.module
        self.cta = None
        self.nodes = []
        self._last: dict[Agent, Node] = {}
        self._moved: dict[Agent, Counter] = defaultdict(Counter)
        self._open: dict[object, list[Need]] = defaultdict(list)
        self._complete: dict[tuple[object, int], list[Need]] = {}

    def start_cta(self, cta: CTA) -> None:
        if cta.program_id == self.program:
            self.cta = cta

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _records(self, agent: Agent) -> bool:
        return any(cta.program_id == self.program for cta in home_of(agent).cluster.ctas)

    def _add(self, agent: Agent, work: str, label: str, needs: list[Need] = (), nbytes: int = 0) -> Node:
        """The next node of a warp group."""
        before = self._last.get(agent)
        op = agent.step_now.op
        # One execution of an op may start an engine and retire it, or retire many; other events are one each.
        charged = before is None or before.op is not op or not any(need.why == RETIRE for need in needs)
        node = Node(
            len(self.nodes), agent, work, op, label, agent.num_warps, before, list(needs), nbytes, charged=charged
        )
        self.nodes.append(node)
        self._last[agent] = node
        return node

    def issue(self, engine: Agent) -> None:
        if not self._records(engine):
            return
        words = _words(engine.op)
        issued = self._add(engine.issuer, ISSUE, f"issue {words}")
        node = Node(len(self.nodes), engine, ENGINE, engine.op, words, needs=[Need(issued, ISSUE)])
        self.nodes.append(node)
        self._last[engine] = node
        if engine.kind == "mma":
            node.flops = 2 * prod(engine.op.result.type.shape) * engine.op.operands[0].type.shape[-1]

    def retire(self, agent: Agent, engine: Agent, reads_only: bool) -> None:
        if not self._records(agent):
            return
        need = Need(self._last[engine], RETIRE, reads_only)
        if agent.issuer is not None:
            self._last[agent].needs.append(need)
        else:
            self._add(agent, WAIT, f"wait for {_words(engine.op)}", [need])

    def synchronize(self, agents: list[Agent], op: Op) -> None:
        main, *others = agents
        if not self._records(main):
            return
        if not others:
            self._add(main, SYNCHRONIZE, "barrier of the group")
        elif others[0].done:
            ends = [Need(self._last[agent], SYNCHRONIZE) for agent in others if agent in self._last]
            self._add(main, WAIT, "wait for the tasks to end", ends)
        else:
            node = self._add(main, SYNCHRONIZE, "start of the tasks")
            self._last.update(dict.fromkeys(others, node))

    # --- memory ------------------------------------------------------------------------------------------------------

    def read(self, agent: Agent, view, op: Op, cta: CTA) -> None:
        self._move(agent, view, cta, "read")

    def write(self, agent: Agent, view, op: Op, cta: CTA) -> None:
        self._move(agent, view, cta, "write")

    def _move(self, agent: Agent, view, cta: CTA, how: str) -> None:
        if not self._records(agent):
            return
        if agent.issuer is None:
            self._add(agent, SHARED, f"{how} {view.name}", nbytes=view.nbytes)
            return
        # What goes to several CTAs, or is read here and written there, moves at once.
        moved = self._moved[agent]
        moved[cta, how] += view.nbytes
        node = self._last[agent]
        node.nbytes = max(moved.values())
        if view.name not in node.label:
            node.label += f" {view.name}"

    def load(self, agent: Agent, addresses, itemsize: int, op: Op) -> None:
        if agent.issuer is None and self._records(agent):
            self._add(agent, LOAD, _words(op), nbytes=np.size(addresses) * itemsize)

    def store(self, agent: Agent, addresses, values, op: Op) -> None:
        if agent.issuer is None and self._records(agent):
            self._add(agent, STORE, _words(op), nbytes=values.nbytes)

    def memory_fence(self, agent: Agent, op: Op) -> None:
        self.fence(agent, op)

    def fence(self, agent: Agent, op: Op) -> None:
        if self._records(agent):
            self._add(agent, FENCE, _words(op))

    # --- barriers ----------------------------------------------------------------------------------------------------

    def initialize(self, agent: Agent, barrier, op: Op) -> None:
        if self._records(agent):
            self._add(agent, ARRIVE, f"initialize {barrier.full_name}")

    def arrive(self, agent: Agent, barrier, count: int, op: Op) -> None:
        if not self._records(agent):
            return
        if agent.issuer is None:
            self._add(agent, ARRIVE, f"arrive {barrier.full_name}")
        self._open[barrier].append(Need(self._last[agent], ARRIVE))

    def land(self, engine: Agent, barrier, count: int, op: Op) -> None:
        if self._records(engine):
            self._open[barrier].append(Need(self._last[engine], LAND))

    def complete(self, barrier, phase: int) -> None:
        if barrier in self._open:
            self._complete[barrier, phase] = self._open.pop(barrier)

    def wait(self, agent: Agent, barrier, phase: int, op: Op) -> None:
        if self._records(agent):
            needs = self._complete.get((barrier, phase), [])
            self._add(agent, WAIT, f"wait {barrier.full_name} phase {phase}", needs)


def _words(op: Op) -> str:
    return op_words(op).strip("`")

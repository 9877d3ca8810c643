"""What a traced CTA did: pieces of work and what each of them needs. No times yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir.model import Op
from ..sim.agents import Agent

__all__ = [
    "ARRIVE",
    "ENGINE",
    "FENCE",
    "ISSUE",
    "LAND",
    "LOAD",
    "RETIRE",
    "SHARED",
    "STORE",
    "SYNCHRONIZE",
    "WAIT",
    "Need",
    "Node",
]

# What a node is: classes of work, each with a cost of its own.
ENGINE, SHARED, LOAD, STORE, ISSUE, ARRIVE, WAIT, FENCE, SYNCHRONIZE = (
    "engine", "shared", "load", "store", "issue", "arrive", "wait", "fence", "synchronize",
)  # fmt: skip

# Why a node needs another, beside ARRIVE, ISSUE and SYNCHRONIZE.
LAND, RETIRE = "land", "retire"


@dataclass(frozen=True)
class Need:
    """A node that must have ended first.

    Args:
        node: that node.
        why: `arrive` or `land` of a barrier's phase, `retire` of an engine's work, `issue` of it, `synchronize`
            at the end of the tasks.
        reads_only: whether only its reads of shared memory must have ended.
    """

    node: Node
    why: str
    reads_only: bool = False


@dataclass(eq=False)
class Node:
    """One piece of work of an agent.

    Args:
        index: its place in the order in which the simulator ran.
        agent: who does it.
        work: its class.
        op: the op that an agent was at.
        label: for readers.
        warps: of the agent; 0 for an engine.
        before: the node of the same agent that it follows.
        needs: other nodes that it follows.
        nbytes: that it moves.
        flops: of an MMA.
        charged: whether the register work that leads to its op comes before it, too.
    """

    index: int
    agent: Agent
    work: str
    op: Op
    label: str
    warps: int = 0
    before: Node | None = None
    needs: list[Need] = field(default_factory=list)
    nbytes: int = 0
    flops: int = 0
    charged: bool = False

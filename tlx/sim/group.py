"""A warp group: the interpreter of one region of a kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from ..errors import TLXError
from ..ir.model import Op, Region
from ..source import Location
from .agents import Agent, Condition
from .code import BlockCode, FunctionCode, RegionCode, Step
from .engines import Engine, Queue, Unfinished
from .errors import SimulationError, UnsupportedOp

if TYPE_CHECKING:
    from .barriers import Barrier
    from .cta import CTA

__all__ = ["WarpGroup"]

Coroutine = Generator[Condition | None, None, Any]


class WarpGroup(Agent):
    """Some warps of a CTA that run one piece of code together.

    Args:
        cta: the CTA they belong to.
        name: `default`, `partition0`, ...
        num_warps: how many.
        code: what they run: a generator function of the group.
        first_warp: index of the first of them in the CTA.
        fills_up: whether they run nothing and only fill up a warp group.

    Attributes that op handlers use: `cta`, `launch`, `num_warps`, `frame`, `mma`, `stores`, `copies` (the queues of
    the engines), `passed` (how often each wait was passed).
    """

    __slots__ = ("copies", "counts", "fills_up", "first_warp", "frame", "launch", "mma", "num_warps", "passed",
                 "shared_base", "step_now", "stores")  # fmt: skip

    def __init__(
        self,
        cta: CTA,
        name: str,
        num_warps: int,
        code: Callable[[WarpGroup], Coroutine],
        first_warp: int = 0,
        fills_up: bool = False,
    ):
        super().__init__("group", name, cta=cta)
        self.launch = cta.launch
        self.num_warps = num_warps
        self.first_warp = first_warp
        self.fills_up = fills_up
        self.frame: list = []
        self.shared_base = 0
        self.step_now: Step | None = None
        self.counts = cta.launch.counts
        self.passed: Counter[Op] = Counter()
        self.mma = Queue("MMA", cta.observer)
        self.stores = Queue("TMA stores", cta.observer)
        self.copies = Queue("cp.async", cta.observer)
        self.coroutine = _attributed(self, self, code(self))

    # --- what op handlers call ---------------------------------------------------------------------------------------

    @property
    def warp_size(self) -> int:
        """Threads of a warp."""
        return self.launch.device.target.warp_size

    @property
    def num_threads(self) -> int:
        """Threads of the group."""
        return self.num_warps * self.warp_size

    def evaluate(self, region: Region, *values) -> tuple:
        """The results of a single-block region without side effects, for these arguments."""
        try:
            next(self.run_region(self.launch.code.regions[region], values))
        except StopIteration as end:
            return tuple(end.value)
        raise SimulationError("a region that must be free of side effects waits for something")

    def issue(
        self,
        kind: str,
        op: Op,
        work: Callable[[Engine], Coroutine],
        queue: Queue | None = None,
        signals: Barrier | None = None,
        cta: CTA | None = None,
    ) -> Engine:
        """Starts an operation of an engine, to be waited for by its `queue` or by the barrier that it `signals`.

        It acts in `cta`, this one if None.
        """
        engine = Engine(kind, op, self, signals, cta)
        engine.coroutine = _attributed(engine, self, work(engine))
        if queue is not None:
            queue.add(engine)
        self.cta.observer.issue(engine)
        self.cta.scheduler.start(engine)
        return engine

    def fence(self, op: Op) -> None:
        """`fence.proxy.async`."""
        self.cta.observer.fence(self, op)

    # --- running -----------------------------------------------------------------------------------------------------

    def call(self, function: FunctionCode, arguments: tuple, shared_base: int) -> Coroutine:
        """Runs a function in a frame of its own; returns its results."""
        caller = self.frame, self.shared_base
        self.frame, self.shared_base = [None] * function.size, shared_base
        results = yield from self.run_region(function.body, arguments)
        self.frame, self.shared_base = caller
        return results

    def run_region(self, region: RegionCode, arguments=()) -> Coroutine:
        """Runs a region in the current frame; returns the operands of the terminator that leaves it."""
        frame, block, values = self.frame, region.entry, arguments
        while True:
            for slot, value in zip(block.arguments, values):
                frame[slot] = value
            yield from self._run_block(block)
            operands = [frame[slot] for slot in block.operands]
            if not block.successors:
                return operands
            # `cf.cond_br` goes to the first successor if its operand is true, `cf.br` has one only.
            taken = 0 if len(block.successors) == 1 or operands[0] else 1
            block, slots = block.successors[taken]
            values = [frame[slot] for slot in slots]

    def _run_block(self, block: BlockCode) -> Coroutine:
        frame, counts = self.frame, self.counts
        for step in block.steps:
            self.step_now = step
            counts[step.index] += 1
            if step.visible:
                yield None
            if step.flow:
                outcome = yield from step.handler(self, step)
            else:
                values = [frame[slot] for slot in step.operands]
                if step.checked:
                    for index, value in enumerate(values):
                        if type(value) is Unfinished:
                            values[index] = yield from value.read(self, step.op)
                outcome = self._value(step, values)
                if step.waits:
                    outcome = yield from outcome
            if step.result >= 0:
                frame[step.result] = outcome
            elif step.results:
                for slot, value in zip(step.results, outcome):
                    frame[slot] = value

    def _value(self, step: Step, values: list):
        if step.handler is None:
            raise UnsupportedOp(
                f"{step.op.name} is not simulated",
                hint="register its meaning with tlx.sim.simulates, or run the kernel on a GPU",
            )
        if not step.constant:
            return step.handler(self, step.op, *values)
        constants = self.launch.constants
        if step.index not in constants:
            constants[step.index] = step.handler(self, step.op, *values)
        return constants[step.index]


def _attributed(agent: WarpGroup | Engine, group: WarpGroup, coroutine: Coroutine) -> Coroutine:
    """The coroutine, with who failed and where added to errors that leave it."""
    try:
        return (yield from coroutine)
    except Exception as error:
        op = agent.op if agent is not group else group.step_now.op if group.step_now else None
        location = op.location if op else Location()
        if not isinstance(error, TLXError):
            what = f"{op.name if op else 'the simulator'} failed: {type(error).__name__}: {error}"
            raise _owned(SimulationError(what), agent, group).at(location) from error
        raise _owned(error, agent, group).at(location) from error.__cause__


def _owned(error: TLXError, agent: WarpGroup | Engine, group: WarpGroup) -> TLXError:
    error.agent, error.program_id = agent.name, group.cta.program_id
    return error

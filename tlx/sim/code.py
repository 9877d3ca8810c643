"""A kernel prepared for the interpreter: values are numbered slots, ops carry their handlers."""

from __future__ import annotations

from inspect import isgeneratorfunction
from math import prod

from ..ir.model import Attribute, Block, Module, Op, Region, TensorType, Value
from .ops.registry import handler

__all__ = ["BlockCode", "Code", "FunctionCode", "RegionCode", "Step"]

# Ops that other agents can notice, or that notice others: the scheduler may switch before each of them.
_VISIBLE_PREFIXES = (
    *("ttng.", "ttg.local_", "ttg.async_", "ttg.barrier", "tt.atomic", "tt.load", "tt.store"),
    *("nvvm.cluster.", "tt.elementwise_inline_asm"),
)
# Ops whose value never changes and which are worth keeping: large constants inside loops.
_CONSTANT = ("arith.constant", "tt.make_range")
# Ops that hand an unfinished MMA result on without reading it.
_PASSES_UNFINISHED = ("ttng.warp_group_dot", "ttng.warp_group_dot_wait", "scf.for", "scf.while", "scf.if")


class Step:
    """One op of a block: its handler, the slots it reads and writes.

    Args:
        index: its number in the program, for counting.
        flow: whether the handler is one of `tlx.sim.ops.control`, which get the step and the frame.
        waits: whether the handler is a generator.
        visible: whether others may run before it.
        checked: whether an operand may be an unfinished MMA result that the op would read.
        constant: whether the first value may be kept.
    """

    __slots__ = (
        "checked", "constant", "flow", "handler", "index", "op", "operands", "regions", "result", "results", "visible",
        "waits",
    )  # fmt: skip

    def __init__(self, op: Op, index: int, operands: tuple[int, ...], results: tuple[int, ...]):
        self.op = op
        self.index = index
        self.operands = operands
        self.results = results
        self.result = results[0] if len(results) == 1 else -1
        self.handler = handler(op.name)
        self.flow = getattr(self.handler, "controls_flow", False)
        self.waits = isgeneratorfunction(self.handler)
        self.visible = op.name.startswith(_VISIBLE_PREFIXES)
        self.checked = op.name not in _PASSES_UNFINISHED and any(map(_may_be_unfinished, op.operands))
        self.constant = op.name in _CONSTANT
        self.regions: tuple[RegionCode, ...] = ()


class BlockCode:
    """A block: argument slots, steps, and the terminator's operand slots and successors."""

    __slots__ = ("arguments", "operands", "steps", "successors", "terminator")

    def __init__(self, arguments: tuple[int, ...], steps: list[Step], terminator: Op | None, operands: tuple[int, ...]):
        self.arguments = arguments
        self.steps = steps
        self.terminator = terminator
        self.operands = operands
        self.successors: list[tuple[BlockCode, tuple[int, ...]]] = []


class RegionCode:
    """The blocks of a region, the entry first."""

    __slots__ = ("entry", "name")

    def __init__(self, name: str, entry: BlockCode | None):
        self.name = name
        self.entry = entry


class FunctionCode:
    """A function: its body and the number of slots of a frame."""

    __slots__ = ("body", "op", "size")

    def __init__(self, op: Op, body: RegionCode, size: int):
        self.op = op
        self.body = body
        self.size = size


class Code:
    """A module prepared for the interpreter.

    Args:
        module: TTGIR with shared memory allocated.
        store_waits_say: whether a wait for TMA stores says that it is for their reads only; else all of them are.
    """

    def __init__(self, module: Module, store_waits_say: bool):
        self.module = module
        self._store_waits_say = store_waits_say
        self.steps: list[Step] = []
        self.regions: dict[Region, RegionCode] = {}
        self.functions = {name: self._function(op) for name, op in module.functions.items()}
        self.kernel = self.functions[module.kernel.attributes["sym_name"]]

    @property
    def shared_bytes(self) -> int:
        return self.module.attributes.get("ttg.shared", 0)

    @property
    def num_warps(self) -> int:
        return self.module.attributes["ttg.num-warps"]

    @property
    def num_ctas(self) -> int:
        """CTAs over which each tensor is spread: Triton's own kind of cluster."""
        return self.module.attributes.get("ttg.num-ctas", 1)

    @property
    def total_warps(self) -> int:
        """Warps of a CTA: those of all tasks, each warp group filled up."""
        return self.module.attributes.get("ttg.total-num-warps", self.num_warps)

    @property
    def cluster(self) -> tuple[int, int, int]:
        """CTAs of a cluster along x, y, z."""
        return tuple(self.module.attributes.get(f"ttg.cluster-dim-{axis}", 1) for axis in "xyz")

    @property
    def cluster_size(self) -> int:
        """CTAs of a cluster."""
        return prod(self.cluster)

    def waits_for_reads(self, op: Op) -> bool:
        """Whether an `async_tma_store_wait` is for the reads of shared memory only."""
        return not self._store_waits_say or op.attributes.get("read_only", False)

    def _function(self, op: Op) -> FunctionCode:
        slots: dict[Value, int] = {}
        body = self._region(op.regions[0], slots)
        return FunctionCode(op, body, len(slots))

    def _region(self, region: Region, slots: dict[Value, int]) -> RegionCode:
        blocks = {block: self._block(block, slots) for block in region.blocks}
        for block, code in blocks.items():
            for target, arguments in block.ops[-1].successors if block.ops else ():
                code.successors.append((blocks[target], _slots(arguments, slots)))
        self.regions[region] = code = RegionCode(region.name, blocks[region.entry] if region.blocks else None)
        return code

    def _block(self, block: Block, slots: dict[Value, int]) -> BlockCode:
        arguments = _slots(block.arguments, slots)
        ops = list(block.ops)
        terminator = ops.pop() if ops and _is_terminator(ops[-1]) else None
        steps = [self._step(op, slots) for op in ops]
        return BlockCode(arguments, steps, terminator, _slots(terminator.operands, slots) if terminator else ())

    def _step(self, op: Op, slots: dict[Value, int]) -> Step:
        step = Step(op, len(self.steps), _slots(op.operands, slots), _slots(op.results, slots))
        self.steps.append(step)
        step.regions = tuple(self._region(region, slots) for region in op.regions)
        return step


def _slots(values: list[Value], slots: dict[Value, int]) -> tuple[int, ...]:
    return tuple(slots.setdefault(value, len(slots)) for value in values)


def _is_terminator(op: Op) -> bool:
    return bool(op.successors) or op.name.endswith(("return", "yield", ".condition"))


def _may_be_unfinished(value: Value) -> bool:
    encoding = value.type.encoding if isinstance(value.type, TensorType) else None
    return isinstance(encoding, Attribute) and encoding.name == "ttg.nvidia_mma"

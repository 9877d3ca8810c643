"""All ways to break a kernel's synchronization by one small change of its late TTGIR.

The late copy is changed, behind the stock passes: a fence that is dropped stays dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tlx.check.analysis.tasks import Place, places_of
from tlx.check.analysis.values import Values
from tlx.check.analysis.views import name_of, view_of
from tlx.ir.model import Block, MemDescType, Module, Op, ScalarType, Value

I32 = ScalarType("i32")
MMA_WAIT = "ttng.warp_group_dot_wait"
NAMED = "llvm.call_intrinsic"
_DROPPED = {
    "ttng.fence_async_shared": "drop fence",
    "ttng.wait_barrier": "drop wait",
    "ttng.async_tma_store_wait": "drop wait",
    "ttg.async_wait": "drop wait",
    "ttng.arrive_barrier": "drop arrive",
    "ttng.barrier_expect": "drop expect",
    "ttng.init_barrier": "drop init",
}
_NAMED = {
    "llvm.nvvm.barrier.cta.sync.aligned.count": "drop wait",
    "llvm.nvvm.barrier.cta.arrive.aligned.count": "drop arrive",
}
READS = (MMA_WAIT, "ttg.local_load")
"""Ops behind which a group has read its buffers."""

Undo = Callable[[], None]


@dataclass(frozen=True)
class Mutation:
    """One change.

    Args:
        kind: `drop wait`, `init count + 1`, ...
        where: the op as the source says it, its task, and which one of its like it is.
        change: makes it and returns how to take it back.
    """

    kind: str
    where: str
    change: Callable[[], Undo]

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.where}"

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block, the module is the mutant."""
        undo = self.change()
        try:
            yield
        finally:
            undo()


def mutations_of(module: Module) -> list[Mutation]:
    """Every mutation of every op of a kernel, and of its rings."""
    values, found, seen = Values(), [], {}
    for place in places_of(module):
        for kind, change in _changes(place.op, module):
            label = _label(place, values)
            number = seen[kind, label] = seen.get((kind, label), 0) + 1
            found.append(Mutation(kind, label if number == 1 else f"{label} #{number}", change))
    for op in module.walk():
        if op.name == "ttg.local_alloc" and _is_ring(op):
            found.append(Mutation("ring shortened by one", name_of(op), _ring_shortened(module, op, values)))
    return found


Changes = Iterator[tuple[str, Callable[[], Undo]]]


def _changes(op: Op, module: Module) -> Changes:
    if op.name in _DROPPED:
        yield _DROPPED[op.name], lambda: _removed(op)
    if op.name == NAMED and op.attributes["intrin"] in _NAMED:
        yield _NAMED[op.attributes["intrin"]], lambda: _removed(op)
    if op.name == "ttng.arrive_barrier":
        yield from _changed_count(op, "arrive")
        target = _before_last_read(op)
        if target is not None:
            yield "arrive before the last read", lambda: _moved(*target)
    if op.name == "ttng.init_barrier":
        yield from _changed_count(op, "init")
    if op.name == "ttng.barrier_expect":
        yield "bytes halved", lambda: _with(op, "size", op.attributes["size"] // 2)
        yield "bytes doubled", lambda: _with(op, "size", op.attributes["size"] * 2)
    if op.name == "ttng.wait_barrier":
        yield "phase flipped", lambda: _flipped(op)
    if op.name == MMA_WAIT:
        yield "drop MMA wait", lambda: _forwarded(op, module)
    if "pendings" in op.attributes:
        kind = "MMA wait" if op.name == MMA_WAIT else "store wait"
        yield f"{kind} leaves one more", lambda: _with(op, "pendings", op.attributes["pendings"] + 1)


def _changed_count(op: Op, what: str) -> Changes:
    """A count of 0 is none that PTX takes."""
    count = op.attributes["count"]
    yield f"{what} count + 1", lambda: _with(op, "count", count + 1)
    if count > 1:
        yield f"{what} count - 1", lambda: _with(op, "count", count - 1)


# --- changes ---------------------------------------------------------------------------------------------------------


def _removed(op: Op) -> Undo:
    block = op.parent
    index = block.ops.index(op)
    del block.ops[index]
    return lambda: block.ops.insert(index, op)


def _with(op: Op, name: str, value: int) -> Undo:
    before = op.attributes[name]
    op.attributes[name] = value
    return lambda: op.attributes.update({name: before})


def _moved(op: Op, block: Block, before: Op) -> Undo:
    """Moves an op up, with what it needs of the ops that it passes."""
    order = list(block.ops)
    passed = order[order.index(before) : order.index(op)]
    needed = {value.owner for inner in op.walk() for value in inner.operands}
    for other in reversed(passed):
        if other in needed:
            needed.update(value.owner for value in other.operands)
    taken = [other for other in passed if other in needed] + [op]
    rest = [other for other in order if other not in taken]
    place = rest.index(before)
    block.ops[:] = [*rest[:place], *taken, *rest[place:]]

    def undo() -> None:
        block.ops[:] = order

    return undo


def _replaced(op: Op, index: int, new: Op) -> Undo:
    """Puts a new op in front, and its result in an operand's place."""
    before = op.operands[index]
    place = op.parent.ops.index(op)
    op.parent.ops.insert(place, new)
    op.operands[index] = new.result

    def undo() -> None:
        op.operands[index] = before
        op.parent.ops.remove(new)

    return undo


def _binary(name: str, left: Value, right: Op, block: Block) -> Op:
    op = Op(name, [left, right.result], types=[I32], parent=block, location=right.location)
    op.results = [Value(f"mutant_{name}", I32, op)]
    return op


def _number(value: int, at: Op) -> Op:
    op = Op("arith.constant", attributes={"value": value}, types=[I32], parent=at.parent, location=at.location)
    op.results = [Value("mutant", I32, op)]
    return op


def _with_number(op: Op, index: int, name: str, value: int) -> Undo:
    """Combines an operand with a number."""
    number = _number(value, op)
    op.parent.ops.insert(op.parent.ops.index(op), number)
    undo = _replaced(op, index, _binary(name, op.operands[index], number, op.parent))

    def undo_both() -> None:
        undo()
        op.parent.ops.remove(number)

    return undo_both


def _flipped(wait: Op) -> Undo:
    return _with_number(wait, 1, "arith.xori", 1)


def _forwarded(op: Op, module: Module) -> Undo:
    """Removes an op that hands its operands on."""
    sources = dict(zip(op.results, op.operands))
    changed = []
    for user in module.walk():
        for index, operand in enumerate(user.operands):
            if operand in sources:
                changed.append((user, index, operand))
                user.operands[index] = sources[operand]
    undo = _removed(op)

    def undo_all() -> None:
        undo()
        for user, index, operand in changed:
            user.operands[index] = operand

    return undo_all


def _before_last_read(arrive: Op) -> tuple[Op, Block, Op] | None:
    """What to move where so that an arrival, with the `if` around it, comes before the read that it follows."""
    op = arrive
    while op.parent is not None:
        before = op.parent.ops[: op.parent.ops.index(op)]
        reads = [other for other in before if other.name in READS]
        if reads:
            return op, op.parent, reads[-1]
        op = op.parent.parent.parent
        if op is None or op.name != "scf.if":
            return None
    return None


def _is_ring(allocation: Op) -> bool:
    type_: MemDescType = allocation.result.type
    return len(type_.shape) > 2 and type_.shape[0] > 1


def _ring_shortened(module: Module, allocation: Op, values: Values) -> Callable[[], Undo]:
    """Folds the last slot onto the first, wherever the ring is indexed."""

    def change() -> Undo:
        slots = allocation.result.type.shape[0]
        indexed = [
            op
            for op in module.walk()
            if op.name == "ttg.memdesc_index" and view_of(op.operands[0], values).root is allocation
        ]
        undos = [_with_number(op, 1, "arith.remsi", slots - 1) for op in indexed]

        def undo() -> None:
            for undo_one in reversed(undos):
                undo_one()

        return undo

    return change


# --- words -----------------------------------------------------------------------------------------------------------

_WORDS = {
    "ttng.fence_async_shared": "fence",
    "ttng.wait_barrier": "barrier_wait",
    "ttng.async_tma_store_wait": "store_wait",
    "ttg.async_wait": "cp.async wait",
    "ttng.warp_group_dot_wait": "dot_wait",
    "ttng.arrive_barrier": "barrier_arrive",
    "ttng.init_barrier": "init",
    "ttng.barrier_expect": "barrier_expect_bytes",
    "llvm.call_intrinsic": "named barrier",
}


def _label(place: Place, values: Values) -> str:
    word = _WORDS[place.op.name]
    operands = place.op.operands
    if operands and isinstance(operands[0].type, MemDescType):
        word += f"({view_of(operands[0], values).label})"
    return f"{word} in {place.task}"

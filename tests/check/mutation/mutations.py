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
from tlx.check.words import op_words
from tlx.ir.model import Block, MemDescType, Module, Op, ScalarType, Value
from tlx.language.cluster_ptx import (
    ARRIVE_REMOTE_PTX,
    ASYNC_STORE_BYTES,
    BOX_RANKS,
    COPY_REMOTE_PTX,
    MAPA_PTX,
    STORE_BYTES,
    async_store_remote_ptx,
    multicast_load_ptx,
    store_remote_ptx,
)

I32 = ScalarType("i32")
MMA_WAIT = "ttng.warp_group_dot_wait"
NAMED = "llvm.call_intrinsic"
_DROPPED = {
    "ttng.fence_async_shared": "drop fence",
    "ttng.wait_barrier": "drop wait",
    "ttng.async_tma_store_wait": "drop wait",
    "ttg.async_wait": "drop wait",
    "ttng.arrive_barrier": "drop arrive",
    "ttng.async_copy_mbarrier_arrive": "drop arrive",
    "ttng.barrier_expect": "drop expect",
    "ttng.init_barrier": "drop init",
    "nvvm.fence.mbarrier.init": "drop init fence",
}
_NAMED = {
    "llvm.nvvm.barrier.cta.sync.aligned.count": "drop wait",
    "llvm.nvvm.barrier.cta.arrive.aligned.count": "drop arrive",
}
SYNC = ("nvvm.cluster.arrive", "nvvm.cluster.wait")
"""The two ops of a sync of the cluster."""
PTX = "tt.elementwise_inline_asm"
_REMOTE = {
    ARRIVE_REMOTE_PTX: "drop remote arrive",
    COPY_REMOTE_PTX: "drop remote copy",
    **{store_remote_ptx(size): "drop remote store" for size in STORE_BYTES},
    **{async_store_remote_ptx(size): "drop remote store" for size in ASYNC_STORE_BYTES},
}
_MULTICASTS = frozenset(map(multicast_load_ptx, BOX_RANKS))
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
    found.extend(_syncs_of_all(module))
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
    if op.name == SYNC[0]:
        yield "drop cluster sync", lambda: _removed(op, _wait_of(op))
    if op.name == PTX:
        yield from _remote_changes(op)
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


def _remote_changes(op: Op) -> Changes:
    """Of what reaches other CTAs; the results of these ops are dummies, but for an address."""
    text = op.attributes["asm_string"]
    if text in _REMOTE:
        yield _REMOTE[text], lambda: _removed(op)
    if text == ARRIVE_REMOTE_PTX:
        yield "remote arrive counts one more", lambda: _with_number(op, 1, "arith.addi", 1)
    if text == MAPA_PTX:
        yield "wrong rank", lambda: _with_number(op, 1, "arith.xori", 1)
    if text in _MULTICASTS:
        yield "multicast without CTA 0", lambda: _with_number(op, -2, "arith.andi", ~1)
        yield "multicast without CTA 1", lambda: _with_number(op, -2, "arith.andi", ~2)


def _syncs_of_all(module: Module) -> Iterator[Mutation]:
    """Each sync left out by all tasks alike, where every task has the same number of them, one behind the other."""
    by_task: dict[str, list[Op]] = {}
    for place in places_of(module):
        if place.op.name == SYNC[0]:
            by_task.setdefault(place.task, []).append(place.op)
    for number, arrives in enumerate(zip(*by_task.values()), 1) if len(by_task) > 1 else ():
        ops = [op for arrive in arrives for op in (arrive, _wait_of(arrive))]
        yield Mutation("drop cluster sync", f"number {number} of every task", lambda ops=ops: _removed(*ops))


def _wait_of(arrive: Op) -> Op:
    """The wait that follows an arrival at the cluster's barrier."""
    ops = arrive.parent.ops
    return next(op for op in ops[ops.index(arrive) :] if op.name == SYNC[1])


def _changed_count(op: Op, what: str) -> Changes:
    """A count of 0 is none that PTX takes."""
    count = op.attributes["count"]
    yield f"{what} count + 1", lambda: _with(op, "count", count + 1)
    if count > 1:
        yield f"{what} count - 1", lambda: _with(op, "count", count - 1)


# --- changes ---------------------------------------------------------------------------------------------------------


def _removed(*ops: Op) -> Undo:
    before = {op.parent: list(op.parent.ops) for op in ops}
    for op in ops:
        op.parent.ops.remove(op)

    def undo() -> None:
        for block, order in before.items():
            block.ops[:] = order

    return undo


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
    "ttng.async_copy_mbarrier_arrive": "arrival of cp.async",
    "ttng.init_barrier": "init",
    "ttng.barrier_expect": "barrier_expect_bytes",
    "llvm.call_intrinsic": "named barrier",
    "nvvm.cluster.arrive": "cluster sync",
    "nvvm.fence.mbarrier.init": "fence_mbarrier_init",
}


def _label(place: Place, values: Values) -> str:
    if place.op.name == PTX:
        return f"{op_words(place.op).strip('`')} in {place.task}"
    word = _WORDS[place.op.name]
    operands = place.op.operands
    if operands and isinstance(operands[0].type, MemDescType):
        word += f"({view_of(operands[0], values).label})"
    return f"{word} in {place.task}"

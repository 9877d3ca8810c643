"""From SSA values to expressions, through loops, branches and what tasks capture."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.model import Block, Op, ScalarType, Value
from .expressions import Atom, Atoms, Linear, constant

__all__ = ["Values", "defining_op"]

# Ops that only change the width of a number.
_CASTS = frozenset({"arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"})
# Ops besides arithmetic whose result depends on nothing but their operands and the program. A load counts: tasks that
# read the same bound from global memory agree.
_PURE = frozenset({"tt.get_program_id", "tt.get_num_programs", "tt.addptr", "tt.load"})
_LOOPS = frozenset({"scf.for", "scf.while"})


def defining_op(block: Block) -> Op | None:
    """The op whose region a block belongs to."""
    return block.parent.parent if block.parent else None


class Values:
    """The expressions of a module's integer values."""

    def __init__(self):
        self.atoms = Atoms()
        self._known: dict[tuple, Linear] = {}
        self._closed: dict[tuple, tuple] = {}
        for name, fold in _FOLDS.items():
            self.atoms.builder(name, self._folding(name, fold))
        self.atoms.builder("arith.muli", self.atoms.product)
        self.atoms.builder("holds", self.holds)
        self.atoms.builder("further", lambda excess, step: self.trips_of(excess, step) - self.holds("gt", excess))
        self.atoms.builder("carried", self._at_trip)

    def of(self, value: Value) -> Linear:
        """The expression of an integer, or a truth value as 0 or 1."""
        return self._of(value, ())

    # --- loops ---

    def iteration(self, loop: Op) -> Linear:
        """The number of the trip, from 0."""
        return self._iteration(loop, ())

    def trips(self, loop: Op) -> Linear:
        """How many trips an `scf.for` makes."""
        return self._trips(loop, ())

    def trips_of(self, excess: Linear, step: Linear) -> Linear:
        """The trips of a loop whose upper bound lies that far above its lower one."""
        if excess.is_constant and step.is_constant:
            return constant(max(0, -(-excess.constant // step.constant)))
        return self.holds("gt", excess) + self.atoms.term("further", excess, step)

    def excess(self, loop: Op) -> Linear:
        """How far the upper bound of an `scf.for` lies above its lower one."""
        lower, upper, _ = map(self.of, loop.operands[:3])
        return upper - lower

    def holds(self, comparison: str, difference: Linear) -> Linear:
        """1 where the difference is greater than (`gt`) or equal to (`eq`) 0, else 0."""
        if difference.is_constant:
            return constant(int(difference.constant > 0 if comparison == "gt" else difference.constant == 0))
        if comparison == "eq" and difference.terms[0][1] < 0:
            difference = -difference
        return self.atoms.term("holds", comparison, difference)

    def _iteration(self, loop: Op, open_loops: tuple[Op, ...]) -> Linear:
        depth = sum(op.name in _LOOPS for op in _enclosing(loop))
        if loop.name == "scf.for":
            bounds = [self._of(value, open_loops) for value in loop.operands[:3]]
        else:
            bounds = [loop]
        return self.atoms.term("iteration", depth, *bounds, own=True)

    def _trips(self, loop: Op, open_loops: tuple[Op, ...]) -> Linear:
        lower, upper, step = (self._of(value, open_loops) for value in loop.operands[:3])
        return self.trips_of(upper - lower, step)

    def _carried(self, loop: Op, index: int, trip: Linear, open_loops: tuple[Op, ...]) -> Linear:
        """What a loop carries in its `index`-th value when `trip` trips are done."""
        key = (loop, index, open_loops)
        if key not in self._closed:
            self._closed[key] = self._closed_form(loop, index, open_loops)
        return self._at_trip(trip, *self._closed[key])

    def _at_trip(self, trip: Linear, step: Linear | None, *links: Linear) -> Linear:
        """A carried value: `links` are its first value, or that and what each trip makes of it, of it and those that it
        is made from."""
        if trip == constant(0):
            return links[0]
        if step is not None:
            return links[0] + self.atoms.product(step, trip)
        return self.atoms.term("carried", trip, None, *links)

    def _closed_form(self, loop: Op, index: int, open_loops: tuple[Op, ...]) -> tuple:
        inside = (*open_loops, loop)
        initial = [self._of(value, open_loops) for value in loop.operands[3:]]
        yielded = loop.regions[0].entry.ops[-1].operands
        own = self.atoms.atom("carry", loop, index)
        iteration = self._iteration(loop, open_loops)
        change = self._of(yielded[index], inside) - Linear(0, ((own, 1),))
        if not _mentions(change, loop) and not change.variables & iteration.variables - _outer(iteration):
            return change, initial[index]
        order, links = [index], []
        number = iteration.terms[0][0]
        for current in order:
            after = self._of(yielded[current], inside)
            order += sorted({i for i in _carries(after, loop) if i not in order})
            links += [initial[current], after]
        depth = number.operands[0]
        names = {
            self.atoms.atom("carry", loop, i): self.atoms.term("carry", depth, place) for place, i in enumerate(order)
        }
        names[number] = self.atoms.term("trip", depth)
        return None, *(self.atoms.substitute(link, names) if i % 2 else link for i, link in enumerate(links))

    # --- values ---

    def _of(self, value: Value, open_loops: tuple[Op, ...]) -> Linear:
        key = (value, open_loops)
        if key not in self._known:
            owner = value.owner
            argument = isinstance(owner, Block)
            self._known[key] = (self._argument if argument else self._result)(value, owner, open_loops)
        return self._known[key]

    def _argument(self, value: Value, block: Block, open_loops: tuple[Op, ...]) -> Linear:
        op = defining_op(block)
        if op.name == "ttg.warp_specialize":
            return self._of(op.operands[value.index], open_loops)
        if op.name != "scf.for":
            return self._opaque(value, block, open_loops)
        trip = self._iteration(op, open_loops)
        if value.index == 0:
            lower, step = self._of(op.operands[0], open_loops), self._of(op.operands[2], open_loops)
            return lower + self.atoms.product(trip, step)
        if op in open_loops:
            return self.atoms.term("carry", op, value.index - 1)
        return self._carried(op, value.index - 1, trip, open_loops)

    def _result(self, value: Value, op: Op, open_loops: tuple[Op, ...]) -> Linear:
        if op.name == "arith.constant":
            number = op.attributes["value"]
            return constant(int(number)) if isinstance(number, (bool, int)) else self.atoms.term("literal", str(number))
        if op.name == "scf.for":
            return self._carried(op, value.index, self._trips(op, open_loops), open_loops)
        if op.name == "scf.if":
            parts = [op.operands[0], *(region.entry.ops[-1].operands[value.index] for region in op.regions)]
            return self._select(*(self._of(part, open_loops) for part in parts))
        if not isinstance(value.type, ScalarType):
            return self._opaque(value, op.parent, open_loops)
        if op.name in _CASTS:
            number = self._of(op.operands[0], open_loops)
            return -number if op.name == "arith.extsi" and str(op.operands[0].type) == "i1" else number
        if op.name == "arith.select":
            return self._select(*(self._of(operand, open_loops) for operand in op.operands))
        if op.name in _ARITHMETIC or op.name in _PURE or op.name.startswith("arith."):
            return self._apply(op, [self._of(operand, open_loops) for operand in op.operands])
        return self._opaque(value, op.parent, open_loops)

    def _select(self, condition: Linear, then: Linear, otherwise: Linear) -> Linear:
        if then == otherwise:
            return then
        if condition.is_constant:
            return then if condition.constant else otherwise
        return self.atoms.term("select", condition, then, otherwise)

    def _apply(self, op: Op, operands: list[Linear]) -> Linear:
        if op.name == "arith.cmpi":
            return self._compared(op.attributes["predicate"], *operands)
        if op.name == "arith.xori" and str(op.result.type) == "i1" and operands[1] == constant(1):
            return constant(1) - operands[0]
        if op.name == "arith.andi" and str(op.result.type) == "i1":
            return self.atoms.product(*operands)
        if op.name in _ARITHMETIC:
            return _ARITHMETIC[op.name](self.atoms, *operands)
        if op.name in _FOLDS:
            return self._folding(op.name, _FOLDS[op.name])(*operands)
        if op.name in ("tt.get_program_id", "tt.get_num_programs"):
            return self.atoms.term(op.name, op.attributes.get("axis"))
        return self.atoms.term(op.name, str(op.attributes.get("predicate", "")), *operands)

    def _compared(self, predicate: str, a: Linear, b: Linear) -> Linear:
        if predicate in ("eq", "ne"):
            equal = self.holds("eq", a - b)
            return equal if predicate == "eq" else constant(1) - equal
        if predicate.startswith("u"):
            return self.atoms.term("arith.cmpi", predicate, a, b)
        difference = a - b if predicate in ("sgt", "sge") else b - a
        return self.holds("gt", difference + 1 if predicate.endswith("e") else difference)

    def _folding(self, name: str, fold: Callable[[int, int], int | None]) -> Callable[[Linear, Linear], Linear]:
        def build(a: Linear, b: Linear) -> Linear:
            if a.is_constant and b.is_constant:
                number = fold(a.constant, b.constant)
                if number is not None:
                    return constant(number)
            return self.atoms.term(name, a, b)

        return build

    def _opaque(self, value: Value, block: Block, open_loops: tuple[Op, ...]) -> Linear:
        """A value that is only equal to itself, and another one in each trip of the loops around it."""
        loops = [op for op in _enclosing_block(block) if op.name in _LOOPS]
        variables = frozenset(v for loop in loops for v in self._iteration(loop, open_loops).variables)
        return self.atoms.term("value", value, variables=variables)


# --- folding ---------------------------------------------------------------------------------------------------------


def _divide(a: int, b: int) -> int | None:
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    return None if b == 0 else a - b * _divide(a, b)


_FOLDS: dict[str, Callable[[int, int], int | None]] = {
    "arith.andi": int.__and__,
    "arith.ori": int.__or__,
    "arith.xori": int.__xor__,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.divsi": _divide,
    "arith.remsi": _remainder,
    "arith.divui": lambda a, b: a // b if a >= 0 < b else None,
    "arith.remui": lambda a, b: a % b if a >= 0 < b else None,
    "arith.shli": lambda a, b: a << b if 0 <= b < 64 else None,
    "arith.shrsi": lambda a, b: a >> b if 0 <= b < 64 else None,
    "arith.shrui": lambda a, b: a >> b if a >= 0 and 0 <= b < 64 else None,
}

_ARITHMETIC: dict[str, Callable[[Atoms, Linear, Linear], Linear]] = {
    "arith.addi": lambda atoms, a, b: a + b,
    "arith.subi": lambda atoms, a, b: a - b,
    "arith.muli": lambda atoms, a, b: atoms.product(a, b),
}


# --- structure -------------------------------------------------------------------------------------------------------


def _enclosing(op: Op) -> list[Op]:
    """The ops around an op, from the inside out."""
    return _enclosing_block(op.parent) if op.parent else []


def _enclosing_block(block: Block) -> list[Op]:
    found = []
    op = defining_op(block)
    while op is not None:
        found.append(op)
        op = defining_op(op.parent) if op.parent else None
    return found


def _outer(iteration: Linear) -> frozenset[Atom]:
    """The variables of the loops around an iteration's."""
    (atom, _), *_ = iteration.terms
    return iteration.variables - {atom}


def _all_atoms(expression: Linear) -> set[Atom]:
    found: set[Atom] = set()
    pending = [atom for atom, _ in expression.terms]
    while pending:
        atom = pending.pop()
        if atom in found:
            continue
        found.add(atom)
        for operand in atom.operands:
            if isinstance(operand, Linear):
                pending += [inner for inner, _ in operand.terms]
            elif isinstance(operand, Atom):
                pending.append(operand)
    return found


def _carries(expression: Linear, loop: Op) -> set[int]:
    """Which of a loop's carried values an expression mentions."""
    return {a.operands[1] for a in _all_atoms(expression) if a.kind == "carry" and a.operands[0] is loop}


def _mentions(expression: Linear, loop: Op) -> bool:
    return bool(_carries(expression, loop))

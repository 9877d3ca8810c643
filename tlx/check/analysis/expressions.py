"""Integer expressions that are equal where two tasks compute the same number.

An expression is a constant plus a sum of atoms with integer coefficients. Atoms are interned, so that equal structure
is the same object. Overflow is not modelled: slots, phases and trip counts stay far from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

__all__ = ["Atom", "Atoms", "Linear", "constant"]


@dataclass(eq=False)
class Atom:
    """Something that isn't taken apart further.

    Args:
        kind: `value`, `iteration`, `holds`, an op's name, ...
        operands: expressions and other hashable things; with `kind` they tell atoms apart.
        variables: the loops' iteration atoms that it depends on.
        order: a number for sorting.
    """

    kind: str
    operands: tuple[Any, ...]
    variables: frozenset[Atom] = frozenset()
    order: int = 0

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.operands))})"


@dataclass(frozen=True)
class Linear:
    """`constant + sum(coefficient * atom)`, the atoms in their order and without zero coefficients."""

    constant: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    @cached_property
    def variables(self) -> frozenset[Atom]:
        """The iteration atoms that it depends on."""
        return frozenset().union(*(atom.variables for atom, _ in self.terms))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def coefficients(self) -> list[int]:
        """The constant and the coefficients of the atoms."""
        return [self.constant, *(coefficient for _, coefficient in self.terms)]

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.constant + other, self.terms)
        sums = dict(self.terms)
        for atom, coefficient in other.terms:
            sums[atom] = sums.get(atom, 0) + coefficient
        return _linear(self.constant + other.constant, sums)

    def __neg__(self) -> Linear:
        return self.scaled(-1)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + -other

    def scaled(self, factor: int) -> Linear:
        """`factor * self`."""
        return _linear(self.constant * factor, {atom: n * factor for atom, n in self.terms})

    def __repr__(self) -> str:
        parts = [f"{n}*{atom!r}" if n != 1 else repr(atom) for atom, n in self.terms]
        return " + ".join(parts + ([str(self.constant)] if self.constant or not parts else []))


def _linear(constant: int, sums: Mapping[Atom, int]) -> Linear:
    terms = sorted(((atom, n) for atom, n in sums.items() if n), key=lambda term: term[0].order)
    return Linear(constant, tuple(terms))


def constant(number: int) -> Linear:
    """The expression of a number."""
    return Linear(number)


Builder = Callable[..., Linear]
"""Makes the expression of an atom's kind from its operands, simplified."""

# Atoms that are 0 or 1.
_INDICATORS = frozenset({"holds"})


@dataclass
class Atoms:
    """The table of atoms, and what is built from them."""

    _table: dict[tuple, Atom] = field(default_factory=dict)
    _builders: dict[str, Builder] = field(default_factory=dict)

    def builder(self, kind: str, build: Builder) -> None:
        """Says how an atom of that kind is made again when its operands change."""
        self._builders[kind] = build

    def atom(self, kind: str, *operands: Any, variables: frozenset[Atom] | None = None, own: bool = False) -> Atom:
        """The one atom of that kind with these operands.

        Args:
            variables: what it depends on; else what its operands depend on.
            own: whether it is a variable itself.
        """
        key = (kind, *operands)
        if key not in self._table:
            if variables is None:
                variables = frozenset().union(*(x.variables for x in operands if isinstance(x, (Linear, Atom))))
            atom = self._table[key] = Atom(kind, operands, variables, len(self._table))
            if own:
                atom.variables = variables | {atom}
        return self._table[key]

    def term(self, kind: str, *operands: Any, **options) -> Linear:
        """The expression that is that atom."""
        return Linear(0, ((self.atom(kind, *operands, **options), 1),))

    def product(self, a: Linear, b: Linear) -> Linear:
        """`a * b`, distributed."""
        if a.is_constant or b.is_constant:
            return a.scaled(b.constant) if b.is_constant else b.scaled(a.constant)
        result = a.scaled(b.constant) + Linear(0, b.terms).scaled(a.constant)
        for x, n in a.terms:
            for y, m in b.terms:
                result += self._product_of_atoms(x, y).scaled(n * m)
        return result

    def _product_of_atoms(self, x: Atom, y: Atom) -> Linear:
        factors = sorted([*factors_of(x), *factors_of(y)], key=lambda atom: atom.order)
        kept: list[Atom] = []
        for atom in factors:
            if atom.kind not in _INDICATORS or atom not in kept:
                kept.append(atom)
        # Further trips are made only where the first one is.
        further = {atom.operands[0] for atom in kept if atom.kind == "further"}
        kept = [a for a in kept if not (a.kind == "holds" and a.operands[0] == "gt" and a.operands[1] in further)]
        return self.of_factors(kept)

    def of_factors(self, factors: list[Atom]) -> Linear:
        """The product of atoms that are in their order."""
        if not factors:
            return constant(1)
        if len(factors) == 1:
            return Linear(0, ((factors[0], 1),))
        return self.term("product", *factors)

    def substitute(self, expression: Linear, values: Mapping[Atom, Linear]) -> Linear:
        """The expression with atoms replaced, and simplified where that makes it simpler."""
        result = constant(expression.constant)
        for atom, coefficient in expression.terms:
            result += self._substituted(atom, values).scaled(coefficient)
        return result

    def _substituted(self, atom: Atom, values: Mapping[Atom, Linear]) -> Linear:
        if atom in values:
            return values[atom]
        if atom.kind == "product":
            result = constant(1)
            for factor in atom.operands:
                result = self.product(result, self._substituted(factor, values))
            return result
        operands = tuple(self.substitute(x, values) if isinstance(x, Linear) else x for x in atom.operands)
        if operands == atom.operands:
            if atom.variables & values.keys():
                return self.term("other", atom, *values.items(), variables=atom.variables - values.keys())
            return Linear(0, ((atom, 1),))
        build = self._builders.get(atom.kind)
        return build(*operands) if build else self.term(atom.kind, *operands, own=atom in atom.variables)


def factors_of(atom: Atom) -> tuple[Atom, ...]:
    """The atoms whose product it is."""
    return atom.operands if atom.kind == "product" else (atom,)

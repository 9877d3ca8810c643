"""TTGIR as Python data: modules, functions, regions, blocks, ops, values and types.

The model is generic. An op keeps its operands in textual order, its attributes by name and its regions, whatever op it
is; what an op means is said elsewhere (`tlx.sim.ops`, `tlx.check`). `syntax` keeps the op's own spelling, so that the
printer can write back ops that nobody described.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..source import Location

__all__ = [
    "Attribute",
    "Block",
    "FunctionType",
    "MemDescType",
    "Module",
    "Op",
    "OpaqueType",
    "PointerType",
    "Region",
    "ScalarType",
    "TensorDescType",
    "TensorType",
    "Type",
    "Value",
]


# --- types -----------------------------------------------------------------------------------------------------------


class Type:
    """Base of all types. Types are immutable and compare by value; `str(type)` is their MLIR spelling."""


@dataclass(frozen=True)
class ScalarType(Type):
    """`i1`, `i32`, `f32`, `bf16`, `f8E4M3FN`, `index`, ... by MLIR name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PointerType(Type):
    """`!tt.ptr<pointee>`, with the address space if one is written."""

    pointee: Type
    address_space: int = 1

    def __str__(self) -> str:
        space = f", {self.address_space}" if self.address_space != 1 else ""
        return f"!tt.ptr<{self.pointee}{space}>"


@dataclass(frozen=True)
class Attribute:
    """A dialect attribute such as `#ttg.blocked<{...}>`, or `dense<0.0> : tensor<...>` with its decoded `value`.

    Args:
        name: `ttg.blocked`, `dense`, ... without `#`.
        parameters: by name where the spelling has names, else under positions "0", "1", ...
        text: the MLIR spelling, aliases resolved.
    """

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    text: str = ""

    def __getitem__(self, key: str) -> Any:
        return dict(self.parameters)[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of that name, or `default`."""
        return dict(self.parameters).get(key, default)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TensorType(Type):
    """`tensor<64x256xf32, #layout>`: a tensor in registers; `encoding` is None where no layout is written."""

    shape: tuple[int, ...]
    element: Type
    encoding: Attribute | None = None

    def __str__(self) -> str:
        dims = "".join(f"{d}x" for d in self.shape)
        return f"tensor<{dims}{self.element}{f', {self.encoding}' if self.encoding else ''}>"


@dataclass(frozen=True)
class MemDescType(Type):
    """`!ttg.memdesc<3x64x256xbf16, #shared, #smem, mutable, 6x64x256>`: a view of on-chip memory.

    Args:
        shape: the view's shape.
        element: element type.
        encoding: the shared layout.
        memory_space: `ttg.shared_memory`, `ttng.tensor_memory`.
        mutable: whether it may be written.
        alloc_shape: the shape of the allocation it views, where written; else equal to `shape`.
    """

    shape: tuple[int, ...]
    element: Type
    encoding: Attribute | None
    memory_space: Attribute | None
    mutable: bool = False
    alloc_shape: tuple[int, ...] = ()

    def __post_init__(self):
        if not self.alloc_shape:
            object.__setattr__(self, "alloc_shape", self.shape)

    def __str__(self) -> str:
        parts = [
            "".join(f"{d}x" for d in self.shape) + str(self.element),
            str(self.encoding),
            str(self.memory_space),
        ]
        if self.mutable:
            parts.append("mutable")
        if self.alloc_shape != self.shape:
            parts.append("x".join(map(str, self.alloc_shape)))
        return f"!ttg.memdesc<{', '.join(parts)}>"


@dataclass(frozen=True)
class TensorDescType(Type):
    """`!tt.tensordesc<tensor<64x64xbf16, #shared>>` (until 3.7) or `!tt.tensordesc<64x64xbf16, #shared>` (from 3.8)."""

    block: TensorType
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text or f"!tt.tensordesc<{self.block}>"


@dataclass(frozen=True)
class FunctionType(Type):
    """`(i32, i32) -> tensor<...>`."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    def __str__(self) -> str:
        results = str(self.results[0]) if len(self.results) == 1 else f"({', '.join(map(str, self.results))})"
        return f"({', '.join(map(str, self.inputs))}) -> {results}"


@dataclass(frozen=True)
class OpaqueType(Type):
    """Any other type (`!ttg.async.token`, `!llvm.ptr<3>`, ...), kept as text."""

    text: str

    def __str__(self) -> str:
        return self.text


# --- values and ops --------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Value:
    """An SSA value: an op's result or a block's argument. Compares by identity.

    Args:
        name: its SSA name without `%`, such as `acc_30` or `acc#1`.
        type: its type; None where the text doesn't say (the result of an op that nobody described).
        owner: the op or the block that defines it.
        index: which result or argument of the owner it is.
        location: of a block argument; of a result it is the op's.
    """

    name: str
    type: Type | None = None
    owner: Op | Block | None = None
    index: int = 0
    location: Location = Location()

    def __repr__(self) -> str:
        return f"%{self.name}"


@dataclass(eq=False)
class Op:
    """One operation.

    Args:
        name: `tt.load`, `scf.for`, `arith.addi`, ...
        operands: in textual order; those of `scf.for` are lower bound, upper bound, step, initial values.
        results: defined values.
        attributes: from the attribute dictionaries, plus what the spelling says outside them under the names given in
            `tlx.ir.readings` (`predicate` of `arith.cmpi`, `axis` of `tt.get_program_id`, `value` of `arith.constant`,
            `callee` of `tt.call`, `num_warps` per partition of `ttg.warp_specialize`, ...). Integers, booleans,
            floats and strings are Python values, a unit attribute is True, arrays are tuples, a nested dictionary is
            a tuple of pairs, the rest is `Attribute` or a `Type`.
        regions: in textual order; `Region.name` tells `default`, `partition0`, `then`, `else`, ...
        successors: (block, arguments) of a branch.
        types: the types written on the op, in textual order, functional types as one `FunctionType`.
        location: where the user wrote it.
        syntax: the op's own spelling, for the printer.
    """

    name: str
    operands: list[Value] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    successors: list[tuple[Block, list[Value]]] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    location: Location = Location()
    parent: Block | None = None
    syntax: Any = field(default=None, repr=False)

    @property
    def result(self) -> Value:
        """The only result."""
        (value,) = self.results
        return value

    def region(self, name: str) -> Region:
        """The region of that name.

        Raises:
            KeyError: there is none.
        """
        for region in self.regions:
            if region.name == name:
                return region
        raise KeyError(name)

    def walk(self) -> Iterator[Op]:
        """This op and all ops nested in it, outer before inner, in textual order."""
        yield self
        for region in self.regions:
            for block in region.blocks:
                for op in block.ops:
                    yield from op.walk()


@dataclass(eq=False)
class Block:
    """A list of ops with arguments; `label` is `bb0` without `^`, or "" for an unlabelled entry block."""

    label: str = ""
    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    parent: Region | None = None


@dataclass(eq=False)
class Region:
    """Blocks, the entry first. Arguments written at the region's head (`partition0(%a: i32)`) are the entry's."""

    blocks: list[Block] = field(default_factory=list)
    name: str = ""
    parent: Op | None = None

    @property
    def entry(self) -> Block:
        """The block where control enters."""
        return self.blocks[0]


@dataclass(eq=False)
class Module:
    """A parsed file: module attributes and the ops of its body, functions first of all."""

    attributes: dict[str, Any] = field(default_factory=dict)
    body: Block = field(default_factory=Block)
    location: Location = Location()
    syntax: Any = field(default=None, repr=False)

    @property
    def functions(self) -> dict[str, Op]:
        """`tt.func` ops by name; attributes: `sym_name`, `sym_visibility`, `argument_attributes` (a tuple of dicts)."""
        return {op.attributes["sym_name"]: op for op in self.body.ops if op.name == "tt.func"}

    @property
    def kernel(self) -> Op:
        """The only public function."""
        (op,) = [f for f in self.functions.values() if f.attributes.get("sym_visibility") == "public"]
        return op

    def walk(self) -> Iterator[Op]:
        """All ops, outer before inner, in textual order."""
        for op in self.body.ops:
            yield from op.walk()

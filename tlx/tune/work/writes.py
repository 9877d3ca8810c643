"""Which arguments a kernel writes, read off its TTGIR.

Where the pointer of a store can come from several arguments, all of them count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...ir import Module
from ...ir.model import Block, Op, PointerType, TensorDescType, TensorType, Value

__all__ = ["written_arguments"]

_LOADS = frozenset({"tt.load", "tt.descriptor_load", "tt.descriptor_gather", "ttg.async_copy_global_to_local"})
_TMA_LOADS = ("ttng.async_tma_copy_global_to_local", "ttng.async_tma_gather", "ttng.async_tma_prefetch")
# They hand pointers on, or look at them, without touching memory.
_FLOW = ("scf.", "cf.", "arith.", "ttg.warp_", "tt.return", "tt.call", "tt.func")


def written_arguments(module: Module, signature: Mapping[str, Any]) -> frozenset[str]:
    """Names of the kernel's parameters that an op may write through.

    Args:
        module: the kernel.
        signature: Triton's types by parameter. The names in TTGIR are those that a value was given last.
    """
    sources, names = _Sources(module), _names(module, signature)
    found = {place for op in module.walk() if _may_write(op) for value in op.operands for place in sources.of(value)}
    return frozenset(names[place] for place in found)


def _names(module: Module, signature: Mapping[str, Any]) -> list[str]:
    """The parameter that each argument in TTGIR belongs to: a descriptor comes with its sizes and strides."""
    arguments, names = module.kernel.regions[0].entry.arguments, []
    for name in _passed(signature.items()):
        if len(names) == len(arguments):
            break
        kind = arguments[len(names)].type
        names += [name] * (1 + 2 * len(kind.block.shape) if isinstance(kind, TensorDescType) else 1)
    return names


def _passed(signature: Iterable[tuple[str, Any]]) -> Iterator[str]:
    for name, kind in signature:
        if isinstance(kind, tuple | list):
            yield from _passed((name, part) for part in kind)
        elif kind != "constexpr":
            yield name


def _may_write(op: Op) -> bool:
    """Whether an op with pointers among its operands writes there; those that nobody knows count, like inline PTX."""
    if op.name in _LOADS or op.name.startswith((*_TMA_LOADS, *_FLOW)):
        return False
    return not any(_is_pointer(result) for result in op.results)


def _is_pointer(value: Value) -> bool:
    kind = value.type.element if isinstance(value.type, TensorType) else value.type
    return isinstance(kind, PointerType | TensorDescType)


class _Sources:
    """Follows pointers back to the kernel's parameters."""

    def __init__(self, module: Module):
        self._module = module
        self._calls: dict[str, list[Op]] = {}
        self._branches: dict[Block, list[list[Value]]] = {}
        for op in module.walk():
            if op.name == "tt.call":
                self._calls.setdefault(str(op.attributes["callee"]).removeprefix("@"), []).append(op)
            for block, values in op.successors:
                self._branches.setdefault(block, []).append(values)

    def of(self, value: Value) -> set[int]:
        """The numbers of the kernel's arguments that a pointer may come from."""
        found, seen, todo = set(), set(), [value]
        while todo:
            value = todo.pop()
            if value in seen or not _is_pointer(value):
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, Block) and owner is self._module.kernel.regions[0].entry:
                found.add(value.index)
            else:
                todo += self._before(value, owner)
        return found

    def _before(self, value: Value, owner: Op | Block | None) -> Iterator[Value]:
        if isinstance(owner, Op):
            return self._operands(value, owner)
        return self._handed(value, owner) if owner is not None else iter(())

    def _operands(self, value: Value, op: Op) -> Iterator[Value]:
        """What an op computes a result of: all its operands, and what its regions yield."""
        yield from op.operands
        for region in op.regions:
            for block in region.blocks:
                yield from block.ops[-1].operands if block.ops else ()
        if op.name == "tt.call":
            function = self._module.functions[str(op.attributes["callee"]).removeprefix("@")]
            for inner in function.walk():
                yield from inner.operands if inner.name == "tt.return" else ()

    def _handed(self, value: Value, block: Block) -> Iterator[Value]:
        """What a block's argument can be."""
        yield from (values[value.index] for values in self._branches.get(block, ()) if value.index < len(values))
        op = block.parent.parent if block.parent else None
        if op is None or block is not block.parent.entry:
            return
        if op.name == "tt.func":
            yield from (call.operands[value.index] for call in self._calls.get(op.attributes["sym_name"], ()))
        elif op.name.startswith("ttg.warp_specialize"):
            yield from op.operands[value.index : value.index + 1]
        elif op.name == "scf.for":
            yield op.operands[2 + value.index]
            yield block.ops[-1].operands[value.index - 1]
        else:
            yield from op.operands
            yield from (v for region in op.regions for b in region.blocks if b.ops for v in b.ops[-1].operands)

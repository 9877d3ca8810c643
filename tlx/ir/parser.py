"""TTGIR text to `Module`.

The grammar gives ops with their items (`tlx.ir.syntax`); names become `Value`s here, and what the items of one op mean
is read in `tlx.ir.op_reader` with the table in `tlx.ir.readings`.
"""

from __future__ import annotations

from . import syntax
from .context import Context
from .grammar import read_file
from .model import Block, Module, Op, Region, Value
from .op_reader import OpReader

__all__ = ["parse"]


def parse(text: str) -> Module:
    """The module that a TTGIR or TTIR text, as Triton 3.6 to 3.9 prints it, spells.

    Ops keep their operands in textual order. `tlx.ir.readings` documents the attribute names of what an op's spelling
    says outside dictionaries.

    Raises:
        TTGIRSyntaxError: the text isn't TTGIR, or uses a name that it doesn't define.
    """
    parts = read_file(text)
    context = Context(text, [part for part in parts if isinstance(part, syntax.Alias)])
    operations = [part for part in parts if isinstance(part, syntax.Operation)]
    body = Block()
    _read_blocks(context, [(body, operations)], {}, {})
    if len(body.ops) != 1 or body.ops[0].name not in ("module", "builtin.module"):
        return Module(body=body)
    (top,) = body.ops
    return Module(top.attributes, top.regions[0].entry, top.location, top.syntax)


def _read_blocks(
    context: Context,
    blocks: list[tuple[Block, list[syntax.Operation]]],
    scope: dict[str, Value],
    labels: dict[str, Block],
) -> None:
    """Reads the ops of a region's blocks. All results are defined first: a use may stand before its definition."""
    results = [[_define_results(node, scope) for node in nodes] for _, nodes in blocks]
    for (block, nodes), values in zip(blocks, results):
        block.ops = [_read_op(context, node, own, scope, labels) for node, own in zip(nodes, values)]
        for op in block.ops:
            op.parent = block


def _define_results(node: syntax.Operation, scope: dict[str, Value]) -> list[Value]:
    values = []
    for token in node.results:
        base, pack, count = token[1:].partition(":")
        names = [f"{base}#{index}" for index in range(int(count))] if pack else [base]
        values += [Value(name) for name in names]
    for index, value in enumerate(values):
        value.index = index
        scope[value.name] = value
    return values


def _read_op(
    context: Context,
    node: syntax.Operation,
    results: list[Value],
    scope: dict[str, Value],
    labels: dict[str, Block],
) -> Op:
    reader = OpReader(context, node, results, scope, labels)
    op = reader.read()
    for value in op.results:
        value.owner = op
        value.location = op.location
    for region, text in reader.regions:
        _read_region(context, region, text, dict(scope))
    return op


def _read_region(context: Context, region: Region, text: syntax.RegionText, scope: dict[str, Value]) -> None:
    """Reads a region's contents; `scope` is its own copy of what it sees."""
    for block, block_text in zip(region.blocks, text.blocks):
        for argument in block_text.arguments:
            location = context.location(argument.location, argument.name)
            block.arguments.append(Value(argument.name[1:], context.type(argument.type), location=location))
        for index, argument in enumerate(block.arguments):
            argument.owner = block
            argument.index = index
            scope[argument.name] = argument
    labels = {block.label: block for block in region.blocks if block.label}
    _read_blocks(context, [(b, t.operations) for b, t in zip(region.blocks, text.blocks)], scope, labels)

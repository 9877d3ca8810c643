"""`Module` to TTGIR text that Triton reads."""

from __future__ import annotations

import re

from ..source import Location
from .locations import format_location
from .model import Block, Module, Op, Region, Value
from .syntax import Hole

__all__ = ["format_module", "format_op"]

_INDENT = "  "
# A layout without another one inside; or a string, in which nothing is a layout.
_LAYOUT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|#tt\w*\.(\w+)<[^<>"]*>')


def format_module(module: Module) -> str:
    """The module as text that `parse` and Triton read.

    Operands, types, regions and branches are written as they are in the model; attributes and literals as the parsed
    text spelled them.
    """
    printer = _Printer()
    if module.syntax is None:
        lines = [line for op in module.body.ops for line in printer.op(op, "")]
    else:
        top = Op("module", regions=[Region([module.body])], location=module.location, syntax=module.syntax)
        lines = printer.op(top, "")
    layouts, lines = _with_layout_aliases(lines)
    return "\n".join([*layouts, *lines, *printer.location_aliases(), ""])


def format_op(op: Op) -> str:
    """One op as text, for messages: without its location, its regions' contents left out."""
    pieces = ["{...}" if isinstance(p, Hole) and p.kind == "region" else _fill(op, p) for p in op.syntax]
    return _results(op) + _join(pieces)


class _Printer:
    def __init__(self):
        self._aliases: dict[Location, str] = {}

    def location_aliases(self) -> list[str]:
        return [f"{name} = loc({format_location(location)})" for location, name in self._aliases.items()]

    def op(self, op: Op, indent: str) -> list[str]:
        """The op's lines; the text before, between and behind its regions shares their first and last lines."""
        lines = []
        pieces = []
        for piece in op.syntax:
            if isinstance(piece, Hole) and piece.kind == "region":
                lines.append(indent + _join([*pieces, "{"]))
                lines += self._region(op.regions[piece.index], indent + _INDENT)
                pieces = ["}"]
            elif isinstance(piece, Hole) and piece.kind == "argument":
                argument = op.regions[piece.index].entry.arguments[piece.argument]
                pieces.append(self._argument(argument, piece.text))
            else:
                pieces.append(_fill(op, piece))
        lines.append(indent + _join([*pieces, self._location(op.location)]))
        first = lines[0][len(indent) :]
        return [indent + _results(op) + first, *lines[1:]]

    def _region(self, region: Region, indent: str) -> list[str]:
        lines = []
        for block in region.blocks:
            if block.label:
                arguments = ", ".join(self._argument(argument) for argument in block.arguments)
                lines.append(f"{indent[len(_INDENT) :]}^{block.label}{f'({arguments})' if arguments else ''}:")
            for op in block.ops:
                lines += self.op(op, indent)
        return lines

    def _argument(self, argument: Value, attributes: str = "") -> str:
        return _join([f"%{argument.name}: {argument.type}", attributes, self._location(argument.location)])

    def _location(self, location: Location) -> str:
        if location == Location():
            return "loc(unknown)"
        return f"loc({self._aliases.setdefault(location, f'#loc{len(self._aliases) + 1}')})"


def _fill(op: Op, piece: str | Hole) -> str:
    if isinstance(piece, str):
        return piece
    if piece.kind == "operand":
        return f"%{op.operands[piece.index].name}"
    if piece.kind == "type":
        return str(op.types[piece.index])
    if piece.kind == "successor":
        return _successor(*op.successors[piece.index])
    argument = op.regions[piece.index].entry.arguments[piece.argument]
    return f"%{argument.name}" if piece.kind == "name" else f"%{argument.name}: {argument.type}"


def _successor(block: Block, values: list[Value]) -> str:
    if not values:
        return f"^{block.label}"
    names = ", ".join(f"%{value.name}" for value in values)
    return f"^{block.label}({names} : {', '.join(str(argument.type) for argument in block.arguments)})"


def _results(op: Op) -> str:
    """`%a, %b:2 = `."""
    names = []
    for value in op.results:
        base, pack, index = value.name.partition("#")
        if not pack:
            names.append(f"%{base}")
        elif index == "0":
            count = sum(other.name.startswith(f"{base}#") for other in op.results)
            names.append(f"%{base}:{count}")
    return f"{', '.join(names)} = " if names else ""


def _join(pieces: list[str]) -> str:
    """The pieces with spaces between them, none inside brackets, before a comma or before a call's parenthesis."""
    text = ""
    for piece in pieces:
        tight = piece in (",", ")", "]") or text.endswith(("(", "[")) or (piece in ("(", "[") and text[-1:].isalnum())
        text += piece if tight or not text or not piece else f" {piece}"
    return text


def _with_layout_aliases(lines: list[str]) -> tuple[list[str], list[str]]:
    """`#blocked = ...` lines, and the lines with each layout replaced by its alias."""
    aliases: dict[str, str] = {}
    counts: dict[str, int] = {}

    def alias(match: re.Match[str]) -> str:
        layout, kind = match[0], match[1]
        if kind and layout not in aliases:
            number = counts.get(kind, 0)
            counts[kind] = number + 1
            aliases[layout] = f"#{kind}{number or ''}"
        return aliases[layout] if kind else layout

    lines = [_LAYOUT_OR_STRING.sub(alias, line) for line in lines]
    return [f"{name} = {layout}" for layout, name in aliases.items()], lines

"""One op from its items: operands, attributes, types, result types, and the regions that are still to be read."""

from __future__ import annotations

from typing import Any

from . import syntax
from .constants import read_number
from .context import Context
from .model import Block, FunctionType, Op, Region, Type, Value
from .readings import Literals, reading_of
from .strings import unquote
from .syntax import Hole

__all__ = ["OpReader"]

_NUMBERS = ("INTEGER", "HEXADECIMAL", "FLOAT")


class Cursor:
    """Goes through the items of an op or a group."""

    def __init__(self, items: list[Any]):
        self._items = items
        self._position = 0

    def take(self) -> Any:
        """The next item, which is then done; None at the end."""
        item = self.peek()
        self._position += 1
        return item

    def peek(self, ahead: int = 0) -> Any:
        """The item that many items behind the next one; None behind the end."""
        position = self._position + ahead
        return self._items[position] if position < len(self._items) else None


class OpReader:
    """Reads one op.

    Args:
        context: the text's aliases and locations.
        node: the op as the grammar gave it.
        results: its result values, without types.
        scope: value by name.
        labels: block by name in the op's own region.
    """

    def __init__(
        self,
        context: Context,
        node: syntax.Operation,
        results: list[Value],
        scope: dict[str, Value],
        labels: dict[str, Block],
    ):
        quoted = node.name.type == "STRING"
        name = unquote(node.name) if quoted else str(node.name)
        self.op = Op(name, results=results, location=context.location(node.location, node.name))
        self.regions: list[tuple[Region, syntax.RegionText]] = []
        self._context = context
        self._items = node.items
        self._scope = scope
        self._labels = labels
        self._reading = reading_of(name)
        self._literals = Literals()
        self._syntax: list[Any] = [str(node.name)]
        self._arguments: list[Value] = []
        self._bound: list[Value] = []
        self._written_results: list[Type] | None = None
        self._words: list[str] = []
        self._segment: list[int] | None = None
        self._segments: dict[str, list[int]] = {
            segment: [] for segment in (*self._reading.brackets.values(), *self._reading.segments)
        }

    def read(self) -> Op:
        """The op; the contents of `regions` are left to the caller."""
        self._read_items(self._items)
        self.op.syntax = tuple(self._syntax)
        self._name_literals()
        self._type_results()
        if self._reading.bound:
            for argument, type_ in zip(self._bound, self._reading.bound(self.op)):
                argument.type = type_
        if self._reading.finish:
            self._reading.finish(self.op, self._literals)
        return self.op

    # --- items ---

    def _read_items(self, items: list[Any]) -> None:
        cursor = Cursor(items)
        while (item := cursor.take()) is not None:
            kind = item.type if isinstance(item, str) else type(item).__name__
            handler = _HANDLERS.get(kind)
            if handler is None:
                self._syntax.append(str(item))
            else:
                handler(self, item, cursor)

    def _value(self, token: Any, cursor: Cursor) -> None:
        self._operand(token)

    def _operand(self, token: Any) -> None:
        if self._segment is not None:
            self._segment.append(len(self.op.operands))
        self._syntax.append(Hole("operand", len(self.op.operands)))
        self.op.operands.append(self._lookup(token))

    def _lookup(self, token: Any) -> Value:
        try:
            return self._scope[token[1:]]
        except KeyError:
            raise self._context.error(token, f"nothing defines {token}") from None

    def _word(self, token: Any, cursor: Cursor) -> None:
        word = str(token)
        self._syntax.append(word)
        if word == "to":
            self._written_results = self._types_ahead(cursor)[0]
        if word in self._reading.flags:
            self.op.attributes[word] = True
        elif word in self._reading.segments:
            self._segment = self._segments[word]
        elif not _is(cursor.peek(), "DICTIONARY"):
            self._words.append(word)
            self._literals.words.append(word)

    def _number(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append(str(token))
        self._literals.numbers.append(read_number(token))

    def _string(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append(str(token))
        self._literals.strings.append(unquote(token))

    def _symbol(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append(str(token))
        name = token[1:]
        self._literals.symbols.append(unquote(name) if name.startswith('"') else str(name))

    def _type(self, token: Any, cursor: Cursor) -> None:
        self._append_type(self._context.type(token))

    def _append_type(self, type_: Type) -> None:
        self._syntax.append(Hole("type", len(self.op.types)))
        self.op.types.append(type_)

    def _attribute(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append(self._context.expand(token))

    def _dense(self, token: Any, cursor: Cursor) -> None:
        """`dense<...> : type`; the colon and the type are items of their own."""
        type_ = cursor.peek(1)
        self._append_dense(token, type_ if _is(type_, "TYPE") else None)

    def _append_dense(self, token: Any, type_: Any) -> None:
        self._literals.dense.append(self._context.dense(token, type_ and self._context.type(type_)))
        self._syntax.append(self._context.expand(token))

    def _dictionary(self, token: Any, cursor: Cursor) -> None:
        self.op.attributes.update(self._context.dictionary(token))
        self._syntax.append(self._context.expand(token))

    def _typed_literal(self, item: syntax.TypedLiteral, cursor: Cursor) -> None:
        if item.literal.type == "DENSE":
            self._append_dense(*item)
        else:
            self._read_items([item.literal])
        self._syntax.append(":")
        self._append_type(self._context.type(item.type))

    def _keyed(self, item: syntax.Keyed, cursor: Cursor) -> None:
        self._syntax += [str(item.key), "="]
        if item.value.type == "LBRACKET":
            self._syntax.append("[")
            self._segment = self._segments.get(str(item.key))
            return
        self._syntax.append(self._context.expand(item.value))
        self.op.attributes[str(item.key)] = self._plain(item.value)

    def _plain(self, token: Any) -> Any:
        """The value of a key; what looks like a type (`tf32`, `none`) is one of the words an op has for its own."""
        if token.type in _NUMBERS:
            return read_number(token)
        if token.type == "STRING":
            return unquote(token)
        if token.type == "ATTRIBUTE":
            return self._context.attribute(token)
        return str(token)

    def _open_bracket(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append("[")
        name = self._reading.brackets.get(len(self.op.operands) - 1, "")
        self._segment = self._segments.get(name)

    def _close_bracket(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append("]")
        self._segment = None

    def _colon(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append(":")
        self._segment = None

    def _arrow(self, token: Any, cursor: Cursor) -> None:
        self._syntax.append("->")
        self._written_results = self._types_ahead(cursor)[0]

    def _flag(self, token: Any, cursor: Cursor) -> None:
        """`key<values>`, such as `fastmath<fast>`."""
        self._syntax.append(str(token))
        key, _, values = token[:-1].partition("<")
        self.op.attributes[key] = values

    def _bare_type(self, token: Any, cursor: Cursor) -> None:
        """`<f32>` for `!tt.ptr<f32>`: an operand's type, or of the kind that the op's reading says."""
        spelling = self._context.expand(token)
        of_operands = (value.type for value in self.op.operands if str(value.type).partition("<")[2] == spelling[1:])
        self._append_type(next(of_operands, None) or self._context.type(token, self._reading.bare_type))

    # --- types in parentheses ---

    def _group(self, item: syntax.Group, cursor: Cursor) -> None:
        if _is(cursor.peek(), "ARROW") and all(_is(part, "TYPE", "COMMA") for part in item.items):
            self._function_type(item, cursor)
            return
        self._syntax.append("(")
        self._read_items(item.items)
        self._syntax.append(")")

    def _function_type(self, inputs: syntax.Group, cursor: Cursor) -> None:
        """`(types) -> types` as one type."""
        cursor.take()
        results, length = self._types_ahead(cursor)
        for _ in range(length):
            cursor.take()
        self._written_results = results
        self._append_type(FunctionType(tuple(self._types_in(inputs)), tuple(results)))

    def _types_in(self, group: syntax.Group) -> list[Type]:
        return [self._context.type(part) for part in group.items if _is(part, "TYPE")]

    def _types_ahead(self, cursor: Cursor) -> tuple[list[Type], int]:
        """The types that stand next, in parentheses or separated by commas, and how many items they take."""
        if isinstance(cursor.peek(), syntax.Group):
            return self._types_in(cursor.peek()), 1
        types = []
        while _is(cursor.peek(2 * len(types)), "TYPE"):
            types.append(self._context.type(cursor.peek(2 * len(types))))
        return types, max(2 * len(types) - 1, 0)

    # --- regions, arguments, successors ---

    def _argument(self, item: syntax.Argument, cursor: Cursor) -> None:
        dictionary = self._context.expand(item.attributes) if item.attributes else ""
        self._literals.argument_attributes.append(self._context.dictionary(item.attributes) if dictionary else {})
        self._syntax.append(Hole("argument", len(self.op.regions), len(self._arguments), dictionary))
        location = self._context.location(item.location, item.name)
        self._arguments.append(Value(item.name[1:], self._context.type(item.type), location=location))

    def _binding(self, item: syntax.Binding, cursor: Cursor) -> None:
        self._syntax += [Hole("name", len(self.op.regions), len(self._arguments)), "="]
        self._operand(item.initial)
        argument = Value(item.name[1:], location=self.op.location)
        self._arguments.append(argument)
        self._bound.append(argument)

    def _region(self, item: syntax.RegionText, cursor: Cursor) -> None:
        index = len(self.op.regions)
        names = self._reading.regions
        name = names[index] if index < len(names) else next(iter(self._words), "")
        region = Region(name=name, parent=self.op)
        region.blocks = [Block(str(block.label or "")[1:].rstrip("("), parent=region) for block in item.blocks]
        region.entry.arguments = self._arguments
        self._syntax.append(Hole("region", index))
        self.op.regions.append(region)
        self.regions.append((region, item))
        self._arguments = []
        self._words = []

    def _successor(self, item: syntax.SuccessorText, cursor: Cursor) -> None:
        name = item.label.rstrip("(")
        block = self._labels.get(name[1:])
        if block is None:
            raise self._context.error(item.label, f"nothing defines {name}")
        self._syntax.append(Hole("successor", len(self.op.successors)))
        self.op.successors.append((block, [self._lookup(value) for value in item.values]))

    # --- what the items mean ---

    def _name_literals(self) -> None:
        for kind in ("words", "numbers", "strings", "symbols"):
            values = getattr(self._literals, kind)
            for position, name in enumerate(getattr(self._reading, kind)):
                if name.startswith("*"):
                    self.op.attributes[name[1:]] = tuple(values[position:])
                elif position < len(values):
                    self.op.attributes[name] = values[position]
        if self._segments:
            self.op.attributes["segments"] = {name: tuple(indices) for name, indices in self._segments.items()}

    def _type_results(self) -> None:
        rule = self._reading.results
        types = rule(self.op) if rule else self._written_results or ()
        for value, type_ in zip(self.op.results, types):
            value.type = type_


def _is(item: Any, *kinds: str) -> bool:
    """Whether an item is a token of one of the kinds."""
    return isinstance(item, str) and item.type in kinds


_HANDLERS = {
    "VALUE": OpReader._value,
    "WORD": OpReader._word,
    "INTEGER": OpReader._number,
    "HEXADECIMAL": OpReader._number,
    "FLOAT": OpReader._number,
    "STRING": OpReader._string,
    "SYMBOL": OpReader._symbol,
    "TYPE": OpReader._type,
    "ATTRIBUTE": OpReader._attribute,
    "DENSE": OpReader._dense,
    "DICTIONARY": OpReader._dictionary,
    "PROPERTIES": OpReader._dictionary,
    "LBRACKET": OpReader._open_bracket,
    "RBRACKET": OpReader._close_bracket,
    "COLON": OpReader._colon,
    "ARROW": OpReader._arrow,
    "FLAG": OpReader._flag,
    "BARE_TYPE": OpReader._bare_type,
    "TypedLiteral": OpReader._typed_literal,
    "Keyed": OpReader._keyed,
    "Group": OpReader._group,
    "Argument": OpReader._argument,
    "Binding": OpReader._binding,
    "RegionText": OpReader._region,
    "SuccessorText": OpReader._successor,
}

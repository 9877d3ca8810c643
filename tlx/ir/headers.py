"""One op from its items: operands, attributes, types, result types, and the regions that are still to be read."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import syntax
from .constants import read_number
from .context import Context
from .model import Block, FunctionType, Op, Region, Type, Value
from .readings import Literals, reading_of
from .strings import unquote

__all__ = ["Hole", "OpReader"]

_NUMBERS = ("INTEGER", "HEXADECIMAL", "FLOAT")


class Hole(NamedTuple):
    """A place in `Op.syntax` that the printer fills from the op.

    Args:
        kind: `operand`, `type`, `region`, `successor`; `name` or `argument` (with its type) of a region's argument.
        index: which one; of the region for `name` and `argument`.
        argument: which of the region's arguments.
        text: the argument's attribute dictionary.
    """

    kind: str
    index: int
    argument: int = 0
    text: str = ""


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
        self.op = Op(name, results=results, location=context.location(node.location))
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
        self._segments: dict[str, list[int]] = {}

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
        position = 0
        while position < len(items):
            item = items[position]
            kind = item.type if isinstance(item, str) else type(item).__name__
            handler = _HANDLERS.get(kind)
            if handler is None:
                self._syntax.append(str(item))
                position += 1
            else:
                position += handler(self, item, items, position) or 1

    def _value(self, token: Any, items: list[Any], position: int) -> None:
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

    def _word(self, token: Any, items: list[Any], position: int) -> None:
        word = str(token)
        self._syntax.append(word)
        following = items[position + 1] if position + 1 < len(items) else None
        if word == "to" and self._is(following, "TYPE"):
            self._note_results(items, position + 1)
        if word in self._reading.flags:
            self.op.attributes[word] = True
        elif word in self._reading.segments:
            self._segment = self._segments.setdefault(word, [])
        elif not self._is(following, "DICTIONARY"):
            self._words.append(word)
            self._literals.words.append(word)

    def _number(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append(str(token))
        self._literals.numbers.append(read_number(token))

    def _string(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append(str(token))
        self._literals.strings.append(unquote(token))

    def _symbol(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append(str(token))
        name = token[1:]
        self._literals.symbols.append(unquote(name) if name.startswith('"') else str(name))

    def _type(self, token: Any, items: list[Any], position: int) -> None:
        self._append_type(self._context.type(token))

    def _append_type(self, type_: Type) -> None:
        self._syntax.append(Hole("type", len(self.op.types)))
        self.op.types.append(type_)

    def _attribute(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append(self._context.expand(token))

    def _dense(self, token: Any, items: list[Any], position: int) -> int | None:
        """`dense<...> : type`; the colon and the type are separate items outside parentheses."""
        behind = items[position + 1 : position + 3]
        type_ = self._context.type(behind[1]) if len(behind) == 2 and self._is(behind[1], "TYPE") else None
        self._literals.dense.append(self._context.dense(token, type_))
        self._syntax.append(self._context.expand(token))

    def _dictionary(self, token: Any, items: list[Any], position: int) -> None:
        self.op.attributes.update(self._context.dictionary(token))
        self._syntax.append(self._context.expand(token))

    def _typed_literal(self, item: syntax.TypedLiteral, items: list[Any], position: int) -> None:
        colon = _colon_like(item.literal)
        self._read_items([item.literal, colon, item.type])

    def _keyed(self, item: syntax.Keyed, items: list[Any], position: int) -> None:
        self._syntax += [str(item.key), "="]
        if item.value.type == "LBRACKET":
            self._open_bracket(item.value, items, position)
            return
        self._syntax.append(self._context.expand(item.value))
        self.op.attributes[str(item.key)] = self._plain(item.value)

    def _plain(self, token: Any) -> Any:
        if token.type in _NUMBERS:
            return read_number(token)
        if token.type == "STRING":
            return unquote(token)
        if token.type == "TYPE":
            return self._context.type(token)
        return self._context.attribute(token) if token.type == "ATTRIBUTE" else str(token)

    def _open_bracket(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append("[")
        names = [name for name in self._reading.segments if name.startswith("[") and name[1:] not in self._segments]
        if names:
            self._segment = self._segments.setdefault(names[0][1:], [])

    def _close_bracket(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append("]")
        self._segment = None

    def _colon(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append(":")
        self._segment = None

    def _arrow(self, token: Any, items: list[Any], position: int) -> None:
        self._syntax.append("->")
        self._note_results(items, position + 1)

    def _flag(self, token: Any, items: list[Any], position: int) -> None:
        """`key<values>`, such as `fastmath<fast>`."""
        self._syntax.append(str(token))
        key, _, values = token[:-1].partition("<")
        self.op.attributes[key] = values

    def _bare_type(self, token: Any, items: list[Any], position: int) -> None:
        """`<f32>` for `!tt.ptr<f32>`: an operand's type, or of the kind that the op's reading says."""
        spelling = self._context.expand(token)
        of_operands = (value.type for value in self.op.operands if str(value.type).partition("<")[2] == spelling[1:])
        self._append_type(next(of_operands, None) or self._context.type(token, self._reading.bare_type))

    # --- types in parentheses ---

    def _group(self, item: syntax.Group, items: list[Any], position: int) -> int | None:
        inner = item.items
        arrow = position + 1 < len(items) and self._is(items[position + 1], "ARROW")
        if arrow and all(self._is(part, "TYPE", "COMMA") for part in inner):
            return self._function_type(inner, items, position)
        self._syntax.append("(")
        self._read_items(inner)
        self._syntax.append(")")
        return None

    def _function_type(self, inner: list[Any], items: list[Any], position: int) -> int:
        """`(types) -> types` as one type; how many items that are."""
        results, length = self._types_at(items, position + 2)
        self._written_results = results
        inputs = tuple(self._context.type(part) for part in inner if self._is(part, "TYPE"))
        self._append_type(FunctionType(inputs, tuple(results)))
        return 2 + length

    def _note_results(self, items: list[Any], position: int) -> None:
        self._written_results, _ = self._types_at(items, position)

    def _types_at(self, items: list[Any], position: int) -> tuple[list[Type], int]:
        """The types that start there, in parentheses or separated by commas, and how many items they take."""
        first = items[position] if position < len(items) else None
        if isinstance(first, syntax.Group):
            return [self._context.type(part) for part in first.items if self._is(part, "TYPE")], 1
        types = []
        while self._is(items[position] if position < len(items) else None, "TYPE"):
            types.append(self._context.type(items[position]))
            position += 2
        return types, 1

    # --- regions, arguments, successors ---

    def _argument(self, item: syntax.Argument, items: list[Any], position: int) -> None:
        dictionary = self._context.expand(item.attributes) if item.attributes else ""
        self._literals.argument_attributes.append(self._context.dictionary(item.attributes) if dictionary else {})
        self._syntax.append(Hole("argument", len(self.op.regions), len(self._arguments), dictionary))
        location = self._context.location(item.location)
        self._arguments.append(Value(item.name[1:], self._context.type(item.type), location=location))

    def _binding(self, item: syntax.Binding, items: list[Any], position: int) -> None:
        self._syntax += [Hole("name", len(self.op.regions), len(self._arguments)), "="]
        self._operand(item.initial)
        argument = Value(item.name[1:], location=self.op.location)
        self._arguments.append(argument)
        self._bound.append(argument)

    def _region(self, item: syntax.RegionText, items: list[Any], position: int) -> None:
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

    def _successor(self, item: syntax.SuccessorText, items: list[Any], position: int) -> None:
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
        if self._reading.segments:
            self.op.attributes["segments"] = {name: tuple(indices) for name, indices in self._segments.items()}

    def _type_results(self) -> None:
        rule = self._reading.results
        types = rule(self.op) if rule else self._written_results or ()
        for value, type_ in zip(self.op.results, types):
            value.type = type_

    @staticmethod
    def _is(item: Any, *kinds: str) -> bool:
        return isinstance(item, str) and item.type in kinds


def _colon_like(token: Any) -> Any:
    return token.update(type="COLON", value=":")


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

"""What each rule of the grammar makes, called while parsing, so that no tree is built."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from . import syntax
from .attributes import read_attribute, read_dense, read_type
from .constants import decode_number, read_number
from .model import MemDescType, PointerType, TensorDescType, TensorType
from .strings import unquote

__all__ = ["Callbacks"]


class Callbacks(Transformer):
    """One method for each rule, by its name; `parts` are the rule's tokens and results, None for what is left out."""

    # --- first level: ops, blocks, regions ---

    def file(self, parts):
        return parts

    def alias(self, parts):
        return syntax.Alias(*parts)

    def operation(self, parts):
        results, name, items, location = parts
        return syntax.Operation(results or (), name, items, location)

    def results(self, parts):
        return tuple(parts)

    def items(self, parts):
        return parts

    def binding(self, parts):
        return syntax.Binding(*parts)

    def keyed(self, parts):
        return syntax.Keyed(*parts)

    keyed_list = keyed

    def group(self, parts):
        return syntax.Group(parts)

    def argument(self, parts):
        return syntax.Argument(*parts)

    def typed_literal(self, parts):
        return syntax.TypedLiteral(*parts)

    def successor(self, parts):
        label, *values = parts
        return syntax.SuccessorText(label, tuple(v for v in values if v.type == "VALUE"))

    def region(self, parts):
        entry, *blocks = parts
        if entry or not blocks:
            blocks = [syntax.BlockText(None, (), entry), *blocks]
        return syntax.RegionText(tuple(blocks))

    def entry(self, parts):
        return parts

    def block(self, parts):
        label, *rest = parts
        arguments = tuple(part for part in rest if isinstance(part, syntax.Argument))
        return syntax.BlockText(label, arguments, rest[len(arguments) :])

    # --- locations ---

    def location(self, parts):
        (place,) = parts
        return syntax.PlaceAlias(place[4:-1]) if isinstance(place, Token) else place

    def place_alias(self, parts):
        return syntax.PlaceAlias(str(parts[0]))

    def unknown(self, parts):
        return None

    def file_place(self, parts):
        return syntax.FilePlace(unquote(parts[0]), int(parts[1]), int(parts[2]))

    def named_place(self, parts):
        return syntax.NamedPlace(unquote(parts[0]), parts[1])

    def callsite(self, parts):
        return syntax.CallSite(*parts)

    def fused(self, parts):
        _metadata, *places = parts
        return syntax.Fused(tuple(places))

    # --- second level: types ---

    def tensor(self, parts):
        dimensions, element, encoding = parts
        return TensorType(_shape(dimensions), read_type(str(element)), encoding and read_attribute(str(encoding)))

    def memdesc(self, parts):
        dimensions, element, encoding, space, mutable, alloc_shape = parts
        return MemDescType(
            _shape(dimensions),
            read_type(str(element)),
            read_attribute(str(encoding)),
            read_attribute(str(space)),
            mutable is not None,
            tuple(map(int, alloc_shape.split("x"))) if alloc_shape else (),
        )

    def pointer(self, parts):
        pointee, space = parts
        return PointerType(read_type(str(pointee)), int(space) if space else 1)

    def descriptor_of_tensor(self, parts):
        return TensorDescType(read_type(str(parts[0])))

    def descriptor(self, parts):
        block = self.tensor(parts)
        return TensorDescType(block, f"!tt.tensordesc<{str(block)[len('tensor<') : -1]}>")

    # --- second level: attributes ---

    def dictionary(self, parts):
        return _Dictionary(pair for pair in parts if pair is not None)

    def entry_pair(self, parts):
        key, value = parts
        return unquote(key) if key.type == "STRING" else str(key), True if value is None else _value(value)

    def parameter(self, parts):
        key, value = parts
        return _Parameter((str(key), _value(value)))

    def attribute(self, parts):
        return tuple(_named_parameters(parts[1:]))

    def dense(self, parts):
        return () if parts[0] is None else _value(parts[0])

    def number(self, parts):
        token, type_ = parts
        return decode_number(read_number(token), read_type(str(type_))) if type_ else read_number(token)

    def truth(self, parts):
        return parts[0] == "true"

    def string(self, parts):
        return unquote(parts[0])

    def list(self, parts):
        return tuple(_value(part) for part in parts if part is not None)

    def dense_value(self, parts):
        text, type_ = parts
        return read_dense(str(text), type_ and read_type(str(type_)))

    def array(self, parts):
        element, *values = parts
        element = read_type(str(element))
        return tuple(decode_number(_value(value), element) for value in values if value is not None)

    def word(self, parts):
        return str(parts[0])


class _Parameter(tuple):
    """(name, value) of an attribute, told apart from a list of values."""


class _Dictionary(tuple):
    """(name, value) pairs, hashable as attributes are."""


def _shape(dimensions: Token | None) -> tuple[int, ...]:
    return tuple(map(int, dimensions[:-1].split("x"))) if dimensions else ()


def _value(part: Any) -> Any:
    if not isinstance(part, Token):
        return part
    if part.type == "TYPE":
        return read_type(str(part))
    return read_attribute(str(part)) if part.type == "ATTRIBUTE" else str(part)


def _named_parameters(parts: list) -> Any:
    """Parameters by name, by position where the spelling has no names, those inside `{}` as the attribute's own."""
    for position, part in enumerate(p for p in parts if p is not None):
        if isinstance(part, _Parameter):
            yield tuple(part)
        elif isinstance(part, _Dictionary):
            yield from part
        else:
            yield str(position), _value(part)

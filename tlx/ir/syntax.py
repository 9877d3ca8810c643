"""What the first level of the grammar makes: ops with their items in textual order, nothing resolved yet."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "Alias",
    "Argument",
    "Binding",
    "BlockText",
    "CallSite",
    "FilePlace",
    "Fused",
    "Group",
    "Hole",
    "Keyed",
    "NamedPlace",
    "Operation",
    "PlaceAlias",
    "RegionText",
    "SuccessorText",
    "TypedLiteral",
]


class Alias(NamedTuple):
    """`#name = target`, `!name = target`."""

    name: str
    target: Any


class Operation(NamedTuple):
    """One op; `results` are `%x` and `%x:2` tokens, `items` tokens and the classes below."""

    results: tuple
    name: Any
    items: list
    location: Any


class RegionText(NamedTuple):
    """`{ ... }`; ops before the first label belong to a block with label None."""

    blocks: tuple


class BlockText(NamedTuple):
    """`^bb1(%x: i32):` and the ops below it."""

    label: Any
    arguments: tuple
    operations: list


class Argument(NamedTuple):
    """`%x: i32 {attributes} loc(...)` where a region's arguments are declared."""

    name: Any
    type: Any
    attributes: Any
    location: Any


class Binding(NamedTuple):
    """`%argument = %initial` in the head of a loop."""

    name: Any
    initial: Any


class Keyed(NamedTuple):
    """`key = value` outside dictionaries; `value` is a token."""

    key: Any
    value: Any


class TypedLiteral(NamedTuple):
    """`literal : type` inside parentheses."""

    literal: Any
    type: Any


class Group(NamedTuple):
    """`( ... )`."""

    items: list


class SuccessorText(NamedTuple):
    """`^bb1` or `^bb1(%x : i32)`."""

    label: Any
    values: tuple


class PlaceAlias(NamedTuple):
    """`#loc3` inside a location."""

    name: str


class FilePlace(NamedTuple):
    """`"file":line:column`, the end of a range dropped."""

    file: str
    line: int
    column: int


class NamedPlace(NamedTuple):
    """`"name"(place)`."""

    name: str
    place: Any


class CallSite(NamedTuple):
    """`callsite(callee at caller)`."""

    callee: Any
    caller: Any


class Fused(NamedTuple):
    """`fused[place, place]`."""

    places: tuple


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

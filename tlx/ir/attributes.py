"""Second step of parsing: types, attributes and dictionaries from their spellings, each spelling read once.

All texts here are free of aliases (`#blocked`), so that what they mean depends on nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .constants import dense_attribute
from .grammar import grammar
from .model import Attribute, OpaqueType, ScalarType, Type

__all__ = ["read_attribute", "read_dense", "read_dictionary", "read_type"]

_STRUCTURED_TYPES = ("tensor<", "!ttg.memdesc<", "!tt.ptr<", "!tt.tensordesc<")


@lru_cache(maxsize=4096)
def read_type(text: str) -> Type:
    """A type; one without structure here (`!ttg.async.token`, `vector<4xi32>`) as `OpaqueType`."""
    if text.startswith(_STRUCTURED_TYPES):
        return grammar().parse(text, start="type")
    if text.startswith("!") or "<" in text:
        return OpaqueType(text)
    return ScalarType(text)


@lru_cache(maxsize=4096)
def read_attribute(text: str) -> Attribute:
    """A dialect attribute such as a layout; what has no `name = value` inside keeps only its text."""
    from lark.exceptions import UnexpectedInput

    name, _, body = text[1:].partition("<")
    if not body:
        return Attribute(name, (), text)
    try:
        return Attribute(name, grammar().parse(text, start="attribute"), text)
    except UnexpectedInput:
        return Attribute(name, _padded_parameters(body), text)


def _padded_parameters(body: str) -> tuple[tuple[str, Any], ...]:
    """The parameters of `padded_shared<[32:+4, 64:+8] {order = [1, 0], ...}>`, the pairs under `intervals`."""
    match = re.fullmatch(r"\[((?:\d+:\+\d+(?:, )?)+)\] (\{.*\})>", body)
    if match is None:
        return ()
    pairs = tuple(tuple(map(int, pair)) for pair in re.findall(r"(\d+):\+(\d+)", match[1]))
    return (("intervals", pairs), *_dictionary_items(match[2]))


@lru_cache(maxsize=4096)
def _dictionary_items(text: str) -> tuple[tuple[str, Any], ...]:
    return grammar().parse(text, start="dictionary")


def read_dictionary(text: str) -> dict[str, Any]:
    """`{key = value, unit_key}`; a unit attribute is True."""
    return dict(_dictionary_items(text))


@lru_cache(maxsize=1024)
def read_dense(text: str, type_: Type | None) -> Attribute:
    """`dense<...>` at its type, and its relatives (`dense_resource<...>`, `affine_map<...>`) as text."""
    name = text.partition("<")[0]
    if name != "dense":
        return Attribute(name, (), f"{text} : {type_}" if type_ else text)
    return dense_attribute(text, grammar().parse(text, start="dense"), type_)

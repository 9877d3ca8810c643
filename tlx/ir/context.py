"""What is known about a whole text while its ops are read: lines, aliases, locations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..source import Location
from .attributes import read_attribute, read_dense, read_dictionary, read_type
from .errors import TTGIRSyntaxError
from .locations import Places
from .model import Attribute, Type
from .syntax import Alias

__all__ = ["Context"]

# A use of an alias, or a string, in which nothing is one. Names with a dot (`#ttg.blocked`) are dialect attributes.
_ALIAS_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|[#!][A-Za-z_][\w$]*(?![\w$.])')


class Context:
    """Reads the tokens of one text.

    Args:
        text: the text.
        aliases: its alias lines.
    """

    def __init__(self, text: str, aliases: list[Alias]):
        self._lines = text.splitlines()
        self._expanded: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._places = Places({alias.name: alias.target for alias in aliases if not isinstance(alias.target, str)})
        for alias in aliases:
            if isinstance(alias.target, str):
                self._aliases[str(alias.name)] = self.expand(alias.target)

    def error(self, token: Any, problem: str) -> TTGIRSyntaxError:
        """The error for a token of the text."""
        return TTGIRSyntaxError(problem, token.line, token.column, self._lines[token.line - 1])

    def expand(self, token: Any) -> str:
        """The token's text with aliases replaced by what they stand for."""
        text = str(token)
        if "#" not in text and "!" not in text:
            return text
        if text not in self._expanded:
            self._expanded[text] = _ALIAS_OR_STRING.sub(lambda match: self._alias(match[0], token), text)
        return self._expanded[text]

    def _alias(self, name: str, token: Any) -> str:
        if name.startswith('"'):
            return name
        if name not in self._aliases:
            raise self.error(token, f"nothing defines {name}")
        return self._aliases[name]

    def type(self, token: Any, prefix: str = "") -> Type:
        """The type a TYPE token spells, or a BARE_TYPE token behind the prefix that it left out."""
        return self._read(lambda text: read_type(prefix + text), token)

    def attribute(self, token: Any) -> Attribute:
        """The attribute an ATTRIBUTE token spells."""
        return self._read(read_attribute, token)

    def dictionary(self, token: Any) -> dict[str, Any]:
        """The attributes that a DICTIONARY or PROPERTIES token (`<{...}>`) spells."""
        return dict(self._read(lambda text: read_dictionary(text.strip("<>")), token))

    def dense(self, token: Any, type_: Type | None) -> Attribute:
        """The attribute a DENSE token spells at that type."""
        return self._read(lambda text: read_dense(text, type_), token)

    def location(self, place: Any, token: Any) -> Location:
        """The location of a place; `token` is what it is written on."""
        try:
            return self._places.resolve(place)
        except KeyError as error:
            raise self.error(token, f"nothing defines {error.args[0]}") from None

    def _read(self, function: Callable[[str], Any], token: Any) -> Any:
        from lark.exceptions import UnexpectedInput

        try:
            return function(self.expand(token))
        except UnexpectedInput as error:
            raise self.error(token, f"can't read {str(token)!r} behind its column {error.column}") from None

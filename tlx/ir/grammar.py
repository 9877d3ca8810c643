"""The Lark parser for `grammar.lark`, and its errors in tlx's words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from .errors import TTGIRSyntaxError

__all__ = ["grammar", "read_file"]


@cache
def grammar():
    """The parser, built at first use: `import tlx` shall not pay for it."""
    from lark import Lark

    from .callbacks import Callbacks

    return Lark(
        Path(__file__).with_name("grammar.lark").read_text(),
        parser="lalr",
        lexer="contextual",
        start=["file", "type", "attribute", "dictionary", "dense"],
        maybe_placeholders=True,
        transformer=Callbacks(),
    )


def read_file(text: str) -> list[Any]:
    """The aliases and ops of a text, as `tlx.ir.syntax` defines them.

    Raises:
        TTGIRSyntaxError: at the first token that doesn't fit.
    """
    from lark.exceptions import UnexpectedInput

    text = text.rstrip() + "\n"
    try:
        return grammar().parse(text, start="file")
    except UnexpectedInput as error:
        raise _syntax_error(error, text) from None


def _syntax_error(error: Any, text: str) -> TTGIRSyntaxError:
    lines = text.splitlines()
    token = getattr(error, "token", None)
    if token is not None and token.type == "$END":
        return TTGIRSyntaxError("the text ends inside an op or a region", len(lines), len(lines[-1]) + 1, lines[-1])
    if token is None:
        problem = f"no token starts with {error.char!r}"
    elif not token.strip():
        problem = "the line ends too early"
    else:
        problem = f"unexpected {str(token)!r}"
    return TTGIRSyntaxError(problem, error.line, error.column, lines[error.line - 1])

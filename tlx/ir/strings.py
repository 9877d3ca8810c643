"""Quoted strings of MLIR."""

from __future__ import annotations

import re

__all__ = ["quote", "unquote"]

_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t"}


def unquote(token: str) -> str:
    """The text between the quotes, escapes undone (two hexadecimal digits are one byte of UTF-8)."""
    if "\\" not in token:
        return token[1:-1]
    return _ESCAPE.sub(_unescape, token[1:-1].encode()).decode(errors="replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes.fromhex(code.decode()) if len(code) == 2 else _LETTERS.get(code, code)


def quote(text: str) -> str:
    """The text as MLIR prints a string: quotes, backslashes and what isn't printable ASCII as hexadecimal bytes."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode()) + '"'

"""What a refused kernel is: the kernel, the line that is to blame, and the error."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import tlx
from tlx.compiler.jit import TLXFunction
from tlx.errors import LanguageError

MARK = "# <- error"


@dataclass(frozen=True)
class Refused:
    """A kernel that is refused.

    Args:
        error: the class of the error.
        text: what its message says.
        kernel: the kernel.
        signature: types of its run-time arguments.
        options: launch options.
        marked: the function that holds the marked line: the kernel or a helper.
        constexprs: values of its compile-time arguments.
    """

    error: type[LanguageError]
    text: str
    kernel: TLXFunction
    signature: dict[str, str]
    options: dict[str, Any]
    marked: Callable
    constexprs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.error.__name__}-{self.kernel.__name__}"

    @property
    def line(self) -> int:
        """The marked line of the file."""
        lines, start = inspect.getsourcelines(self.marked)
        (offset,) = [i for i, line in enumerate(lines) if MARK in line]
        return start + offset


CASES: list[Refused] = []


def refused(error: type[LanguageError], text: str, *, marked=None, constexprs=None, options=None, **signature: str):
    """Declares a kernel that is refused."""

    def declare(fn: Callable) -> TLXFunction:
        kernel = tlx.jit(fn)
        where = marked.fn if marked is not None else fn
        CASES.append(Refused(error, text, kernel, signature, options or {}, where, constexprs or {}))
        return kernel

    return declare

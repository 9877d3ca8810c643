"""Every error that tlx raises on purpose: one class for each mistake.

An error says what is wrong, shows the user's line with a caret, and says what to do. `docs/errors.md` is generated
from the classes here and in `tlx.sim.errors`; `tests/test_errors.py` provokes each of them.
"""

from __future__ import annotations

from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources

from .source import Location


class TLXError(Exception):
    """Base of all errors of tlx.

    Args:
        what: what is wrong, with the arithmetic.
        hint: what to do about it.
        location: the user's source line; filled in later where the raiser can't know it.
    """

    def __init__(self, what: str, hint: str = "", location: Location | None = None):
        Exception.__init__(self, what)
        self.what = what
        self.hint = hint
        self.location = location or Location()

    def at(self, location: Location) -> TLXError:
        """Adds the place if none is known yet; returns self."""
        if not self.location.known:
            self.location = location
        return self

    def __str__(self) -> str:
        parts = [self.what, self.location.render(), f"help: {self.hint}" if self.hint else ""]
        return "\n".join(part for part in parts if part)

    def __reduce__(self):
        return type(self), (self.what, self.hint, self.location)


class LanguageError(TLXError, CompilationError):
    """Base of the errors found while a kernel is compiled. Also a `triton.CompilationError`."""

    # What `CompilationError` promises to its readers; the text itself comes from TLXError.
    src = None
    node = None

    @property
    def error_message(self) -> str:
        return self.what

    @property
    def message(self) -> str:
        return str(self)

    @message.setter
    def message(self, _):
        pass


class ResourceError(LanguageError, OutOfResources):
    """Base of the errors about a budget of the target. Also `triton.OutOfResources`, so autotuning skips the config."""


__all__ = ["LanguageError", "ResourceError", "TLXError"]

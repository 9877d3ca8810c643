"""What goes wrong while tuning."""

from __future__ import annotations

from ..errors import TLXError

__all__ = ["InProcess", "InvalidTuning", "TuningError"]


class TuningError(TLXError):
    """No config can be used; the message has each one's reason."""


class InvalidTuning(TLXError, ValueError):
    """A tuning is declared in a way that has no meaning: its configs, its search, or its arguments."""


class InProcess(UserWarning):
    """Configs are measured in this process, since another one can't reach the kernel: a fault would end it."""

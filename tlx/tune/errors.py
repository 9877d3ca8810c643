"""What goes wrong while tuning."""

from __future__ import annotations

from ..errors import TLXError

__all__ = ["InProcess", "InvalidSpace", "TuningError"]


class TuningError(TLXError):
    """No config can be used; the message has each one's reason."""


class InvalidSpace(TLXError):
    """A space of configs, or a way to search it, that has no meaning."""


class InProcess(UserWarning):
    """Configs are measured in this process, since another one can't reach the kernel: a fault would end it."""

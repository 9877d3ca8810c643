"""Arguments that tlx accepts and cannot honour: each is reported once."""

from __future__ import annotations

import warnings

from ..source import Location

__all__ = ["IgnoredArgument", "note_ignored", "warn_ignored"]

_reported: set[tuple[str, str]] = set()


class IgnoredArgument(UserWarning):
    """An argument has no effect on this target or this Triton. The kernel computes the same without it."""


def note_ignored(op: str, argument: str, reason: str, semantic) -> None:
    """Warns, the first time in a process, that an argument of an op is ignored.

    Args:
        op: name of the op, as the user wrote it.
        argument: the argument as written, `eviction_policy="evict_first"`.
        reason: why it has no effect.
        semantic: of the trace; knows the user's line.
    """
    warn_ignored(op, argument, reason, semantic.here())


def warn_ignored(op: str, argument: str, reason: str, place: Location) -> None:
    """`note_ignored` for an argument that stands outside of kernels."""
    if (op, argument) in _reported:
        return
    _reported.add((op, argument))
    message = f"{op}: {argument} is ignored: {reason}"
    warnings.warn_explicit(message, IgnoredArgument, place.file or "<unknown>", place.line)

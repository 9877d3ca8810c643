"""Checks, before anything else is imported, that the Triton found is one that tlx can drive."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["SUPPORTED", "require_triton"]

SUPPORTED = (3, 6), (3, 10)  # from, below


def require_triton() -> None:
    """Raises a one-line ImportError where Triton is missing, of another minor, or a fork that carries its own TLX."""
    low, high = (".".join(map(str, bound)) for bound in SUPPORTED)
    wanted = f"tlx needs the triton wheel from PyPI, >={low},<{high}"
    try:
        import triton
    except ImportError as error:
        raise ImportError(f"{wanted}; none can be imported ({error})") from None
    if is_fork(Path(triton.__file__).parent):
        raise ImportError(f"{wanted}; found a fork that has its own TLX (fbtriton?), version {triton.__version__}")
    if not SUPPORTED[0] <= minor_of(triton.__version__) < SUPPORTED[1]:
        raise ImportError(f"{wanted}; found {triton.__version__}")


def is_fork(package: Path) -> bool:
    """Whether this `triton` package carries Meta's own `triton.language.extra.tlx`."""
    return (package / "language" / "extra" / "tlx").exists()


def minor_of(version: str) -> tuple[int, int]:
    """(3, 6) of "3.6.0+git123"; (0, 0) if it is no version."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (0, 0)

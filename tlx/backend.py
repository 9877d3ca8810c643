"""Where launches run, a GPU or the simulator, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass

from triton.backends import backends

from .errors import TLXError

__all__ = ["Backend", "choose_backend"]


@dataclass(frozen=True)
class Backend:
    """Where launches run.

    Args:
        name: "gpu" or "sim".
        reason: why, in words.
    """

    name: str
    reason: str

    @property
    def torch_device(self) -> str:
        """The torch device of the tensors that launches take."""
        return "cuda" if self.name == "gpu" else "cpu"


def choose_backend(choice: str) -> Backend:
    """The backend for "auto", "gpu" or "sim".

    "auto" is the simulator if `TLX_BACKEND=sim` or if there is no GPU that Triton can use, as on import of tlx.

    Raises:
        TLXError: "gpu" without a GPU that Triton can use.
    """
    if choice == "sim":
        return Backend("sim", "asked for")
    if choice == "auto" and os.environ.get("TLX_BACKEND") == "sim":
        return Backend("sim", "TLX_BACKEND=sim")
    if any(backend.driver.is_active() for backend in backends.values()):
        return Backend("gpu", "asked for" if choice == "gpu" else "a GPU that Triton can use")
    if choice == "gpu":
        raise TLXError("no GPU that Triton can use", "use --backend sim")
    return Backend("sim", "no GPU that Triton can use")

"""Where launches run, a GPU or the simulator, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass

from triton.backends import backends

from .errors import TLXError

__all__ = ["Backend", "Unavailable", "choose_backend"]


class Unavailable(TLXError):
    """Something that a command needs is not on this machine: a GPU, a package."""


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

    "auto" follows `TLX_BACKEND`; where that is not set, it is the GPU if Triton can use one, as on import of tlx.

    Raises:
        Unavailable: a GPU is asked for, and Triton can use none.
    """
    variable = os.environ.get("TLX_BACKEND", "")
    wish, reason = (choice, f"--backend {choice}") if choice != "auto" else (variable, f"TLX_BACKEND={variable}")
    if wish == "sim":
        return Backend("sim", reason)
    if variable != "sim" and any(backend.driver.is_active() for backend in backends.values()):
        return Backend("gpu", reason if wish == "gpu" else "a GPU that Triton can use")
    if wish == "gpu":
        why = "TLX_BACKEND=sim sends launches to the simulator" if variable == "sim" else "Triton can use no GPU here"
        raise Unavailable(f"{reason}, but {why}", "use the simulator: --backend sim")
    return Backend("sim", "no GPU that Triton can use")

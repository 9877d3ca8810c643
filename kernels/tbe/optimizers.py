"""The optimizers that the backward pass applies to each touched row once, and the state that they keep.

g is the sum of a row's gradients, w the row, t the step, all in float32. Rows that nothing looks up don't change, nor does
their state.

| optimizer | state | update |
|---|---|---|
| `SGD` | | `w -= lr * g` |
| `Adagrad` | m[D] | `m += g^2`, `w -= lr * g / (sqrt(m) + eps)` |
| `RowWiseAdagrad` | m | `m += mean(g~^2)`, `rate = lr / (sqrt(m) + eps)`, `w = keep * w - rate * g` |
| its decay "none" | | `g~ = g`, `keep = 1` |
| its decay "l2" | | `g~ = g + weight_decay * w`, `keep = 1 - rate * weight_decay` |
| its decay "decoupled" | | `g~ = g`, `keep = 1 - lr * weight_decay` |
| its `max_norm` > 0 | | then `w *= max_norm / norm(w)` where the norm is larger |
| `Adam` | m[D], v[D] | `m = beta1 * m + (1 - beta1) * g`, `v = beta2 * v + (1 - beta2) * g^2`, `w -= lr * (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * w)` |
| `PartialRowWiseAdam` | m[D], v | as Adam, with `mean(g^2)` for `g^2` |
| `LAMB` | m[D], v[D] | with Adam's bracket as r: `w -= lr * norm(w) / norm(r) * r` |
| `LARS` | m[D] | `a = lr * eta * norm(w) / (norm(g) + weight_decay * norm(w))`, `m = momentum * m + a * (g + weight_decay * w)`, `w -= m` |

Means and norms are over a row's own D. A ratio whose denominator is 0 counts as 0.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..errors import ArgumentError

if TYPE_CHECKING:
    import torch

__all__ = ["LAMB", "LARS", "SGD", "Adagrad", "Adam", "Optimizer", "PartialRowWiseAdam", "RowWiseAdagrad"]

DECAY_MODES = ("none", "l2", "decoupled")


@dataclass(frozen=True)
class Optimizer:
    """What all optimizers have. The learning rate and the step are tensors, given to each backward pass.

    The class variables say: `kind`, the name that the kernel knows it by; `states`, the shape of each state by name,
    "element" for one number for each weight, laid out as the weights are, or "row" for one for each row of the tables.
    """

    kind: ClassVar[str] = ""
    states: ClassVar[dict[str, str]] = {}

    def new_state(self, *, elements: int, rows: int, device: torch.device | str) -> dict[str, torch.Tensor]:
        """Zeros in float32.

        Args:
            elements: of the flat tensor of weights.
            rows: of all tables.
            device: of the weights.
        """
        import torch

        sizes = {"element": elements, "row": rows}
        return {name: torch.zeros(sizes[shape], device=device) for name, shape in self.states.items()}

    @property
    def numbers(self) -> dict[str, float]:
        """The constants that the kernel takes: eps, decay, beta1, beta2, max_norm and eta, 0 where it has none."""
        own = {
            "eps": getattr(self, "eps", 0.0),
            "decay": getattr(self, "weight_decay", 0.0),
            "beta1": getattr(self, "beta1", 0.0),
            "beta2": getattr(self, "beta2", 0.0),
            "max_norm": getattr(self, "max_norm", 0.0),
            "eta": getattr(self, "eta", 0.0),
        }
        return {name: float(value) for name, value in own.items()}

    def __post_init__(self):
        for name in ("eps", "weight_decay", "max_norm", "eta"):
            if getattr(self, name, 0) < 0:
                raise ArgumentError(f"{type(self).__name__}: {name} is {getattr(self, name)}", "use 0 or more")
        for name in ("beta1", "beta2", "momentum"):
            if not 0 <= getattr(self, name, 0) < 1:
                what = f"{type(self).__name__}: {name} is {getattr(self, name)}"
                raise ArgumentError(what, "use a number from 0 to below 1")


@dataclass(frozen=True)
class SGD(Optimizer):
    """Stochastic gradient descent without momentum."""

    kind = "sgd"


@dataclass(frozen=True)
class Adagrad(Optimizer):
    """Adagrad with a sum of squares for each weight (Duchi et al., JMLR 2011)."""

    eps: float = 1e-8
    kind = "adagrad"
    states = {"sum": "element"}


@dataclass(frozen=True)
class RowWiseAdagrad(Optimizer):
    """Adagrad with one sum of mean squares for each row.

    Args:
        eps: added to the root.
        weight_decay: how much of a touched row is taken away.
        decay_mode: "none", "l2" (part of the gradient, and of the sum) or "decoupled" (neither).
        max_norm: of a row after its update; 0 for any.
    """

    eps: float = 1e-8
    weight_decay: float = 0.0
    decay_mode: str = "none"
    max_norm: float = 0.0
    states = {"sum": "row"}

    @property
    def kind(self) -> str:
        return f"rowwise_adagrad_{self.decay_mode}"

    def __post_init__(self):
        super().__post_init__()
        if self.decay_mode not in DECAY_MODES:
            what = f"RowWiseAdagrad: decay_mode is '{self.decay_mode}'"
            raise ArgumentError(what, f"use one of {', '.join(DECAY_MODES)}")
        if self.weight_decay and self.decay_mode == "none":
            what = f"RowWiseAdagrad: weight_decay is {self.weight_decay}, decay_mode 'none'"
            raise ArgumentError(what, "say how rows decay: decay_mode 'l2' or 'decoupled'")


@dataclass(frozen=True)
class Adam(Optimizer):
    """Adam with decoupled weight decay; t is the number of backward passes, the same for all rows."""

    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    weight_decay: float = 0.0
    kind = "adam"
    states = {"first": "element", "second": "element"}


@dataclass(frozen=True)
class PartialRowWiseAdam(Adam):
    """Adam with one second moment for each row."""

    kind = "partial_rowwise_adam"
    states = {"first": "element", "second": "row"}


@dataclass(frozen=True)
class LAMB(Adam):
    """Adam whose step is scaled to the norm of the row (You et al., ICLR 2020)."""

    kind = "lamb"


@dataclass(frozen=True)
class LARS(Optimizer):
    """Momentum SGD whose rate is scaled to the norm of the row (You et al., 2017)."""

    momentum: float = 0.9
    eta: float = 0.001
    weight_decay: float = 0.0
    kind = "lars"
    states = {"first": "element"}

    @property
    def numbers(self) -> dict[str, float]:
        return {**super().numbers, "beta1": float(self.momentum)}

"""Cache modifiers and eviction policies of copies: hints, which change no result."""

from __future__ import annotations

from typing import Any

from triton.language.core import _unwrap_if_constexpr

from ..compiler.versions import HAS_TMA_CACHE_POLICY, tma_cache_policy
from ..errors import InvalidHint
from .ignored import note_ignored

__all__ = ["EVICTION_POLICIES", "eviction_policy_of", "ignore_modifier", "ignore_policy", "policy_arguments"]

EVICTION_POLICIES = ("", "evict_first", "evict_last")
CACHE_MODIFIERS = ("", ".ca", ".cg", ".cs", ".cv", ".wb", ".wt")


def eviction_policy_of(policy: Any, op: str) -> str:
    """The eviction policy, "" for none; raises InvalidHint for anything that is none."""
    policy = _unwrap_if_constexpr(policy)
    if policy not in EVICTION_POLICIES:
        names = ", ".join(map(repr, EVICTION_POLICIES))
        raise InvalidHint(f"{op}: eviction_policy is {policy!r}, it must be one of {names}")
    return policy


def policy_arguments(policy: Any, op: str, semantic) -> dict[str, Any]:
    """What the stock TMA copy of this Triton takes for an eviction policy; nothing, and a warning, where it has none.

    Raises InvalidHint.
    """
    policy = eviction_policy_of(policy, op)
    if not policy:
        return {}
    if not HAS_TMA_CACHE_POLICY:
        ignore_policy(policy, op, "TMA copies take none before Triton 3.9", semantic)
        return {}
    return {"cache_policy": tma_cache_policy(policy)}


def ignore_policy(policy: Any, op: str, reason: str, semantic) -> None:
    """Warns of an eviction policy that is not honoured; raises InvalidHint for anything that is none."""
    if policy := eviction_policy_of(policy, op):
        note_ignored(op, f'eviction_policy="{policy}"', reason, semantic)


def ignore_modifier(modifier: Any, op: str, semantic) -> None:
    """Warns that a TMA copy has no cache modifier; raises InvalidHint for one that nothing has."""
    modifier = _unwrap_if_constexpr(modifier)
    if modifier not in CACHE_MODIFIERS:
        names = ", ".join(map(repr, CACHE_MODIFIERS))
        raise InvalidHint(f"{op}: cache_modifier is {modifier!r}, it must be one of {names}")
    if modifier:
        note_ignored(op, f'cache_modifier="{modifier}"', "TMA copies go through L2 only", semantic)

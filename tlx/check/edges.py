"""Which edge is missing between two accesses that should be ordered, in words."""

from __future__ import annotations

from .clocks import Components, Release
from .shadow import Access
from .words import agent_words, op_words, place_words

__all__ = ["missing_edge", "order_words"]


def missing_edge(components: Components, earlier: Access, later: Access) -> tuple[str, str]:
    """What should order the accesses and doesn't, and what to do.

    Args:
        earlier, later: in the order in which they happened in this run, which says nothing about other runs.
    """
    for engine, other in ((earlier, later), (later, earlier)):
        if engine.actor.issued is None or (other is earlier and other.actor.issued is None):
            continue  # what a group knew at an earlier time isn't kept
        component, time = engine.actor.issued
        release = components.last_known(other.actor.seen, component)
        if other.actor.seen.get(component, 0) >= time:
            return _not_waited_for(engine, other, release)
    return _not_told(earlier, later, components.last_known(later.actor.seen, earlier.component))


def _not_waited_for(engine: Access, other: Access, release: Release) -> tuple[str, str]:
    """`other` comes after the issue of an engine's operation, but not after its end."""
    operation = agent_words(engine.actor.agent)
    issuer = engine.actor.issued[0]
    if issuer in (other.component, other.actor.issued and other.actor.issued[0]):
        what = f"nothing waits for {operation} before {op_words(other.op, other.view.name)}{place_words(other.op)}"
        return what, f"wait for {operation} first"
    does = "still writes" if engine.writes else "still reads"
    what = f"{release.words}{place_words(release.op)} precedes the wait for {operation} that {does} {engine.view.name}"
    return what, f"wait for {operation} before {release.words}"


def _not_told(earlier: Access, later: Access, release: Release | None) -> tuple[str, str]:
    """`later` doesn't come after `earlier`'s agent has got that far."""
    words = order_words(agent_words(earlier.actor.agent), agent_words(later.actor.agent), release)
    if release is None:
        return words, "order them by a barrier"
    return words, f"move {release.words} behind the access, or wait for a later arrival"


def order_words(earlier: str, later: str, release: Release | None) -> str:
    """How far `later` knows `earlier`, two agents.

    Args:
        release: the last of `earlier` that it knows of.
    """
    if release is None:
        return f"{later} never waits for {earlier}"
    return f"the last that {later} knows of {earlier} is {release.words}{place_words(release.op)}, before the access"

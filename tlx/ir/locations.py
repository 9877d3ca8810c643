"""Locations of a TTGIR text as `tlx.source.Location`, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..source import Location
from .syntax import CallSite, FilePlace, Fused, NamedPlace, PlaceAlias

__all__ = ["Places", "format_location"]

# Triton hands MLIR the column of Python's `ast`, which counts from 0; `Location` counts from 1.
_FIRST_COLUMN = 0


class Places:
    """The location aliases of one text.

    Args:
        aliases: place by alias name; None for `loc(unknown)`.
    """

    def __init__(self, aliases: dict[str, Any]):
        self._aliases = aliases
        self._known: dict[str, Location] = {}

    def resolve(self, place: Any) -> Location:
        """The location of a place: names from name locations, callers from call sites, the first known of fused ones.

        Raises:
            KeyError: an alias that nothing defines.
        """
        if place is None:
            return Location()
        return getattr(self, f"_{type(place).__name__}")(place)

    def _PlaceAlias(self, place: PlaceAlias) -> Location:
        if place.name not in self._known:
            self._known[place.name] = self.resolve(self._aliases[place.name])
        return self._known[place.name]

    def _FilePlace(self, place: FilePlace) -> Location:
        return Location(place.file, place.line, place.column - _FIRST_COLUMN + 1)

    def _NamedPlace(self, place: NamedPlace) -> Location:
        return replace(self.resolve(place.place), name=place.name)

    def _CallSite(self, place: CallSite) -> Location:
        callee = self.resolve(place.callee)
        caller = self.resolve(place.caller)
        chain = (*callee.callers, replace(caller, callers=()), *caller.callers)
        return replace(callee, callers=chain)

    def _Fused(self, place: Fused) -> Location:
        locations = [self.resolve(part) for part in place.places]
        return next((location for location in locations if location.known), locations[0])


def format_location(location: Location) -> str:
    """MLIR's spelling, without `loc(` `)`."""
    own = _format_place(location)
    for caller in location.callers[:1]:
        return f"callsite({own} at {format_location(replace(caller, callers=location.callers[1:]))})"
    return own


def _format_place(location: Location) -> str:
    place = "unknown"
    if location.known:
        place = f"{_quoted(location.file)}:{location.line}:{location.column + _FIRST_COLUMN - 1}"
    if not location.name:
        return place
    return f"{_quoted(location.name)}({place})" if location.known else _quoted(location.name)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

"""Locations of a TTGIR text as `tlx.source.Location`, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..source import Location
from .strings import quote
from .syntax import CallSite, FilePlace, Fused, NamedPlace, PlaceAlias

__all__ = ["Places", "format_location"]


class Places:
    """The location aliases of one text.

    Until 3.7 Triton gives MLIR columns that count from 0, from 3.8 columns that count from 1, as MLIR itself does. The
    text tells: until 3.7 a function's own location has column 0.

    Args:
        aliases: place by alias name; None for `loc(unknown)`.
    """

    def __init__(self, aliases: dict[str, Any]):
        self._aliases = aliases
        self._known: dict[str, Location] = {}
        from_zero = any(isinstance(place, FilePlace) and place.line and not place.column for place in aliases.values())
        self._column_shift = 1 if from_zero else 0

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
        return Location(place.file, place.line, place.column + self._column_shift)

    def _NamedPlace(self, place: NamedPlace) -> Location:
        return replace(self.resolve(place.place), name=place.name)

    def _CallSite(self, place: CallSite) -> Location:
        callee = self.resolve(place.callee)
        caller = self.resolve(place.caller)
        if not callee.known:
            return caller
        chain = (*callee.callers, replace(caller, callers=()), *caller.callers)
        return replace(callee, callers=chain)

    def _Fused(self, place: Fused) -> Location:
        locations = [self.resolve(part) for part in place.places]
        return next((location for location in locations if location.known), locations[0])


def format_location(location: Location) -> str:
    """MLIR's spelling, without `loc(` `)`."""
    own = _format_place(location)
    if not location.callers:
        return own
    caller, *outer = location.callers
    return f"callsite({own} at {format_location(replace(caller, callers=tuple(outer)))})"


def _format_place(location: Location) -> str:
    place = "unknown"
    if location.known:
        place = f"{quote(location.file)}:{location.line}:{location.column}"
    if not location.name:
        return place
    return f"{quote(location.name)}({place})" if location.known else quote(location.name)

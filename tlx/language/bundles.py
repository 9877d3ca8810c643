"""Values made of named values, which pass through helpers, tasks and loops together."""

from __future__ import annotations

from typing import Any

from triton.language.core import base_type, base_value

__all__ = ["bundle", "bundle_type"]


class bundle_type(base_type):
    """Type of a bundle.

    Args:
        kind: the class of its values.
        parts: types of the parts, by name.
        facts: what is known of it at compile time, hashable.
    """

    def __init__(self, kind: type[bundle], parts: dict[str, base_type], facts: Any):
        self.kind = kind
        self.parts = parts
        self.facts = facts

    def _flatten_ir_types(self, builder, out):
        for part in self.parts.values():
            part._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles, cursor):
        values = {}
        for name, part in self.parts.items():
            values[name], cursor = part._unflatten_ir(handles, cursor)
        return self.kind(values, self.facts), cursor

    def mangle(self) -> str:
        parts = [f"{name}_{part.mangle()}" for name, part in self.parts.items()]
        return "_".join([self.kind.__name__, self.facts.mangle(), *parts])

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __str__(self) -> str:
        return f"{self.kind.__name__} of {', '.join(f'{name} ({part})' for name, part in self.parts.items())}"

    __repr__ = __str__


class bundle(base_value):
    """Named values that are one value to the compiler."""

    def __init__(self, parts: dict[str, base_value], facts: Any):
        self.parts = parts
        self.facts = facts

    @property
    def type(self) -> bundle_type:
        return bundle_type(type(self), {name: part.type for name, part in self.parts.items()}, self.facts)

    def _flatten_ir(self, handles):
        for part in self.parts.values():
            part._flatten_ir(handles)

    def _set_name(self, builder, name):
        for key, part in self.parts.items():
            handles = []
            part._flatten_ir(handles)
            for handle in handles:
                handle.set_loc(builder.create_name_loc(f"{name}.{key}", handle.get_loc()))

"""The arguments of a launch as data: described in one process, kept in files, built again in another.

Arrays that overlap in memory do so again. Addresses keep their alignment up to 256 bytes. What the kernel writes is
filled with random numbers, the same in every process, so that an element that a config fails to write is seen.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from triton.runtime.jit import JITCallable

from .memory import Memory, Placeholder, is_array, memory_of
from .reference import Reference, Unreachable, load, reference_of

__all__ = ["ArraySpec", "Arguments", "DescriptorSpec", "describe", "dumps", "loads"]


@dataclass(frozen=True)
class ArraySpec:
    """An array: a view of a storage.

    Args:
        storage: its number.
        offset: of the first element, in bytes from the storage's begin.
        dtype: as its library names it.
        shape: of the array.
        strides: in elements.
        address: of the first element, modulo 256.
    """

    storage: int
    offset: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int


@dataclass(frozen=True)
class DescriptorSpec:
    """A tensor descriptor.

    Args:
        kind: its class.
        base: the array.
        rest: its other fields.
    """

    kind: type
    base: ArraySpec
    rest: dict[str, Any]


@dataclass
class Arguments:
    """All arguments of a launch.

    Args:
        specs: by parameter: an ArraySpec, a DescriptorSpec, or the value itself.
        memories: the kind, place and size of each storage.
        folder: where the storages' contents lie.
    """

    specs: dict[str, Any]
    memories: list[Memory]
    folder: Path
    arrays: dict[int, Any] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "arrays": {}}

    def build(self) -> None:
        """Makes the storages, with their contents."""
        self.arrays = {i: memory.load(self.folder / f"{i}.bin") for i, memory in enumerate(self.memories)}

    def instantiate(self) -> dict[str, Any]:
        """Arguments for one config: views of the storages, and descriptors of their own, which its hook may change."""
        return {name: self._make(spec) for name, spec in self.specs.items()}

    def view(self, spec: ArraySpec, storage: Any = None) -> Any:
        """The array of a spec, in its own storage or another of the same size."""
        storage = self.arrays[spec.storage] if storage is None else storage
        return self.memories[spec.storage].view(storage, spec.offset, spec.dtype, spec.shape, spec.strides)

    def placeholders(self) -> dict[str, Any]:
        """Arguments that a kernel can be compiled for, and not launched with."""
        return {name: self._make(spec, _placeholder) for name, spec in self.specs.items()}

    def arrays_of(self, names: Iterable[str]) -> dict[str, ArraySpec]:
        """The specs of arrays, descriptors' included."""
        found = {name: self.specs.get(name) for name in names}
        found = {n: spec.base if isinstance(spec, DescriptorSpec) else spec for n, spec in found.items()}
        return {name: spec for name, spec in found.items() if isinstance(spec, ArraySpec)}

    def _make(self, spec: Any, view=None) -> Any:
        view = view or self.view
        if isinstance(spec, ArraySpec):
            return view(spec)
        if isinstance(spec, DescriptorSpec):
            rest = {name: list(value) if isinstance(value, list) else value for name, value in spec.rest.items()}
            return spec.kind(base=view(spec.base), **rest)
        if isinstance(spec, tuple):
            return tuple(self._make(part, view) for part in spec)
        return spec


def _placeholder(spec: ArraySpec) -> Placeholder:
    return Placeholder(spec.dtype, spec.shape, spec.strides, spec.address)


def describe(arguments: Mapping[str, Any], folder: Path) -> Arguments:
    """The description of a launch's arguments; their contents go into files of the folder.

    Raises:
        Unreachable: an array of a kind that can't be copied.
    """
    arrays = list(_arrays(arguments.values()))
    memories: list[Memory] = []
    specs: dict[int, ArraySpec] = {}
    for memory, members in memory_of(arrays):
        memory.save(members[0], folder / f"{len(memories)}.bin")
        for array in members:
            specs[id(array)] = ArraySpec(len(memories), *memory.place(array))
        memories.append(memory)
    return Arguments({name: _spec(value, specs) for name, value in arguments.items()}, memories, folder)


def _is_descriptor(value: Any) -> bool:
    return is_dataclass(value) and hasattr(value, "block_shape") and is_array(getattr(value, "base", None))


def _arrays(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if is_array(value):
            yield value
        elif _is_descriptor(value):
            yield value.base
        elif isinstance(value, tuple):
            yield from _arrays(value)


def _spec(value: Any, specs: Mapping[int, ArraySpec]) -> Any:
    if is_array(value):
        return specs[id(value)]
    if _is_descriptor(value):
        rest = {f.name: getattr(value, f.name) for f in fields(value) if f.name != "base"}
        return DescriptorSpec(type(value), specs[id(value.base)], {n: _listed(v) for n, v in rest.items()})
    if isinstance(value, tuple):
        return tuple(_spec(part, specs) for part in value)
    return value


def _listed(value: Any) -> Any:
    """Sizes as a list of numbers: torch's own class of them would need torch where they are read."""
    return [int(item) for item in value] if isinstance(value, tuple | list) else value


# --- to another process ---


class _Pickler(pickle.Pickler):
    """Functions go by reference, and so do classes of a script: pickle's own names would not lead to its file."""

    def persistent_id(self, value):
        of_script = isinstance(value, type) and value.__module__ == "__main__"
        return reference_of(value) if of_script or isinstance(value, JITCallable | FunctionType) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, reference: Reference):
        return load(reference)


def dumps(value: Any) -> bytes:
    """A message as bytes.

    Raises:
        Unreachable: something in it can't be pickled, such as a hook that is defined inside a function.
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Unreachable(f"another process can't be given it: {error}") from error
    return buffer.getvalue()


def loads(data: bytes) -> Any:
    """The message."""
    return _Unpickler(io.BytesIO(data)).load()

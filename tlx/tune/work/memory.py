"""Memory behind arrays, torch tensors' and the simulator's alike: saved to a file, made again, viewed."""

from __future__ import annotations

import ctypes
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import ml_dtypes
import numpy as np

from ...sim import Array
from ...sim.array import DType
from .reference import Unreachable

__all__ = ["HostMemory", "Memory", "Placeholder", "TorchMemory", "is_array", "memory_of"]

ALIGNMENT = 256  # bytes, that addresses keep: no instruction or engine asks for more
SPARE = 4  # a kernel may look around a view; of memory many times as large only the view is copied
SEED = 0


class Memory(Protocol):
    """A piece of memory that some arrays are views of."""

    nbytes: int

    def place(self, array: Any) -> tuple[int, str, tuple, tuple, int]:
        """Offset in bytes, dtype, shape, strides and address modulo ALIGNMENT of an array."""

    def save(self, array: Any, path: Path) -> None:
        """Writes the memory's content to a file; the array is one of its views."""

    def load(self, path: Path) -> Any:
        """New memory with the file's content: an object that the other methods take."""

    def view(self, storage: Any, offset: int, dtype: str, shape: Sequence[int], strides: Sequence[int]) -> Any:
        """An array."""

    def copy(self, storage: Any) -> Any:
        """Other memory with the same content."""

    def write(self, storage: Any, source: Any) -> None:
        """Overwrites memory with a copy made before."""

    def store(self, storage: Any, path: Path) -> None:
        """Writes memory to a file."""

    def digest(self, storage: Any) -> int:
        """A number that changes, as good as always, with the content."""

    def randomize(self, array: Any) -> None:
        """Fills a view of floating-point numbers with random ones, the same each time. Others stay as they are."""


def is_array(value: Any) -> bool:
    """Whether a value is a kernel argument with memory behind it."""
    return hasattr(value, "data_ptr") and hasattr(value, "dtype")


def memory_of(arrays: Iterable[Any]) -> Iterable[tuple[Memory, list[Any]]]:
    """The memory behind some arrays, with the arrays in each piece.

    Raises:
        Unreachable: an array of an unknown kind.
    """
    pieces: dict[Any, list[Any]] = {}
    for array in {id(array): array for array in arrays}.values():
        if isinstance(array, Array):
            pieces.setdefault(("host", array.storage()), []).append(array)
        elif _is_tensor(array):
            storage = array.untyped_storage()
            pieces.setdefault((str(array.device), storage.data_ptr()), []).append(array)
        else:
            raise Unreachable(f"an argument is a {type(array).__name__}, neither a torch tensor nor tlx.sim.array")
    for members in pieces.values():
        kind = HostMemory if isinstance(members[0], Array) else TorchMemory
        yield kind.around(members), members


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _span(address: int, shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """First byte, and the one behind the last, that an array reaches."""
    if 0 in shape:
        return address, address
    steps = [(size - 1) * stride * itemsize for size, stride in zip(shape, strides)]
    return address + sum(min(s, 0) for s in steps), address + sum(max(s, 0) for s in steps) + itemsize


@dataclass(frozen=True)
class _Piece:
    """What both kinds have.

    Args:
        start: address of the first byte that a view reaches.
        nbytes: to the last one.
        device: torch's name of the place.
    """

    start: int
    nbytes: int
    device: str

    @property
    def lead(self) -> int:
        """Bytes by which the first one misses a multiple of ALIGNMENT."""
        return self.start % ALIGNMENT

    def place(self, array: Any) -> tuple[int, str, tuple, tuple, int]:
        """Where an array lies in it, and how."""
        address, strides = array.data_ptr(), tuple(array.stride())
        return address - self.start, _dtype_name(array), tuple(array.shape), strides, address % ALIGNMENT

    @classmethod
    def around(cls, arrays: list[Any]):
        """The piece that holds these arrays."""
        spans = [_span(a.data_ptr(), a.shape, a.stride(), a.element_size()) for a in arrays]
        start, end = min(s for s, _ in spans), max(e for _, e in spans)
        whole, nbytes = cls.storage(arrays[0])
        if nbytes <= SPARE * (end - start) + (1 << 20):
            start, end = whole, whole + nbytes
        return cls(start, end - start, str(arrays[0].device))

    @staticmethod
    def storage(array: Any) -> tuple[int, int]:
        """Address and bytes of all the memory that an array is a view of."""
        raise NotImplementedError


def _dtype_name(array: Any) -> str:
    return array.dtype.numpy.name if isinstance(array, Array) else str(array.dtype).removeprefix("torch.")


def _numpy_dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


class HostMemory(_Piece):
    """Memory of the simulator's arrays."""

    @staticmethod
    def storage(array: Array) -> tuple[int, int]:
        return array.storage()

    def save(self, array: Array, path: Path) -> None:
        np.frombuffer((ctypes.c_uint8 * self.nbytes).from_address(self.start), np.uint8).tofile(path)

    def load(self, path: Path) -> np.ndarray:
        storage = self._empty()
        storage[...] = np.fromfile(path, np.uint8)
        return storage

    def view(self, storage: np.ndarray, offset: int, dtype: str, shape, strides) -> Array:
        kind = _numpy_dtype(dtype)
        if 0 in shape:
            return Array(np.empty(shape, kind))
        return Array(np.ndarray(shape, kind, storage, offset, [stride * kind.itemsize for stride in strides]))

    def copy(self, storage: np.ndarray) -> np.ndarray:
        other = self._empty()
        other[...] = storage
        return other

    def write(self, storage: np.ndarray, source: np.ndarray) -> None:
        storage[...] = source

    def store(self, storage: np.ndarray, path: Path) -> None:
        storage.tofile(path)

    def digest(self, storage: np.ndarray) -> int:
        return zlib.crc32(storage)

    def randomize(self, array: Array) -> None:
        if array.dtype.is_floating_point:
            numbers = np.random.default_rng(SEED).standard_normal(array.shape, np.float32)
            array.values[...] = numbers.astype(array.values.dtype)

    def _empty(self) -> np.ndarray:
        """Memory of just these bytes: the simulator takes what lies beyond for outside of the argument."""
        raw = bytearray(self.nbytes + 2 * ALIGNMENT)
        address = np.frombuffer(raw, np.uint8).ctypes.data
        return np.frombuffer(raw, np.uint8, self.nbytes, (self.lead - address) % ALIGNMENT)


class TorchMemory(_Piece):
    """Memory of torch tensors, on a GPU or not."""

    @staticmethod
    def storage(array) -> tuple[int, int]:
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.nbytes()

    def save(self, array, path: Path) -> None:
        import torch

        storage = array.untyped_storage()
        flat = torch.empty(0, dtype=torch.uint8, device=array.device)
        flat.set_(storage, self.start - storage.data_ptr(), (self.nbytes,), (1,))
        self.store(flat, path)

    def load(self, path: Path):
        import torch

        storage = self._empty()
        if self.nbytes:
            storage.copy_(torch.from_numpy(np.fromfile(path, np.uint8)))
        return storage

    def view(self, storage, offset: int, dtype: str, shape, strides):
        import torch

        kind = getattr(torch, dtype)
        tensor = torch.empty(0, dtype=kind, device=storage.device)
        byte = storage.storage_offset() + offset
        return tensor.set_(storage.untyped_storage(), byte // kind.itemsize, tuple(shape), tuple(strides))

    def copy(self, storage):
        other = self._empty()
        other.copy_(storage)
        return other

    def write(self, storage, source) -> None:
        storage.copy_(source)

    def store(self, storage, path: Path) -> None:
        storage.cpu().numpy().tofile(path)

    def digest(self, storage) -> int:
        import torch

        whole = storage.numel() // 8 * 8
        words = storage[:whole].clone() if storage.storage_offset() % 8 else storage[:whole]
        return int(words.view(torch.int64).sum()) ^ int(storage[whole:].sum())

    def randomize(self, array) -> None:
        import torch

        if array.dtype.is_floating_point:
            generator = torch.Generator(array.device).manual_seed(SEED)
            numbers = torch.randn(array.shape, generator=generator, device=array.device)
            array.copy_(numbers.to(array.dtype))

    def _empty(self):
        import torch

        raw = torch.empty(self.nbytes + 2 * ALIGNMENT, dtype=torch.uint8, device=self.device)
        first = (self.lead - raw.data_ptr()) % ALIGNMENT
        return raw[first : first + self.nbytes]


class Placeholder:
    """A kernel argument without memory: what Triton asks of one while it compiles."""

    is_cuda = True

    def __init__(self, dtype: str, shape: Sequence[int], strides: Sequence[int], address: int):
        self.dtype = DType(_numpy_dtype(dtype))
        self.shape = tuple(shape)
        self._strides = tuple(strides)
        self._address = address

    def data_ptr(self) -> int:
        """An address of the same alignment."""
        return self._address

    def stride(self, axis: int | None = None):
        """Strides in elements, or one of them."""
        return self._strides if axis is None else self._strides[axis]

    def numel(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape))

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    def zero_(self) -> Placeholder:
        """Nothing: hooks call it."""
        return self

    def fill_(self, value) -> Placeholder:
        """Nothing, likewise."""
        return self

    def copy_(self, source) -> Placeholder:
        """Nothing, likewise."""
        return self

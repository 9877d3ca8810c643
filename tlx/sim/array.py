"""NumPy arrays as kernel arguments, for machines without torch."""

from __future__ import annotations

import ml_dtypes
import numpy as np

__all__ = ["Array", "DType", "array"]

_NAMES = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "float8_e4m3b11fnuz": "fp8e4b15",
}


class DType(str):
    """A dtype as Triton spells it (`bf16`), with what torch's dtypes offer and tensor descriptors ask for."""

    numpy: np.dtype

    def __new__(cls, dtype: np.dtype):
        self = super().__new__(cls, _NAMES[dtype.name])
        self.numpy = dtype
        return self

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self.numpy.kind not in "biu"


class Array:
    """A NumPy array with the methods of a tensor that Triton's launch path uses.

    Args:
        values: the array; kernels read and write its memory.
    """

    is_cuda = False

    def __init__(self, values: np.ndarray):
        self.values = values
        self.dtype = DType(values.dtype)

    def data_ptr(self) -> int:
        """Address of the first element."""
        return self.values.ctypes.data

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.values.shape

    @property
    def device(self) -> str:
        """Always the CPU."""
        return "cpu"

    def dim(self) -> int:
        """Number of axes."""
        return self.values.ndim

    def numel(self) -> int:
        """Number of elements."""
        return self.values.size

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.values.itemsize

    def stride(self, axis: int | None = None):
        """Strides in elements, or one of them."""
        strides = tuple(stride // self.values.itemsize for stride in self.values.strides)
        return strides if axis is None else strides[axis]

    def numpy(self) -> np.ndarray:
        """The array itself, not a copy."""
        return self.values

    def storage(self) -> tuple[int, int]:
        """Address and bytes of the whole array that this one is a view of."""
        owner = self.values
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if not owner.size:
            return owner.ctypes.data, 0
        reach = [(n - 1) * stride for n, stride in zip(owner.shape, owner.strides)]
        low = sum(min(r, 0) for r in reach)
        high = sum(max(r, 0) for r in reach) + owner.itemsize
        return owner.ctypes.data + low, high - low

    def __repr__(self) -> str:
        return f"tlx.sim.array({self.values!r})"


_FLOATS = {
    name: getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz")
}


def array(values, dtype=None) -> Array:
    """A kernel argument that shares memory with a NumPy array, or holds a copy of something else.

    Args:
        values: an array, used in place if it has the dtype already, or anything that `numpy.asarray` takes.
        dtype: a NumPy dtype, or the name of one of NumPy's or ml_dtypes' (`"bfloat16"`, `"float8_e5m2"`).
    """
    dtype = _FLOATS.get(dtype, dtype) if isinstance(dtype, str) else dtype
    return Array(np.asarray(values, dtype))

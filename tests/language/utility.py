"""What kernels compute while they are traced."""

import ml_dtypes
import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output


@tlx.jit
def names_of_formats(x, y, N: tl.constexpr):
    FORMAT: tl.constexpr = tlx.get_fp8_format_name(tlx.dtype_of(x))
    i = tlx.assume_uniform(tl.arange(0, N))
    if FORMAT == "e4m3":
        tl.store(y + i, tl.load(x + i).to(tl.float32) + 43)
    else:
        tl.static_assert(FORMAT == "e5m2")
        tl.store(y + i, tl.load(x + i).to(tl.float32) + 52)


X = integers(64)
CASES = [
    Case(
        f"the name of {dtype.__name__}",
        names_of_formats,
        {"x": X.astype(dtype), "y": output(64), "N": 64},
        {"y": X + number},
    )
    for dtype, number in ((ml_dtypes.float8_e4m3fn, 43), (ml_dtypes.float8_e5m2, np.float32(52)))
]

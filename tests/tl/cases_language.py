"""What surrounds the computation: tuples, compile-time functions, printing, inline PTX, hints, program ids."""

from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.extra import cuda

from tests.tl.case import N, case, numbers, output, put
from tlx import sim


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.jit
def swapped(pair):
    return Pair(pair.second, pair.first)


@triton.jit
def both(a):
    return a + 1, a - 1


@case(
    x=numbers("i4", N),
    out=output(7, N, dtype="i4"),
    N=N,
    n=3,
    expected=lambda x: [x + 1, x - 1, 2 * x, x, 3 * x, x + 8, x],
)
def tuples(x, out, N: tl.constexpr, n):
    a = tl.load(x + tl.arange(0, N))
    up, down = both(a)
    put(out, 0, up)
    put(out, 1, down)
    pair = swapped(Pair(a, 2 * a))
    put(out, 2, pair.first)
    put(out, 3, pair.second)
    nested = (a, (2 * a, n), 3)
    put(out, 4, nested[0] + nested[1][0])
    state = (a, 1)
    for _ in range(n):
        state = (state[0] + state[1], state[1] * 2)
    put(out, 5, state[0] + 1)
    first, second = (a, 1)
    put(out, 6, first + second - 1)


@tl.constexpr_function if hasattr(tl, "constexpr_function") else triton.constexpr_function
def doubled(n):
    return 2 * n


@case(
    x=numbers("i4", N),
    out=output(4, N, dtype="i4"),
    N=N,
    FLAG=True,
    NAME="double",
    OPTION=None,
    expected=lambda x: [2 * x, x + 64, x + N * 2, x],
)
def compile_time(x, out, N: tl.constexpr, FLAG: tl.constexpr, NAME: tl.constexpr, OPTION: tl.constexpr):
    tl.static_assert(N == 64, "a size")
    a = tl.load(x + tl.arange(0, N))
    if FLAG and NAME == "double":
        b = 2 * a
    else:
        b = undefined_name  # noqa: F821
    put(out, 0, b)
    WIDTH: tl.constexpr = N // 2 + 32
    put(out, 1, a + WIDTH)
    put(out, 2, a + doubled(N))
    if OPTION is None:
        put(out, 3, a)


@case(x=numbers("i4", N), out=output(N, dtype="i4"), N=N, expected=lambda x: [x], options={"debug": True})
def debugging(x, out, N: tl.constexpr):
    tl.static_print("traced for", N)
    a = tl.load(x + tl.arange(0, N))
    tl.device_assert(a > -100, "small")
    tl.device_assert(a > 100, "masked", mask=a > 100)
    if tl.sum(a) > 100000:
        tl.device_print("never", a)
    tl.debug_barrier()
    put(out, 0, a)


sim.device_function("add.s32 $0, $1, 1;")(lambda a: a + 1)
sim.device_function("{ add.s32 $0, $2, 1; sub.s32 $1, $2, 1; }")(lambda a: (a + 1, a - 1))


@case(x=numbers("i4", N), out=output(2, N, dtype="i4"), N=N, expected=lambda x: [x + 1, x - 1])
def inline_ptx(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [a], tl.int32, True, 1))
    _, less = tl.inline_asm_elementwise(
        "{ add.s32 $0, $2, 1; sub.s32 $1, $2, 1; }", "=r,=r,r", [a], (tl.int32, tl.int32), True, 1
    )
    put(out, 1, less)


@case(out=output(4, 6, dtype="i4"), grid=4, expected=lambda: [[pid, 0, 0, 4, 1, 1] for pid in range(4)])
def program_ids(out):
    here = out + tl.program_id(0) * 6
    tl.store(here, tl.program_id(0))
    tl.store(here + 1, tl.program_id(1))
    tl.store(here + 2, tl.program_id(2))
    tl.store(here + 3, tl.num_programs(0))
    tl.store(here + 4, tl.num_programs(1))
    tl.store(here + 5, tl.num_programs(2))


@case(
    x=numbers("i4", N), y=None, out=output(2, N, dtype="i4"), N=N, one=1, big=2**40, expected=lambda x: [x + 1, x + 256]
)
def arguments(x, y, out, N: tl.constexpr, one, big):
    """None, the integer 1, which Triton makes a constant, and one that needs 64 bits."""
    a = tl.load(x + tl.arange(0, N))
    if y is None:
        put(out, 0, a + one)
    put(out, 1, a + (big >> 32).to(tl.int32))


@case(out=output(3, N, dtype="i4"), N=N, expected=lambda: [[k] * N for k in (4, 5, 8)])
def dtype_queries(out, N: tl.constexpr):
    a = tl.zeros((N,), out.dtype.element_ty)
    put(out, 0, a + (a.dtype.primitive_bitwidth // 8))
    put(out, 1, a + (5 if a.dtype == tl.int32 else 6))
    put(out, 2, a + (8 if a.dtype.is_int() and a.shape[0] == N and a.numel == N else 9))


@case(
    out=output(2, dtype="i4"),
    expected=lambda: [[1, 1]],
    not_simulated="its inline PTX has no meaning in the simulator",
)
def device_queries(out):
    started = cuda.globaltimer()
    tl.store(out, cuda.smid() >= 0)
    tl.store(out + 1, cuda.globaltimer() >= started)


@case(out=output(1, dtype="i4"), expected=lambda: [[32]])
def warp_counts(out):
    """Each form has its own number of warps, so the case stores the threads of one."""
    tl.store(out, cuda.num_threads() // cuda.num_warps())

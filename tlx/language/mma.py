"""Asynchronous matrix multiply-accumulate on the tensor cores (`wgmma`)."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import NVMMASharedLayout
from triton.language.core import _unwrap_if_constexpr, base_type, base_value, builtin

from ..compiler.layouts import accumulator_layout, operand_layout, shared_layout
from ..compiler.targets import Target
from ..errors import DtypeMismatch, InvalidMMA, InvalidWarpCount, LayoutMismatch, ShapeMismatch, UseBeforeWait
from .arguments import constant_int, describe, list_text, predicate
from .buffers import as_buffer, buffered_tensor
from .ignored import note_ignored

__all__ = ["async_dot", "async_dot_wait", "in_flight", "in_flight_type"]

# Operand types of wgmma, and the accumulator each takes.
ACCUMULATOR = {
    tl.float16: tl.float32,
    tl.bfloat16: tl.float32,
    tl.float32: tl.float32,
    tl.float8e4nv: tl.float32,
    tl.float8e5: tl.float32,
    tl.int8: tl.int32,
}


class in_flight_type(base_type):
    """Type of an MMA result that may still be being written; `tensor` is what it becomes."""

    def __init__(self, tensor: tl.block_type):
        self.tensor = tensor

    def _flatten_ir_types(self, builder, out):
        self.tensor._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles, cursor):
        return in_flight(handles[cursor], self.tensor), cursor + 1

    def mangle(self) -> str:
        return f"inflight_{self.tensor.mangle()}"

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.tensor == other.tensor

    def __str__(self) -> str:
        return f"{self.tensor} in flight"

    __repr__ = __str__


class in_flight(base_value):
    """The result of `async_dot` before its `async_dot_wait`.

    Its registers are being written, so only two things may be done with it: accumulate into it, and wait for it.

    Args:
        handle: the value.
        tensor_type: type of the tensor that it becomes.
        number: which of the trace's MMAs wrote it last; None where it came from elsewhere (a caller, an earlier
            iteration): the trace gives it the number of the last MMA issued there.
    """

    def __init__(self, handle, tensor_type: tl.block_type, number: int | None = None):
        self.handle = handle
        self.type = in_flight_type(tensor_type)
        self.number = number

    @property
    def shape(self):
        return self.type.tensor.shape

    @property
    def dtype(self) -> tl.dtype:
        return self.type.tensor.element_ty

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    def _set_name(self, builder, name):
        self.handle.set_loc(builder.create_name_loc(name, self.handle.get_loc()))

    def __getattr__(self, name):
        # Methods and operators of tensors, which the front end looks up by name.
        if hasattr(tl.tensor, name):
            raise used_before_wait()
        raise AttributeError(name)


def used_before_wait() -> UseBeforeWait:
    """The error for any use of an unfinished MMA's registers."""
    return UseBeforeWait(
        "the result of async_dot is used while the tensor cores may still be writing it",
        hint="wait first: x = async_dot_wait(0, x)",
    )


@builtin
def async_dot(
    A,
    B,
    acc=None,
    use_acc=None,
    pred=None,
    mBarriers=(),  # noqa: N803 -- TLX's name
    two_ctas=False,
    force_async=False,
    input_precision=None,
    out_dtype=tl.float32,
    _semantic=None,
):
    """Starts `A @ B` (+ `acc`) on the tensor cores and returns at once.

    Args:
        A: M x K, one buffer or a tensor in registers.
        B: K x N, one buffer.
        acc: M x N accumulator: a tensor, or the result of an earlier async_dot that may still run; None means 0.
        use_acc: scalar condition, of compile time or of run time: False starts from 0 instead of `acc`. (TLX's own
            compiler ignores it on Hopper.)
        pred: for Blackwell, as the three that follow; reported once as ignored.
        input_precision: for fp32 operands "tf32", the default: the tensor cores take no other.
        out_dtype: fp32 (for int8 operands int32 says the same): the tensor cores accumulate in no other.

    Returns:
        in_flight: M x N; pass it to `async_dot_wait` before any other use.

    The task needs a multiple of 4 warps; M a multiple of 16 per warp; N a multiple of 8 up to 256; K a multiple of 32
    bytes. Operands that are not 16 bits wide must both be K-major. Raises InvalidMMA, InvalidWarpCount, ShapeMismatch,
    DtypeMismatch. sm_90. Lowers to `ttng.warp_group_dot` (PTX `wgmma.mma_async`).
    """
    target = _semantic.task.kernel.target
    note_blackwell_options(_semantic, pred=pred, mBarriers=mBarriers, two_ctas=two_ctas, force_async=force_async)
    B = as_buffer(B, "async_dot's B")
    if isinstance(A, in_flight):
        raise used_before_wait()
    if not isinstance(A, tl.tensor):
        A = as_buffer(A, "async_dot's A")
    m, n = check_shapes(A, B, _semantic.task.num_warps, target)
    check_dtypes(A, B)
    dtype = ACCUMULATOR[A.dtype]
    check_out_dtype(out_dtype, dtype)
    layout = accumulator_layout(n, A.dtype.primitive_bitwidth, _semantic.task.num_warps, target)
    start = accumulator(acc, [m, n], dtype, layout, _semantic)
    if isinstance(A, tl.tensor):
        A = _semantic.convert(A, operand_layout(layout, A.dtype.primitive_bitwidth))
    precision = operand_precision(input_precision, A.dtype, _semantic)
    imprecise = _semantic.builder.options.max_num_imprecise_acc_default if A.dtype.is_fp8() else 0
    _semantic.make_stores_visible()
    has_acc = _unwrap_if_constexpr(acc) is not None
    use_accumulator = predicate(use_acc if has_acc else False, _semantic)
    handle = _semantic.builder.create_warpgroup_mma(
        A.handle, B.handle, start.handle, use_accumulator.handle, precision, imprecise, True
    )
    tensor_type = start.type.tensor if isinstance(start, in_flight) else start.type
    return in_flight(handle, tensor_type, _semantic.engines.issue())


def note_blackwell_options(semantic, **options: Any) -> None:
    """Reports the options that mean nothing to `wgmma`, where they are given."""
    for name, value in options.items():
        if is_given(_unwrap_if_constexpr(value)):
            note_ignored("async_dot", name, "wgmma has nothing of the kind; wait with async_dot_wait", semantic)


def is_given(value: Any) -> bool:
    """Whether an option differs from its default: None, False or an empty list."""
    if isinstance(value, list | tuple | tl.tuple):
        return len(value) > 0
    return value is not None and value is not False


def accumulator(acc: Any, shape: list[int], dtype: tl.dtype, layout, semantic) -> tl.tensor | in_flight:
    """The accumulator in the MMA's layout; zeros for None."""
    acc = _unwrap_if_constexpr(acc)
    if acc is None:
        return semantic.full(shape, 0, dtype, layout)
    if not isinstance(acc, tl.tensor | in_flight):
        raise InvalidMMA(f"acc must be a tensor, not {describe(acc)}")
    found = [_unwrap_if_constexpr(d) for d in acc.shape]
    if found != shape:
        raise ShapeMismatch(f"acc is {list_text(found)}, A @ B is {list_text(shape)}")
    if acc.dtype != dtype:
        raise DtypeMismatch(f"acc has {acc.dtype}, this MMA accumulates in {dtype}")
    if isinstance(acc, tl.tensor):
        return semantic.convert(acc, layout)
    if acc.type.tensor.layout != layout:
        raise used_before_wait()  # another operand type wants other registers: that is a use
    return acc


def check_shapes(a: tl.tensor | buffered_tensor, b: buffered_tensor, num_warps: int, target: Target) -> tuple[int, int]:
    """M and N, after checking what the instruction takes."""
    if num_warps % target.warp_group:
        raise InvalidWarpCount(
            f"async_dot in a task of {num_warps} warps: wgmma is issued by whole groups of {target.warp_group}",
            hint=f"give the task num_warps={target.warp_group} or {2 * target.warp_group}",
        )
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise InvalidMMA(f"async_dot takes matrices, not {list_text(a.shape)} and {list_text(b.shape)}")
    (m, k), (k_b, n) = ([_unwrap_if_constexpr(d) for d in x.shape] for x in (a, b))
    if k != k_b:
        raise ShapeMismatch(f"A is {m}x{k}, B is {k_b}x{n}: K differs", hint="transpose with local_trans?")
    rows = target.mma_m // target.warp_group * num_warps
    if m % rows:
        raise InvalidMMA(f"M is {m}, a task of {num_warps} warps takes multiples of {rows}")
    least, most, step = target.mma_n
    if not least <= n <= most or n % step:
        raise InvalidMMA(f"N is {n}, it must be a multiple of {step} from {least} to {most}")
    k_step = target.mma_k_bytes * 8 // a.dtype.primitive_bitwidth
    if k % k_step:
        raise InvalidMMA(f"K is {k}, for {a.dtype} it must be a multiple of {k_step} ({target.mma_k_bytes} bytes)")
    return m, n


def check_dtypes(a: tl.tensor | buffered_tensor, b: buffered_tensor) -> None:
    """Raises for element types and orders that wgmma doesn't take."""
    mixed_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
    if a.dtype != b.dtype and not mixed_fp8:
        raise DtypeMismatch(f"A has {a.dtype}, B has {b.dtype}")
    if a.dtype not in ACCUMULATOR or b.dtype not in ACCUMULATOR:
        known = ", ".join(map(str, ACCUMULATOR))
        raise InvalidMMA(f"the tensor cores take no {a.dtype} x {b.dtype}", hint=f"they take {known}")
    for operand, name in ((a, "A"), (b, "B")):
        if isinstance(operand, buffered_tensor):
            check_layout(operand, name)
    if a.dtype.primitive_bitwidth == 16:
        return
    if isinstance(a, buffered_tensor) and a.type.layout.transposed or not b.type.layout.transposed:
        raise InvalidMMA(
            f"{a.dtype} operands must be K-major: A stored [M, K], B stored [N, K]",
            hint="store B as [N, K] and pass local_trans(b)",
        )


def check_layout(operand: buffered_tensor, name: str) -> None:
    """Raises LayoutMismatch for a layout that Triton has no `wgmma` descriptor for."""
    layout = operand.type.layout
    if isinstance(layout, NVMMASharedLayout):
        swizzled = shared_layout(operand.type.alloc_shape, operand.dtype, layout.transposed)
        if layout.swizzle_byte_width or not swizzled.swizzle_byte_width:
            return
    kind = type(layout).__name__ + (" without swizzle" if isinstance(layout, NVMMASharedLayout) else "")
    raise LayoutMismatch(
        f"{name} is laid out as {kind}, which wgmma can't read",
        hint="allocate it without a layout, or with nv_mma_shared_layout_encoding and its swizzle",
    )


def check_out_dtype(asked: Any, dtype: tl.dtype) -> None:
    """Raises DtypeMismatch for a type that this MMA doesn't accumulate in; fp32 is everybody's default."""
    asked = _unwrap_if_constexpr(asked)
    if asked not in (tl.float32, dtype):
        raise DtypeMismatch(f"out_dtype is {asked}, this MMA accumulates in {dtype}", hint="convert the result")


def operand_precision(asked: Any, dtype: tl.dtype, semantic) -> Any:
    """The IR's attribute for the precision of the operands; raises InvalidMMA for fp32 at another than tf32."""
    precision = _unwrap_if_constexpr(asked) or semantic.builder.options.default_dot_input_precision
    known = semantic.builder.options.allowed_dot_input_precisions
    if precision not in known:
        raise InvalidMMA(f"input_precision is {precision!r}, Triton knows {', '.join(map(repr, known))}")
    if dtype.is_fp32() and precision != "tf32":
        raise InvalidMMA(f"input_precision is {precision!r}, the tensor cores take fp32 as tf32", hint="use tl.dot")
    return semantic._str_to_dot_input_precision(precision)


@builtin
def async_dot_wait(pendings, inp, _semantic=None):
    """Waits until at most `pendings` of this task's MMAs still run.

    Args:
        pendings: compile-time integer.
        inp: the result waited for.

    Returns:
        tensor: `inp`, if by the order of MMAs it is complete then, else `in_flight` still: with `pendings` = 1 the
        last MMA's result may only be accumulated into.

    Raises InvalidMMA. Lowers to `ttng.warp_group_dot_wait` (PTX `wgmma.wait_group`).
    """
    pendings = constant_int(pendings, "pendings", InvalidMMA, least=0)
    if not isinstance(inp, in_flight | tl.tensor):
        raise InvalidMMA(f"async_dot_wait takes the result of async_dot, not {describe(inp)}")
    (handle,) = _semantic.builder.create_warpgroup_mma_wait([inp.handle], pendings)
    if isinstance(inp, tl.tensor):
        return tl.tensor(handle, inp.type)
    if _semantic.engines.completed_by(pendings, inp.number):
        return tl.tensor(handle, inp.type.tensor)
    return in_flight(handle, inp.type.tensor, inp.number)

import numpy as np
import pytest

from tests.sim.ops.evaluate import HERE, run, same
from tlx.sim.errors import AssertionFailed, UnknownFunction
from tlx.sim.ops.external import device_function

f32, i32 = np.float32, np.int32


@pytest.mark.parametrize(
    "symbol, operands, result, expected",
    [
        ("__nv_expf", [f32(1)], "f32", f32(2.71828175)),
        ("__nv_exp", [np.float64(1)], "f64", np.float64(np.e)),
        ("__nv_fast_expf", [f32(0)], "f32", f32(1)),
        ("__nv_powf", [f32(2), f32(10)], "f32", f32(1024)),
        ("__nv_fmaxf", [f32(np.nan), f32(1)], "f32", f32(1)),
        ("__nv_isnanf", [f32(np.nan)], "i32", i32(1)),
        ("__nv_clz", [i32(1)], "i32", i32(31)),
        ("__nv_float_as_int", [f32(1)], "i32", i32(0x3F800000)),
        ("__nv_fadd_rn", [f32(1), f32(2)], "f32", f32(3)),
    ],
)
def test_libdevice(symbol, operands, result, expected):
    same(run("tt.extern_elementwise", *operands, result=result, symbol=symbol), expected)


def test_unknown_symbols_and_inline_ptx_are_named():
    with pytest.raises(UnknownFunction, match="libdevice function has no meaning .*: __nv_unknown") as caught:
        run("tt.extern_elementwise", f32(1), result="f32", symbol="__nv_unknown")
    assert caught.value.location is HERE
    with pytest.raises(UnknownFunction, match="inline PTX has no meaning in the simulator: foo.f32"):
        run("tt.elementwise_inline_asm", f32(1), result="f32", asm_string="foo.f32 $0, $1;")


def test_inline_ptx_with_a_meaning():
    device_function("swap.test $0, $1, $2, $3;")(lambda a, b: (b, a))
    a, b = np.array([1, 2], i32), np.array([3, 4], i32)
    first, second = run(
        "tt.elementwise_inline_asm", a, b, result="2xi32 2xf32", asm_string="swap.test  $0, $1,\n $2, $3;"
    )
    same(first, b)
    same(second, np.array([1, 2], f32))


def test_the_rounding_that_tf32x3_uses():
    rounded = run("tt.elementwise_inline_asm", f32(1 + 2**-11), result="f32", asm_string="cvt.rna.tf32.f32 $0, $1;")
    same(rounded, f32(1 + 2**-10))


def test_print(capsys):
    run("tt.print", np.array([1, 2], i32), prefix=" x: ", hex=False)
    run("tt.print", i32(255), prefix=" y: ", hex=True)
    assert capsys.readouterr().out == "pid (0, 0, 0) x:  [1 2]\npid (0, 0, 0) y:  0xff\n"


def test_assert():
    run("tt.assert", np.array([True, True]), message="positive")
    with pytest.raises(AssertionFailed) as caught:
        run("tt.assert", np.array([True, False, False]), message="positive")
    assert caught.value.what == "positive at (1,), 2 of 3 elements, in program (0, 0, 0)"
    assert caught.value.location is HERE

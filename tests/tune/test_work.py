"""What other processes are given, and what they find out: arguments, writes, outputs, rounds, kernels by name."""

import itertools
import math
import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.tune import kernels
from tlx import sim
from tlx.tune.rounds import race
from tlx.tune.trial import Trial
from tlx.tune.work.arguments import Arguments, describe, dumps, loads
from tlx.tune.work.compiling import Rejected, _usage
from tlx.tune.work.memory import memory_of
from tlx.tune.work.outputs import difference, tolerance_for
from tlx.tune.work.reference import Unreachable, load, reference_of, unwrap

# --- arguments ---


def again(folder, **arguments) -> dict:
    """The arguments as another process makes them."""
    copy: Arguments = loads(dumps(describe(arguments, folder)))
    copy.build()
    return copy.instantiate()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn", "int64", "bool"])
@pytest.mark.parametrize("torch_tensor", [False, True], ids=["array", "tensor"])
def test_an_array(tmp_path, dtype, torch_tensor):
    values = sim.array(np.arange(60).reshape(3, 20) % 3, dtype).values
    if torch_tensor:
        torch = pytest.importorskip("torch")
        x = torch.from_numpy(values.astype(np.float64)).to(getattr(torch, dtype))
        x, numbers = x[:, 4:], lambda t: t.double().numpy()
    else:
        x, numbers = sim.array(values[:, 4:]), lambda t: t.values.astype(np.float64)
    y = again(tmp_path, x=x)["x"]
    assert type(y) is type(x)
    assert (y.dtype, tuple(y.shape), tuple(y.stride())) == (x.dtype, (3, 16), (20, 1))
    assert y.data_ptr() != x.data_ptr()
    assert y.data_ptr() % 256 == x.data_ptr() % 256
    assert np.array_equal(numbers(y), numbers(x))


def test_arrays_that_share_memory_do_so_again(tmp_path):
    x = np.arange(10, dtype=np.float32)
    made = again(tmp_path, x=sim.array(x), tail=sim.array(x[5:]), other=sim.array(x.copy()))
    made["x"].values[7] = 70
    assert made["tail"].values.tolist() == [5, 6, 70, 8, 9]
    assert made["other"].values[7] == 7


def test_strides_that_are_negative_or_zero(tmp_path):
    x = np.arange(10, dtype=np.float32)
    made = again(tmp_path, back=sim.array(x[::-2]), wide=sim.array(np.broadcast_to(x[:1], (3,))))
    assert made["back"].values.tolist() == [9, 7, 5, 3, 1]
    assert made["wide"].values.tolist() == [0, 0, 0]


def test_an_empty_array(tmp_path):
    assert again(tmp_path, x=sim.array(np.zeros((0, 4), np.float32)))["x"].shape == (0, 4)


def test_the_simulator_sees_where_a_copy_ends(tmp_path):
    x = again(tmp_path, x=sim.array(np.zeros(10, np.float32)))["x"]
    assert x.storage() == (x.data_ptr(), 40)


def test_each_candidate_has_descriptors_of_its_own(tmp_path):
    base = sim.array(np.zeros((64, 64)), "float16")
    arguments = describe({"a": TensorDescriptor.from_tensor(base, [64, 64])}, tmp_path)
    arguments.build()
    arguments.instantiate()["a"].block_shape = [1, 1]
    second = arguments.instantiate()["a"]
    assert (second.block_shape, second.shape, second.strides) == ([64, 64], [64, 64], [64, 1])


def test_plain_values_stay(tmp_path):
    values = {"n": 3, "none": None, "pair": (1, 2.5), "dtype": tl.float16}
    assert again(tmp_path, **values) == values


def test_a_placeholder_compiles_as_the_array_does(tmp_path):
    x = np.zeros(100, np.float32)
    arguments = describe({"x": sim.array(x[1:]), "y": sim.array(x), "n": 7}, tmp_path)
    for passed in (arguments.placeholders(), {"x": sim.array(x[1:]), "y": sim.array(x), "n": 7}):
        compiled = kernels.double.run(grid=(1,), warmup=True, BLOCK=64, **passed)
        signature = [line for line in compiled.asm["ttgir"].splitlines() if "tt.func" in line]
    assert signature[0].count("tt.divisibility = 16") == 1  # of y only
    assert arguments.placeholders()["x"].data_ptr() % 16 == 4


def test_an_unknown_kind_of_array_is_refused():
    class Foreign:
        dtype = "float32"

        def data_ptr(self):
            return 0

    with pytest.raises(Unreachable, match="an argument is a Foreign"):
        list(memory_of([Foreign()]))


# --- functions by name ---


def test_a_kernel_goes_by_its_name():
    reference = reference_of(kernels.gemm)
    assert (reference.module, reference.qualname) == (kernels.__name__, "gemm")
    assert load(reference) is kernels.gemm
    assert loads(dumps({"helper": kernels.double}))["helper"] is kernels.double


def test_a_tuned_kernel_is_found_under_its_decorators(monkeypatch):
    reference = reference_of(kernels.double)
    wrapped = triton.heuristics({})(kernels.double)
    monkeypatch.setattr(kernels, "double", wrapped)
    assert load(reference) is unwrap(wrapped)


def test_another_kernel_of_that_name_is_refused(monkeypatch):
    reference = reference_of(kernels.double)
    monkeypatch.setattr(kernels, "double", kernels.half)
    with pytest.raises(Unreachable, match="is another one than the one that is tuned"):
        load(reference)


def test_what_is_local_is_refused():
    @triton.jit
    def local():
        pass

    with pytest.raises(Unreachable, match="local is defined inside a function"):
        reference_of(local)
    with pytest.raises(Unreachable, match="<lambda> is defined inside a function"):
        dumps(lambda: 0)
    with pytest.raises(Unreachable, match="can't be given it"):
        dumps(open("/dev/null"))  # noqa: PTH123, SIM115


def test_hooks_go_by_name_too():
    assert loads(dumps(kernels.set_blocks)) is kernels.set_blocks
    assert pickle.loads(pickle.dumps(Rejected("a", "b"))) == Rejected("a", "b")


# --- what is written ---


def written(kernel, arguments, **options):
    from tlx.ir import parse
    from tlx.sim.program import lower_late
    from tlx.tune.work.writes import written_arguments

    compiled = kernel.run(grid=(1,), warmup=True, **arguments, **options)
    (path,) = [path for name, path in compiled.metadata_group.items() if name.endswith(".ttgir")]
    return written_arguments(parse(lower_late(path, compiled.metadata.target)), compiled.src.signature)


@triton.jit
def store_in_branch(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(a + i)
    target = b
    if n > 3:
        target = c
    for k in range(n):
        tl.store(target + i, x + k)
        target += BLOCK


@triton.jit
def helper(pointer, x):
    tl.store(pointer, x)


@triton.jit
def atomics(a, b, lock, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(b + i, tl.load(a + i))
    if tl.atomic_cas(lock, 0, 1) == 0:
        helper(b, 0.0)


def test_written_arguments():
    x = sim.array(np.zeros(64), "float32")
    lock = sim.array(np.zeros(1), "int32")
    assert written(kernels.double, {"x": x, "y": x, "n": 64}, BLOCK=64) == {"y"}
    assert written(store_in_branch, {"a": x, "b": x, "c": x, "n": 5}, BLOCK=64) == {"b", "c"}
    assert written(atomics, {"a": x, "b": x, "lock": lock}, BLOCK=64) == {"b", "lock"}


def test_written_through_tma():
    from tlx_kernels.gemm.ws import gemm_ws

    tile = TensorDescriptor.from_tensor(sim.array(np.zeros((64, 64)), "float16"), [64, 64])
    sizes = {"M": 64, "N": 64, "K": 64, "stride_cm": 64, "stride_cn": 1}
    meta = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64, "STAGES": 2, "CONSUMERS": 1, "GROUP_M": 1}
    flags = {"A_TRANS": False, "B_TRANS": False, "C_TMA": True}
    assert written(gemm_ws, {"a": tile, "b": tile, "c": tile, **sizes}, **meta, **flags) == {"c"}


# --- how wrong ---


def test_the_error_of_one_wrong_element_is_not_lost_among_many():
    expected = np.random.default_rng(0).standard_normal((1000, 1000))
    actual = expected.copy()
    assert difference(actual, expected, "float32") == 0
    actual[5, 5] += 1
    assert difference(actual, expected, "float32") > 10 * tolerance_for("float32")


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2**-9), ("bfloat16", 2**-7), ("float32", 2**-9)])
def test_rounding_is_tolerated(dtype, tolerance):
    assert tolerance_for(dtype) == tolerance
    expected = np.random.default_rng(0).standard_normal(100_000)
    rounded = sim.array(expected, dtype).values.astype(np.float64)
    assert difference(rounded, expected, dtype) < tolerance


def test_a_nan_is_right_only_where_one_is_expected():
    expected = np.array([1.0, math.nan, math.inf])
    assert difference(expected.copy(), expected, "float32") == 0
    assert difference(np.array([math.nan, math.nan, math.inf]), expected, "float32") == math.inf
    assert difference(np.array([1.0, 2.0, math.inf]), expected, "float32") == math.inf
    assert difference(np.array([1.0, math.nan, 3.0]), expected, "float32") == math.inf


def test_integers_are_right_or_wrong():
    assert tolerance_for("int32") == 0
    assert difference(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5]), "int32") == 0.25


# --- rounds ---


def test_candidates_take_turns_and_slow_ones_drop_out():
    times = {1: 10.0, 2: 11.0, 3: 10.5}
    noise = itertools.cycle([0.0, 0.3, -0.3])
    order, dropped = [], []
    trials = {block: Trial(triton.Config({"BLOCK": block})) for block in times}

    def measure(trial):
        block = trial.config.kwargs["BLOCK"]
        order.append(block)
        return times[block] + next(noise)

    race(list(trials.values()), measure, itertools.count(7), rounds=8, dropped=dropped.append)
    assert order[:15] == [1, 2, 3] * 5
    assert 2 not in order[15:]
    assert dropped[0] is trials[2]
    assert len(dropped) == 3
    assert list(trials[1].samples) == list(range(7, 15))
    assert list(trials[2].samples) == list(range(7, 12))


def test_what_fails_in_a_later_round_is_rejected():
    good, bad = Trial(triton.Config({"BLOCK": 1})), Trial(triton.Config({"BLOCK": 2}))

    def measure(trial):
        return Rejected("crash", "SIGSEGV") if trial is bad and len(bad.samples) == 3 else 1.0

    race([bad, good], measure, itertools.count(), rounds=6)
    assert (bad.rejected.stage, bad.samples) == ("crash", {})
    assert len(good.samples) == 6


@pytest.mark.parametrize("there", [True, False])
def test_registers_are_unknown_without_cuobjdump(there, monkeypatch):
    types = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr", "WRONG": "constexpr"}
    source = ASTSource(unwrap(kernels.double), types, {"BLOCK": 64, "WRONG": False})
    options = {"enable_fp_fusion": True}
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    if not there:
        tool = vars(type(triton.knobs.nvidia))["cuobjdump"]
        monkeypatch.setattr(tool, "default_path", "/nowhere")
        monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", "/nowhere")
    registers, stack = _usage(compiled)
    assert (registers > 0, stack == 0) == (True, True) if there else (registers, stack) == (None, None)

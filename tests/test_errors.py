"""Every error that tlx raises on purpose: its class, what it says, and the line that it points at."""

import pickle

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime.errors import OutOfResources

import tlx
from tests.refused import CASES, MARK, Refused, control
from tlx import errors, sim
from tlx.source import Location


def provoke(case: Refused) -> errors.LanguageError:
    with pytest.raises(errors.TLXError) as caught:
        tlx.compile(case.kernel, case.signature, case.constexprs, **case.options)
    return caught.value


@pytest.mark.parametrize("case", CASES, ids=str)
def test_refused(case):
    error = provoke(case)
    assert type(error) is case.error
    assert case.text in error.what
    assert (error.location.file, error.location.line) == (case.marked.__code__.co_filename, case.line)
    shown = str(error).splitlines()
    number = f"{case.line} | "
    (at,) = [i for i, line in enumerate(shown) if line.startswith(number)]
    assert MARK in shown[at]
    assert shown[at + 1].strip() == "^"
    assert shown[at + 1].index("^") - len(number) == error.location.column - 1


def test_an_unknown_target():
    with pytest.raises(errors.UnsupportedTarget, match="no lowering for sm_75") as caught:
        tlx.compile(fitting, {"y": "*i32"}, target=GPUTarget("cuda", 75, 32))
    assert "sm_90" in caught.value.hint


def leaves(base: type) -> set[type]:
    below = base.__subclasses__()
    return set().union(*map(leaves, below)) if below else {base}


def test_every_class_has_a_case():
    tested = {case.error for case in CASES} | {errors.UnsupportedTarget}
    assert {error for error in leaves(errors.LanguageError) if error.__module__ == "tlx.errors"} == tested


def test_every_class_says_what_it_means():
    for error in leaves(errors.TLXError):
        assert error.__doc__.strip().endswith("."), error


# --- how errors reach their readers ---


@tlx.jit
def fitting(y):
    tl.store(y, 1)


def test_the_call_chain():
    (case,) = [case for case in CASES if case.kernel is control.through_two_helpers]
    location = provoke(case).location
    callers = [caller.source_line().strip() for caller in location.callers]
    assert callers == ["inner(buffer)", "outer(a[0])"]


def test_they_are_tritons_errors_too():
    assert issubclass(errors.LanguageError, triton.CompilationError)
    assert issubclass(errors.SharedMemoryExceeded, OutOfResources)


@pytest.mark.parametrize("error", sorted(leaves(errors.LanguageError), key=lambda error: error.__name__))
def test_they_pickle(error):
    first = error("what", "hint", Location("file.py", 3, 4))
    again = pickle.loads(pickle.dumps(first))
    assert (type(again), again.what, again.hint, again.location) == (error, "what", "hint", first.location)
    assert str(again) == str(first) == "what\n--> file.py:3:4\nhelp: hint"


def test_what_to_do_with_a_buffer_that_is_used_as_a_tensor():
    hints = {case.kernel.__name__: provoke(case).hint for case in CASES if case.error is errors.NotATensor}
    assert hints.pop("sum_with_a_barrier") == ""
    assert all("`tlx.local_load(" in hint for hint in hints.values())


# --- before any launch ---


@tlx.jit
def needs(y, STAGES: tl.constexpr):
    ring = tlx.local_alloc((128, 128), tl.float32, STAGES)
    tlx.local_store(ring[0], tl.full((128, 128), STAGES, tl.float32))
    tl.store(y, tl.max(tlx.local_load(ring[0])))


@pytest.fixture
def launches(monkeypatch):
    """The names of the kernels that the simulator launched."""
    from tlx.sim import driver

    seen = []

    def simulate(launch, seeds):
        seen.append(launch(0).code.kernel.op.attributes["sym_name"])
        return real(launch, seeds)

    real = driver.simulate
    monkeypatch.setattr(driver, "simulate", simulate)
    with sim.simulating():
        yield seen


def test_a_launch_is_refused_before_it_runs(launches):
    y = sim.array([0], "float32")
    with pytest.raises(errors.SharedMemoryExceeded, match="ring 262,144 = 262,144 B"):
        needs[(1,)](y, STAGES=4)
    assert launches == []
    needs[(1,)](y, STAGES=3)
    assert launches == ["needs"]


def test_autotune_skips_what_does_not_fit(launches):
    configs = [triton.Config({"STAGES": stages}) for stages in (4, 2)]
    tuned = triton.autotune(configs, key=[])(needs)
    y = sim.array([0], "float32")
    tuned[(1,)](y)
    assert tuned.best_config.kwargs == {"STAGES": 2}
    assert y.numpy().tolist() == [2]


# --- shared memory: which sums fit ---


@tlx.jit
def gemm_buffers(STAGES: tl.constexpr, STAGED: tl.constexpr):
    a = tlx.local_alloc((128, 64), tl.float16, STAGES)
    b = tlx.local_alloc((64, 256), tl.float16, STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES)
    if STAGED:
        c = tlx.local_alloc((128, 256), tl.float16, 1)
        tlx.local_store(c[0], tl.zeros((128, 256), tl.float16))
    tlx.local_store(a[0], tl.zeros((128, 64), tl.float16))
    tlx.local_store(b[0], tl.zeros((64, 256), tl.float16))
    tlx.barrier_arrive(full[0])
    tlx.barrier_arrive(empty[0])


def shared_memory(stages: int, staged: bool) -> int:
    return tlx.compile(gemm_buffers, {}, {"STAGES": stages, "STAGED": staged}).metadata.shared


def test_five_stages_are_too_many():
    with pytest.raises(errors.SharedMemoryExceeded) as caught:
        shared_memory(5, staged=False)
    error = caught.value
    assert error.what == ("a 81,920 + b 163,840 + full 40 + empty 40 = 245,840 B of shared memory, sm_90 has 232,448 B")
    assert "at most 4 stages" in error.hint
    assert shared_memory(4, staged=False) >= 196_608


def test_a_staged_tile_takes_a_stage():
    with pytest.raises(errors.SharedMemoryExceeded, match="c 65,536 = 262,208 B") as caught:
        shared_memory(4, staged=True)
    assert "at most 3 stages" in caught.value.hint
    assert shared_memory(3, staged=True) >= 212_992


@tlx.jit
def scratch_over_budget(x, N: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 28)
    i = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + i[None, :])
    tlx.local_store(ring[0], tile.to(tl.float16))
    tl.store(x + i[:, None] * N + i[None, :], tl.trans(tile))


def test_scratch_counts_also_when_the_kernel_comes_from_the_cache(tmp_path, monkeypatch):
    """Buffers of 229,376 B fit into 232,448 B; with the 64x64 transpose they don't."""
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path))
    for text in (r"ring 229,376 \+ compiler's scratch", "buffers and the compiler's scratch need"):
        with pytest.raises(errors.SharedMemoryExceeded, match=text):
            tlx.compile(scratch_over_budget, {"x": "*fp32"}, {"N": 64})

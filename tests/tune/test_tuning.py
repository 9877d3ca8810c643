"""What is tuned, what is known already, and what is written down. The lab's answers are made up: BLOCK is the time."""

import numpy as np
import pytest
import triton
import triton.language as tl

import tlx
from tests.tune.kernels import add_to, blocks, double
from tlx import sim
from tlx.language.ignored import IgnoredArgument
from tlx.tune import InvalidTuning, TuningError
from tlx.tune.work.compiling import Rejected, too_long


def configs(*sizes, **options):
    return [triton.Config({"BLOCK": size}, **options) for size in sizes]


def tuned(*sizes, kernel=double, key=("n",), **options):
    return tlx.autotune(configs(*sizes), key=key, **options)(kernel)


def test_the_fastest_is_launched(lab, arrays):
    x, y = arrays
    kernel = tuned(256, 128, 512)
    kernel[blocks](x, y, 1000)
    assert kernel.best_config.kwargs == {"BLOCK": 128}
    assert np.array_equal(y.numpy(), 2 * x.numpy())
    assert sim.last_report().grid == (8, 1, 1)
    assert [phase for phase, _ in lab.log if phase in ("open", "close")] == ["open", "close"]


def test_a_second_launch_asks_nothing(lab, arrays):
    kernel = tuned(128, 256)
    for _ in range(2):
        kernel[blocks](*arrays, 1000)
    assert lab.asked("measure") == [128, 256]
    assert lab.log.count(("open", None)) == 1


def test_a_second_tuner_finds_the_answer_in_the_database(lab, arrays):
    tuned(256, 128)[blocks](*arrays, 1000)
    lab.log.clear()
    again = tuned(256, 128)
    again[blocks](*arrays, 1000)
    assert again.best_config.kwargs == {"BLOCK": 128}
    assert lab.log == []
    assert again.report is None


def test_a_new_config_measures_only_itself(lab, arrays):
    tuned(256, 128)[blocks](*arrays, 1000)
    lab.log.clear()
    more = tuned(256, 64, 128)
    more[blocks](*arrays, 1000)
    assert more.best_config.kwargs == {"BLOCK": 64}
    assert lab.asked("measure") == [64]
    assert [trial.median for trial in more.report.trials] == [256, 64, 128]


def test_the_best_may_be_an_old_one(lab, arrays):
    tuned(256, 64)[blocks](*arrays, 1000)
    for _ in range(2):
        more = tuned(256, 64, 128)
        more[blocks](*arrays, 1000)
        assert more.best_config.kwargs == {"BLOCK": 64}
    assert lab.asked("measure") == [256, 64, 128]
    assert more.report is None


def test_fewer_configs_measure_nothing(lab, arrays):
    tuned(64, 256, 128)[blocks](*arrays, 1000)
    lab.log.clear()
    fewer = tuned(256, 128)
    fewer[blocks](*arrays, 1000)
    assert fewer.best_config.kwargs == {"BLOCK": 128}
    assert lab.asked("measure") == []


def test_a_single_config_is_launched_untuned(lab, arrays):
    tuned(64)[blocks](*arrays, 1000)
    assert lab.log == []


# --- when a key misses ---


def misses(lab, *arguments, kernel=double, **options) -> bool:
    """Whether another launch has to be tuned anew."""
    lab.log.clear()
    tuned(256, 128, kernel=kernel, **options)[blocks](*arguments)
    return bool(lab.log)


def float32(size):
    return sim.array(np.zeros(size), "float32")


def test_the_same_launch_hits(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert not misses(lab, float32(1000), float32(1000), 1000)


def test_another_value_of_a_key_misses(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert misses(lab, float32(999), float32(999), 999)


def test_an_array_that_is_no_key_may_have_another_size(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert not misses(lab, float32(1001), float32(1000), 1000)
    assert misses(lab, float32(1001), float32(1000), 1000, key=("n", "x"))
    assert misses(lab, float32(1002), float32(1000), 1000, key=("n", "x"))


def test_times_of_another_size_are_not_compared(lab):
    """The key says who shares a config. A new config is not set beside times that were taken at another size."""
    tuned(256, 128)[blocks](float32(1001), float32(1000), 1000)
    lab.log.clear()
    more = tuned(256, 64, 128)
    more[blocks](float32(1000), float32(1000), 1000)
    assert lab.asked("measure") == [256, 64, 128]
    lab.log.clear()
    tuned(256, 64, 128)[blocks](float32(1002), float32(1000), 1000)
    assert lab.log == []


def test_without_a_key_every_shape_and_value_counts(lab):
    assert misses(lab, float32(1000), float32(1000), 1000, key=None)
    assert misses(lab, float32(1001), float32(1000), 1000, key=None)
    assert misses(lab, float32(1001), float32(1000), 999, key=None)
    assert not misses(lab, float32(1001), float32(1000), 999, key=None)


def test_another_dtype_misses(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert misses(lab, sim.array(np.zeros(1000), "float16"), float32(1000), 1000)


def test_another_stride_misses(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert misses(lab, sim.array(np.zeros(2000, np.float32)[::2]), float32(1000), 1000)


def test_another_order_of_axes_misses(lab):
    square = np.zeros((32, 32), np.float32)
    assert misses(lab, sim.array(square), float32(1024), 1024)
    assert misses(lab, sim.array(square.T), float32(1024), 1024)


def test_another_alignment_misses(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert misses(lab, sim.array(np.zeros(1001, np.float32)[1:]), float32(1000), 1000)


def test_another_kernel_misses(lab):
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert misses(lab, float32(1000), float32(1000), 1000, kernel=add_to)


@triton.jit
def twice(x):
    return 2 * x


@triton.jit
def through_helper(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)


def test_another_helper_misses(lab, monkeypatch):
    assert misses(lab, float32(1000), float32(1000), 1000, kernel=through_helper)
    source = twice.src
    twice._unsafe_update_src(source.replace("2 * x", "x + x"))
    through_helper.hash = None
    try:
        assert misses(lab, float32(1000), float32(1000), 1000, kernel=through_helper)
    finally:
        twice._unsafe_update_src(source)
        through_helper.hash = None


@pytest.mark.parametrize("name", ["triton", "torch", "cuda", "flags"])
def test_other_software_misses(lab, monkeypatch, name):
    from tlx.tune import facts

    assert misses(lab, float32(1000), float32(1000), 1000)
    software = {**facts.current_software(), name: "another"}
    monkeypatch.setattr(facts, "current_software", lambda: software)
    assert misses(lab, float32(1000), float32(1000), 1000)
    assert not misses(lab, float32(1000), float32(1000), 1000)


@pytest.mark.parametrize("name", ["name", "arch", "driver"])
def test_another_device_misses(lab, monkeypatch, name):
    from tlx.tune import facts

    assert misses(lab, float32(1000), float32(1000), 1000)
    device = {"name": "d", "arch": 90, "driver": "", "unit": "ops", name: 100}
    monkeypatch.setattr(facts, "_device", lambda *_: device)
    assert misses(lab, float32(1000), float32(1000), 1000)


@tlx.jit
def tlx_double(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def test_another_tlx_misses_for_its_kernels(lab, monkeypatch):
    from tlx.tune import facts

    for kernel in (tlx_double, double):
        assert misses(lab, float32(1000), float32(1000), 1000, kernel=kernel)
    monkeypatch.setattr(facts, "package_hash", lambda: "another")
    assert misses(lab, float32(1000), float32(1000), 1000, kernel=tlx_double)
    assert not misses(lab, float32(1000), float32(1000), 1000, kernel=double)


@pytest.mark.parametrize(("stage", "cap"), [("compile", "compile_timeout"), ("hang", "launch_timeout")])
def test_what_took_too_long_is_tried_again_with_more_time(lab, arrays, query, stage, cap):
    lab.answers["compile" if stage == "compile" else "check", 64] = too_long(stage, 5.0)
    tuned(64, 128, 256, **{cap: 5.0})[blocks](*arrays, 1000)
    assert query("SELECT reason, seconds_cap FROM trial WHERE outcome = 'rejected'") == [("no end after 5 s", 5.0)]
    lab.log.clear()
    lab.answers.clear()
    kernel = tuned(64, 128, 256, **{cap: 4.0})
    kernel[blocks](*arrays, 1000)
    assert lab.asked("compile") == []
    assert kernel.best_config.kwargs == {"BLOCK": 128}
    kernel = tuned(64, 128, 256, **{cap: 6.0})
    kernel[blocks](*arrays, 1000)
    assert lab.asked("measure") == [64]
    assert kernel.best_config.kwargs == {"BLOCK": 64}


def test_another_check_asks_again(lab, arrays):
    tuned(256, 128)[blocks](*arrays, 1000)
    lab.log.clear()
    tuned(256, 128, check=lambda arguments: {"y": arguments["x"]})[blocks](*arrays, 1000)
    assert lab.asked("check") == [256, 128]


# --- what is out ---


def test_rejected_configs_have_reasons(lab, arrays, query):
    lab.answers.update(
        {
            ("compile", 1): Rejected("compile", "too large"),
            ("compile", 2): Rejected("static", "it hangs"),
            ("check", 4): Rejected("check", "wrong", 0.5),
            ("measure", 8): Rejected("crash", "SIGABRT"),
        }
    )
    kernel = tuned(1, 2, 4, 8, 16, 32, prune=lambda config, arguments: config.kwargs["BLOCK"] == 16 and "no" or None)
    kernel[blocks](*arrays, 1000)
    assert kernel.best_config.kwargs == {"BLOCK": 32}
    assert {t.config.kwargs["BLOCK"]: (t.rejected.stage, t.rejected.reason) for t in kernel.report.rejected} == {
        1: ("compile", "too large"),
        2: ("static", "it hangs"),
        4: ("check", "wrong"),
        8: ("crash", "SIGABRT"),
        16: ("prune", "no"),
    }
    assert query("SELECT count(*) FROM rejection") == [(5,)]
    lab.log.clear()
    tuned(1, 2, 4, 8, 32)[blocks](*arrays, 1000)  # rejections hold
    assert lab.log.count(("close", None)) == 1
    assert lab.asked("compile") == []


def test_if_all_are_out_one_error_lists_all_reasons(lab, arrays):
    lab.answers.update({("compile", 1): Rejected("compile", "too large"), ("check", 2): Rejected("hang", "no end")})
    with pytest.raises(TuningError) as caught:
        tuned(1, 2)[blocks](*arrays, 1000)
    assert caught.value.what.splitlines() == [
        "none of the 2 configs of double can be used:",
        "  BLOCK=1, num_warps=4, num_ctas=1, num_stages=3: compile: too large",
        "  BLOCK=2, num_warps=4, num_ctas=1, num_stages=3: hang: no end",
    ]


def test_a_grid_that_fails_is_a_rejection(lab, arrays):
    kernel = tuned(0, 64)
    kernel[lambda meta: (1000 // meta["BLOCK"] + 1,)](*arrays, 1000)
    (rejected,) = kernel.report.rejected
    assert rejected.rejected.reason == "grid: ZeroDivisionError: integer division or modulo by zero"


def test_a_parameter_given_twice_is_an_error(lab, arrays):
    with pytest.raises(ValueError, match="conflicting meta-parameters: the caller gives BLOCK"):
        tuned(64, 128)[blocks](*arrays, 1000, BLOCK=64)


# --- time, and its end ---


def test_a_budget_ends_a_sweep_and_is_an_answer(lab, arrays, query, monkeypatch):
    from tlx.tune import tuning

    now = iter(range(10_000))
    monkeypatch.setattr(tuning.time, "monotonic", lambda: next(now))
    sizes = [128 + i for i in range(200)]
    kernel = tuned(*sizes, budget=5)
    kernel[blocks](*arrays, 1000)
    assert 0 < len(lab.asked("measure")) <= 64
    assert query("SELECT ended, budget FROM sweep") == [("budget", 5.0)]
    lab.log.clear()
    tuned(*sizes, budget=5)[blocks](*arrays, 1000)
    assert lab.log == []
    tuned(*sizes, budget=7)[blocks](*arrays, 1000)  # more time finds out more
    assert lab.asked("measure")


def test_ctrl_c_keeps_what_is_known(lab, arrays, query):
    lab.answers["measure", 256] = KeyboardInterrupt()
    lab.answers["compile", 1] = Rejected("compile", "too large")
    with pytest.raises(KeyboardInterrupt):
        tuned(1, 128, 256, 512)[blocks](*arrays, 1000)
    assert lab.log[-1] == ("close", None)
    assert query("SELECT settings, outcome FROM result ORDER BY 1") == [
        ("BLOCK=1 num_ctas=1 num_stages=3 num_warps=4", "rejected"),
        ("BLOCK=128 num_ctas=1 num_stages=3 num_warps=4", "measured"),
    ]
    assert query("SELECT ended FROM sweep") == [("interrupted",)]
    lab.log.clear()
    del lab.answers["measure", 256]
    tuned(1, 128, 256, 512)[blocks](*arrays, 1000)
    assert lab.asked("measure") == [256, 512]


def test_the_first_known_config_says_what_is_right_for_new_ones(lab, arrays):
    tuned(128, 256)[blocks](*arrays, 1000)
    lab.log.clear()
    tuned(128, 256, 512)[blocks](*arrays, 1000)
    assert lab.asked("check") == [128, 512]


# --- spaces ---


def test_a_space_is_searched_and_its_answer_kept(lab, arrays):
    space = tlx.Space({"BLOCK": [16, 32, 64, 128, 256, 512]}, num_warps=[4, 8], start=[{"BLOCK": 256}])
    for round_of in range(2):
        kernel = tlx.autotune(space, key=["n"])(double)
        kernel[blocks](*arrays, 1000)
        assert kernel.best_config.kwargs == {"BLOCK": 16}
        if round_of == 0:
            assert lab.asked("measure")[0] == 256
            lab.log.clear()
    assert lab.log == []


# --- as triton.autotune ---


def test_prune_configs_by(lab, arrays):
    def early(configs, arguments, **options):
        assert arguments["n"] == 1000
        return [config for config in configs if config.kwargs["BLOCK"] > 64]

    tuned(64, 128, 256, prune_configs_by={"early_config_prune": early})[blocks](*arrays, 1000)
    assert lab.asked("measure") == [128, 256]


def test_heuristics(lab, arrays):
    @triton.heuristics({"MORE": lambda arguments: 128 // arguments["BLOCK"]})
    @triton.jit
    def inner(x, y, n, BLOCK: tl.constexpr, MORE: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, MORE + tl.load(x + i, mask=i < n), mask=i < n)

    x, y = arrays
    tuned(256, 128, kernel=inner)[blocks](x, y, 1000)
    assert y.numpy()[:3].tolist() == [1, 2, 3]


def test_hooks_of_the_launch(lab, arrays):
    calls = []
    config = triton.Config({"BLOCK": 64}, pre_hook=lambda arguments: calls.append(arguments["BLOCK"]))
    kernel = tlx.autotune([config, *configs(256)], key=["n"])(double)
    for _ in range(2):
        kernel[blocks](*arrays, 1000)
    assert calls == [64, 64]


def test_options_that_have_no_effect_say_so():
    with pytest.warns(IgnoredArgument, match="rep has no effect"):
        tuned(64, 128, rep=100)


def test_refused():
    with pytest.raises(InvalidTuning, match="no configs"):
        tlx.autotune([], key=[])
    with pytest.raises(InvalidTuning, match="key names 'm'"):
        tuned(64, 128, key=["m"])
    with pytest.raises(InvalidTuning, match="reset_to_zero names 'z'"):
        tuned(64, 128, reset_to_zero=["z"])

"""What `tlx.compat.install` makes of a program for Meta's TLX, and that it leaves everything else alone."""

import importlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language.math
from triton.runtime.jit import JITFunction

import tlx
from tlx import IgnoredArgument, compat, sim
from tlx.compiler.jit import TLXFunction
from tlx.errors import InvalidCluster, NeedsBlackwell, NotInTriton
from tlx.language import ignored

ROOT = Path(__file__).parents[2]


@pytest.fixture
def programs(installed, monkeypatch):
    """The module of programs, imported anew: what it decorates depends on the installation."""
    monkeypatch.setattr(ignored, "_reported", set())
    sys.modules.pop("tests.compat.programs", None)
    with pytest.warns(IgnoredArgument, match="triton.Config: minRegAutoWS=24 is ignored") as warnings:
        module = importlib.import_module("tests.compat.programs")
    assert len(warnings) == 1
    assert warnings[0].filename == module.__file__
    return module


def launched(kernel, programs=1, **options):
    """What programs of a kernel make of [0, 1, ... 31]."""
    x, y = sim.array(np.arange(32, dtype=np.float32)), sim.array(np.zeros(64, np.float32))
    with sim.simulating():
        kernel[(programs,)](x, y, **options)
    return y.numpy()


# --- which functions are tlx's ---


def test_functions_that_name_nothing_of_tlx_stay_stocks(programs):
    assert type(programs.plain) is JITFunction
    assert (launched(programs.plain, BLOCK=32)[:32] == np.arange(32) + 1).all()


@pytest.mark.parametrize(
    "name", ["through_module", "through_name", "through_helper", "through_later_function", "through_long_name"]
)
def test_functions_that_name_something_of_tlx_are_tlxs(name, programs):
    assert isinstance(getattr(programs, name), TLXFunction)


def test_a_closure_is_what_its_helper_is(programs):
    assert type(programs.closure(programs.plain)) is JITFunction
    assert isinstance(programs.closure(programs.through_module), TLXFunction)


def test_tasks_run(programs):
    expected = np.concatenate([np.arange(32) + 1, np.arange(32) + 2])
    assert (launched(programs.through_module, BLOCK=32) == expected).all()
    assert (launched(programs.through_later_function, BLOCK=32) == expected).all()
    assert (launched(programs.closure(programs.through_module), BLOCK=32) == expected).all()


def test_helpers_of_submodules_run(programs):
    assert (launched(programs.through_helper, BLOCK=32)[:32] == np.arange(32) + 2).all()
    assert (launched(programs.through_long_name, BLOCK=32)[:32] == np.arange(32) + 4).all()


# --- tuning and launches ---


def test_the_autotuner_runs_its_hooks_and_compares_in_the_simulator(programs):
    y = launched(programs.tuned)
    block = programs.tuned.best_config.kwargs["BLOCK"]
    assert (y[:block] == np.arange(block) + 1).all()
    assert programs.tuned.best_config.ctas_per_cga == (1, 1, 1)
    assert programs.seen == [16, 32, block]


def test_a_cluster_from_heuristics(programs):
    y = sim.array(np.full(64, 7, np.int32))
    with sim.simulating():
        programs.clustered[(2,)](y)
    assert y.numpy().tolist() == [0] * 32 + [1] * 32


def test_a_cluster_for_a_kernel_that_stock_triton_compiles_is_refused(programs):
    decorate = triton.autotune([triton.Config({"BLOCK": 32}, ctas_per_cga=(2, 1, 1))], key=[])
    for kernel in (programs.plain, triton.heuristics({})(programs.plain)):
        with pytest.raises(InvalidCluster, match=r"a config of plain has ctas_per_cga=\(2, 1, 1\)") as caught:
            decorate(kernel)
        error = caught.value
        assert error.hint == "decorate it with @tlx.jit (`import tlx`), or leave ctas_per_cga out"
        assert error.location.file == programs.__file__
        assert error.location.source_line().startswith("def plain(")
    y = launched(decorate(tlx.jit(programs.plain.fn)), programs=2)
    assert (y[:32] == np.arange(32) + 1).all()


def test_launch_options_of_metas_triton_are_reported_once(programs):
    with pytest.warns(IgnoredArgument, match="launch of through_module: launch_cluster=True is ignored") as warnings:
        launched(programs.through_module, BLOCK=32, launch_cluster=True)
        launched(programs.through_module, BLOCK=32, launch_cluster=True, num_warps=8)
    assert len(warnings) == 1


def test_defaults_of_metas_options_are_not_reported(programs, recwarn):
    triton.Config({}, num_consumer_groups=0, preferred_ctas_per_cga=None, pingpongAutoWS=False)
    assert not recwarn


def test_pruning_by_ir_is_reported(programs):
    with pytest.warns(IgnoredArgument, match="ir_config_prune"):
        triton.autotune([triton.Config({})], [], prune_configs_by={"ir_config_prune": lambda *_: True})


# --- names ---


def test_names_of_other_hardware_can_be_imported_and_are_refused_in_kernels(programs):
    x = sim.array(np.zeros(1, np.float32))
    with (
        sim.simulating(),
        pytest.raises(NotInTriton, match="buffer_load has no counterpart here: it is for GPUs of AMD"),
    ):
        programs.for_amd[(1,)](x)
    with sim.simulating(), pytest.raises(NeedsBlackwell, match="tcgen05_commit"):
        programs.for_blackwell[(1,)](x)


def test_names_that_nobody_has(installed):
    module = importlib.import_module("triton.language.extra.tlx")
    assert not hasattr(module, "no_such_thing")
    assert "async_tasks" in dir(module)
    assert "local_alloc" in module.__all__


def test_submodules(installed):
    helpers = importlib.import_module("triton.language.extra.cuda.inline_ptx_lib")
    assert callable(helpers._mul_f32x2)
    assert (
        importlib.import_module("triton.language.extra.tlx.types").mbarrier is importlib.import_module("tlx").mbarrier
    )
    with pytest.raises(ImportError):
        importlib.import_module("triton.language.extra.tlx.no_such_module")


# --- the device ---


def test_the_simulated_device_answers(installed):
    torch = pytest.importorskip("torch")
    with sim.simulating():
        assert torch.cuda.get_device_properties("cuda").multi_processor_count == 132
        assert torch.cuda.get_device_capability() == (9, 0)
        assert triton.runtime.driver.active.get_active_torch_device() == torch.device("cpu")
        assert triton.runtime.driver.active.get_current_target().is_cuda_backend()
        torch.cuda.synchronize()


# --- no traces ---


def state():
    names = [triton.jit, triton.Config, triton.autotune, triton.runtime.Config, vars(triton.language.extra).get("tlx")]
    return names, {name for name in sys.modules if name.startswith("triton.language.extra.")}


def test_uninstalled_nothing_is_left():
    before = state()
    compat.install()
    compat.install()
    assert triton.jit is not before[0][0]
    compat.uninstall()
    assert state() == before
    compat.uninstall()


def test_importing_changes_nothing():
    program = """
    import triton
    jit = triton.jit
    import tlx.compat
    assert triton.jit is jit
    try:
        import triton.language.extra.tlx
    except ImportError:
        print("fine")
    """
    assert python("-c", textwrap.dedent(program)) == "fine\n"


# --- the command ---


def python(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TLX_BACKEND": "sim"}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False)
    return done.stdout + "".join(line for line in done.stderr.splitlines(True) if line.startswith("usage"))


SCRIPT = """
import sys
import triton.language.extra.tlx as tlx
if __name__ == "__main__":
    print(tlx.async_tasks.__name__, sys.argv[1:])
"""


def test_the_command_runs_scripts_and_modules(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(SCRIPT)
    assert python("-m", "tlx.compat", "run", str(tmp_path / "program.py"), "a", "-b") == "async_tasks ['a', '-b']\n"
    monkeypatch.chdir(tmp_path)
    assert python("-m", "tlx.compat", "run", "-m", "program", "c") == "async_tasks ['c']\n"
    assert python("-m", "tlx.compat", "program.py").startswith("usage: python -m tlx.compat run")

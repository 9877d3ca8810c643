"""The command line: what it prints and how it ends."""

import json

import pytest
from triton.backends import backends

from tlx.__main__ import main
from tlx.backend import Backend, choose_backend


def test_info(capsys, monkeypatch):
    monkeypatch.setenv("TLX_BACKEND", "sim")
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    for fact in ["tlx", "triton", "TLX_BACKEND=sim", "sm_90", "232,448 B"]:
        assert fact in printed


def test_compare_prints_a_table(capsys):
    pytest.importorskip("torch")
    assert main(["compare", "gemm", "--shape", "64x64x64", "65x33x17", "--backend", "sim"]) == 0
    printed = capsys.readouterr().out
    assert "64x64x64 bf16" in printed
    assert "65x33x17 bf16" in printed
    assert printed.count(" ok ") == 4
    assert "on the simulator (--backend sim)" in printed


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_compare_as_json(capsys, dtype):
    pytest.importorskip("torch")
    assert main(["compare", "gemm", "--shape", "64x64x128", "--dtype", dtype, "--backend", "sim", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["title"] == f"64x64x128 {dtype}"
    assert record["flops"] == 2 * 64 * 64 * 128
    naive, ours = record["measurements"]
    assert (naive["name"], naive["correct"]) == ("naive", True)
    assert (ours["name"], ours["correct"]) == ("tlx", True)
    assert ours["counts"]["MMA FLOP"] == 2 * 64 * 64 * 128
    assert ours["counts"]["bytes by TMA"] == 2 * (64 * 128 + 128 * 64 + 64 * 64)


def test_a_wrong_result_ends_with_1(capsys, monkeypatch):
    pytest.importorskip("torch")
    from tlx_kernels.gemm import problem

    monkeypatch.setattr(problem, "matmul", lambda a, b, out: out.copy_(a @ b).mul_(1.25))
    assert main(["compare", "gemm", "--shape", "64x64x64", "--backend", "sim"]) == 1
    printed = capsys.readouterr().out
    assert "2.5e-01 WRONG" in printed


def test_a_failing_kernel_ends_with_1(capsys, monkeypatch):
    pytest.importorskip("torch")
    from tlx_kernels.gemm import problem

    def fails(a, b, out):
        raise RuntimeError("no [kernel] today")

    monkeypatch.setattr(problem, "matmul", fails)
    assert main(["compare", "gemm", "--shape", "64x64x64", "--backend", "sim"]) == 1
    assert "64x64x64 bf16 tlx: RuntimeError: no [kernel] today" in capsys.readouterr().out


@pytest.mark.parametrize("shape", ["64x64", "64x0x64", "axbxc", "64x64x64x64"])
def test_no_shape_ends_with_2(capsys, shape):
    pytest.importorskip("torch")
    assert main(["compare", "gemm", "--shape", shape, "--backend", "sim"]) == 2
    assert f"'{shape}' is no shape" in capsys.readouterr().err


def test_unknown_operation_ends_with_2(capsys):
    with pytest.raises(SystemExit) as end:
        main(["compare", "gem"])
    assert end.value.code == 2
    assert "invalid choice: 'gem'" in capsys.readouterr().err


# --- the choice of the backend ---------------------------------------------------------------------------------------


@pytest.fixture
def gpu(monkeypatch):
    """Says whether Triton finds a GPU; TLX_BACKEND is not set."""
    monkeypatch.delenv("TLX_BACKEND", raising=False)

    def there(answer):
        for index, backend in enumerate(backends.values()):
            monkeypatch.setattr(backend.driver, "is_active", staticmethod(lambda index=index: answer and index == 0))

    return there


@pytest.mark.parametrize(
    ("there", "choice", "variable", "backend"),
    [
        (False, "auto", "", Backend("sim", "no GPU that Triton can use")),
        (False, "sim", "", Backend("sim", "--backend sim")),
        (True, "auto", "", Backend("gpu", "a GPU that Triton can use")),
        (True, "gpu", "", Backend("gpu", "--backend gpu")),
        (True, "sim", "", Backend("sim", "--backend sim")),
        (True, "auto", "sim", Backend("sim", "TLX_BACKEND=sim")),
        (True, "auto", "gpu", Backend("gpu", "TLX_BACKEND=gpu")),
    ],
)
def test_backend(gpu, monkeypatch, there, choice, variable, backend):
    gpu(there)
    monkeypatch.setenv("TLX_BACKEND", variable)
    assert choose_backend(choice) == backend


@pytest.mark.parametrize(
    ("there", "choice", "variable", "message"),
    [
        (False, "gpu", "", "--backend gpu, but Triton can use no GPU here"),
        (False, "auto", "gpu", "TLX_BACKEND=gpu, but Triton can use no GPU here"),
        (True, "gpu", "sim", "--backend gpu, but TLX_BACKEND=sim sends launches to the simulator"),
    ],
)
def test_no_such_backend(gpu, monkeypatch, capsys, there, choice, variable, message):
    gpu(there)
    monkeypatch.setenv("TLX_BACKEND", variable)
    assert main(["compare", "gemm", "--backend", choice]) == 2
    assert message in capsys.readouterr().err

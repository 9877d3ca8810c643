"""The command line: what it prints and how it ends."""

import json

import pytest

from tlx.__main__ import main


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
    assert "on the simulator (asked for)" in printed


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
    assert ours["counts"]["B by TMA"] == 2 * (64 * 128 + 128 * 64 + 64 * 64)


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


def test_without_a_gpu_backend_gpu_ends_with_2(capsys, monkeypatch):
    from triton.backends import backends

    for backend in backends.values():
        monkeypatch.setattr(backend.driver, "is_active", staticmethod(lambda: False))
    assert main(["compare", "gemm", "--backend", "gpu"]) == 2
    assert "no GPU that Triton can use" in capsys.readouterr().err

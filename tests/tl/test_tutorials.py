"""Whole ordinary kernels under `tlx.jit`: the same results as under `triton.jit`, and on a GPU the same speed."""

from dataclasses import dataclass, field

import numpy as np
import pytest
import triton

import tlx
from tests.tl.tutorials import KERNELS, STOCK

TLX = {name: tlx.jit(function) for name, function in KERNELS.items()}
SPEED = 0.97  # of stock Triton's, at least


@dataclass
class Problem:
    """Arguments of a kernel: arrays that are read, the output's shape, scalars and constants, the grid."""

    inputs: dict[str, tuple[tuple[int, ...], str]]
    out: tuple[tuple[int, ...], str]
    scalars: dict[str, float]
    constants: dict[str, int]
    grid: tuple[int, ...]
    options: dict[str, int] = field(default_factory=dict)


def elementwise(n: int, block: int, names: str, **scalars) -> Problem:
    inputs = {name: ((n,), "float32") for name in names}
    return Problem(inputs, ((n,), "float32"), {"n": n, **scalars}, {"BLOCK": block}, (triton.cdiv(n, block),))


def rows(count: int, columns: int, block: int, programs: int) -> Problem:
    scalars = {"rows": count, "columns": columns, "stride": columns}
    shape = ((count, columns), "float32")
    return Problem({"x": shape}, shape, scalars, {"BLOCK": block}, (programs,))


def norm(count: int, columns: int, block: int) -> Problem:
    x, line = ((count, columns), "float16"), ((columns,), "float16")
    inputs = {"x": x, "weight": line, "bias": line}
    return Problem(inputs, x, {"columns": columns, "eps": 1e-5}, {"BLOCK": block}, (count,))


def product(m: int, n: int, k: int, bm: int, bn: int, warps: int) -> Problem:
    inputs = {"a": ((m, k), "float16"), "b": ((k, n), "float16")}
    constants = {"BM": bm, "BN": bn, "BK": 64, "GROUP": 8}
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    return Problem(inputs, ((m, n), "float16"), {"M": m, "N": n, "K": k}, constants, grid, {"num_warps": warps})


def attend(heads: int, length: int) -> Problem:
    shape = ((heads, length, 64), "float16")
    constants = {"D": 64, "BM": 128, "BN": 64}
    return Problem(dict.fromkeys("qkv", shape), shape, {"scale": 0.125, "S": length}, constants, (length // 128, heads))


SMALL = {
    "vector_add": elementwise(3000, 1024, "xy"),
    "softmax": rows(7, 500, 512, 3),
    "dropout": elementwise(3000, 1024, "x", p=0.5, seed=7),
    "layer_norm": norm(3, 1500, 512),
    "matmul": product(200, 130, 136, 64, 64, 4),
    "attention": attend(2, 256),
}
LARGE = {
    "vector_add": elementwise(1 << 27, 1024, "xy"),
    "softmax": rows(65536, 1024, 1024, 65536),
    "dropout": elementwise(1 << 27, 1024, "x", p=0.5, seed=7),
    "layer_norm": norm(16384, 8192, 2048),
    "matmul": product(8192, 8192, 4096, 128, 256, 8),
    "attention": attend(64, 4096),
}


def arrays(problem: Problem) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    values = {name: rng.standard_normal(shape).astype(dtype) for name, (shape, dtype) in problem.inputs.items()}
    return {**values, "out": np.full(*problem.out[:1], np.nan, problem.out[1])}


def launch(kernel, problem: Problem, values: dict) -> None:
    names = kernel.arg_names
    values = {("c" if name == "out" and "c" in names else name): value for name, value in values.items()}
    kernel[problem.grid](**values, **problem.scalars, **problem.constants, **problem.options)


@pytest.mark.parametrize("name", KERNELS)
def test_simulated(name):
    problem, results = SMALL[name], []
    for kernel in (STOCK[name], TLX[name]):
        values = arrays(problem)
        with tlx.simulating():
            launch(kernel, problem, {key: tlx.sim.array(value) for key, value in values.items()})
        results.append(values["out"])
    assert np.isfinite(results[0].astype("f4")).all()
    np.testing.assert_array_equal(*results)


@pytest.mark.gpu
@pytest.mark.parametrize("name", KERNELS)
def test_same_bits_and_speed(name, record_property):
    import torch

    from tlx.bench import CudaTimer, compare
    from tlx.bench import Problem as Work

    torch.manual_seed(0)
    problem = LARGE[name]
    inputs = {
        key: torch.randn(shape, dtype=getattr(torch, dtype), device="cuda")
        for key, (shape, dtype) in problem.inputs.items()
    }
    shape, dtype = problem.out
    outputs = {
        form: torch.full(shape, float("nan"), dtype=getattr(torch, dtype), device="cuda") for form in ("stock", "tlx")
    }

    def candidate(form: str, kernel):
        def run():
            launch(kernel, problem, {**inputs, "out": outputs[form]})
            return outputs[form]

        return run

    run = {form: candidate(form, kernels[name]) for form, kernels in {"stock": STOCK, "tlx": TLX}.items()}
    assert torch.equal(run["tlx"](), run["stock"]())
    work = Work(name, run, reference=outputs["stock"].clone(), tolerance=1e-6, outputs=tuple(outputs.values()))
    ratio = compare(work, timer=CudaTimer()).ratio("tlx", "stock")
    record_property("ratio", ratio)
    print(f"{name}: tlx at {ratio:.3f} of stock Triton's speed")
    assert ratio >= SPEED

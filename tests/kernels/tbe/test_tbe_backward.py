"""The backward pass against float64: what is trained, what is left alone, and that the bits are the same every time."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.tbe.backward.config import BackwardConfig  # noqa: E402
from tlx_kernels.tbe.backward.host import backward_update  # noqa: E402
from tlx_kernels.tbe.backward.reference import reference_update  # noqa: E402
from tlx_kernels.tbe.layout import Batch, TableLayout  # noqa: E402
from tlx_kernels.tbe.optimizers import (  # noqa: E402
    SGD,
    Adagrad,
    Adam,
    RowWiseAdagrad,
)
from tlx_kernels.tbe.specs import TableSpec  # noqa: E402

GUARD = 64
SMALL = BackwardConfig(chunk=8, rows=4)  # cuts most runs, so that sums of sums are needed too


class Case:
    """A batch with its gradient, weights and state, the last two between guards."""

    def __init__(self, device, tables, lengths, *, features=None, low=0, optimizer=None, dtype=torch.float32, **facts):
        """`lengths` of all bags; indices are drawn from `low` to one past the last row if `low` is negative."""
        generator = torch.Generator().manual_seed(0)
        self.layout = TableLayout.of([TableSpec(*table) for table in tables], features)
        sizes = facts.pop("batch_sizes", None)
        offsets = torch.tensor([0, *itertools.accumulate(lengths)], dtype=facts.pop("index", torch.int32))
        n = int(offsets[-1])
        factors = torch.rand(n, generator=generator).to(device) if facts.pop("weighted", False) else None
        pooled = facts.get("pooling") != "none"
        drawn = torch.zeros(n, dtype=offsets.dtype)
        self.batch = Batch.of(self.layout, drawn, offsets, batch_sizes=sizes, pooled=pooled)
        for segment in self.batch.shape.segments:
            part = slice(int(offsets[segment.first_bag]), int(offsets[segment.first_bag + segment.bags]))
            count = part.stop - part.start
            drawn[part] = torch.randint(low, segment.rows + (low < 0), (count,), generator=generator).to(drawn.dtype)
        drawn, offsets = drawn.to(device), offsets.to(device)
        self.batch = Batch.of(self.layout, drawn, offsets, factors, batch_sizes=sizes, pooled=pooled)
        self.optimizer = optimizer or SGD()
        self.grad = torch.randn(self.batch.output_shape, generator=generator).to(device)
        self.guarded = torch.full((self.layout.elements + 2 * GUARD,), 7.0, dtype=dtype, device=device)
        self.weights = self.guarded[GUARD:-GUARD]
        self.weights.copy_(torch.randn(self.layout.elements, generator=generator))
        self.state = self.optimizer.new_state(elements=self.layout.elements, rows=self.layout.rows, device=device)
        for tensor in self.state.values():
            tensor.uniform_(0.1, 1)
        self.facts = facts

    def update(self, config=SMALL, step=3, lr=0.1, **more):
        """The weights, the state and the gradient of the factors after a backward pass from the case's values."""
        guarded = self.guarded.clone()
        weights, state = guarded[GUARD:-GUARD], {name: tensor.clone() for name, tensor in self.state.items()}
        numbers = {
            "lr": torch.tensor(lr, device=weights.device),
            "step": torch.tensor(step, device=weights.device),
            "optimizer": self.optimizer,
        }
        found = backward_update(
            self.grad, weights, state, self.layout, self.batch, **numbers, **self.facts, **more, config=config
        )
        assert (guarded[:GUARD] == 7).all() and (guarded[-GUARD:] == 7).all(), (
            "something beside the weights was written"
        )
        return weights, state, found

    def check(self, config=SMALL, tolerance=2e-6, **more):
        """Compares with float64, row by row also with what may not change at all."""
        weights, state, found = self.update(config, **more)
        wanted, wanted_state = self.weights.double(), {name: x.double() for name, x in self.state.items()}
        facts = {name: self.facts[name] for name in ("pooling", "max_gradient") if name in self.facts}
        factors = reference_update(
            self.grad, wanted, wanted_state, self.batch, optimizer=self.optimizer, lr=0.1, step=3, **facts
        )
        torch.testing.assert_close(weights.double(), wanted, rtol=tolerance, atol=tolerance)
        for name, values in wanted_state.items():
            torch.testing.assert_close(state[name].double(), values, rtol=tolerance, atol=tolerance)
            assert (state[name] == self.state[name])[values == self.state[name].double()].all()
        untouched = wanted == self.weights.double()
        assert untouched.any() and not untouched.all()
        assert (weights == self.weights)[untouched].all()
        if found is not None:
            torch.testing.assert_close(found.double(), factors, rtol=1e-5, atol=1e-5)


# Dims of three classes, tables out of the order of their classes, two features of one table, empty bags, and ids from
# -1 to one past the last row.
MIXED = {
    "tables": [(10, 20), (6, 8), (13, 4), (9, 24)],
    "features": [0, 1, 0, 2, 3],
    "lengths": [3, 0, 9, 1, 0, 12, 2, 5, 7, 0, 4, 1, 0, 0, 6],
    "low": -1,
}


@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_mixed_dims_and_a_shared_table(device, index):
    Case(device, **MIXED, index=index).check()


@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_weighted_and_clamped(device, pooling):
    case = Case(device, **MIXED, weighted=True, pooling=pooling, max_gradient=0.5, optimizer=RowWiseAdagrad())
    case.check(wants_factors=True)


def test_without_pooling(device):
    lengths = [3, 0, 9, 1, 0, 12]
    case = Case(device, [(40, 7), (9, 7)], lengths, low=-1, pooling="none", weighted=True, optimizer=Adagrad())
    case.check(wants_factors=True)


def test_a_batch_size_for_each_feature(device):
    sizes = [2, 0, 4]
    case = Case(device, [(30, 5), (7, 4), (9, 8)], [3, 1, 4, 1, 5, 9], batch_sizes=sizes, pooling="mean")
    case.check()


@pytest.mark.parametrize("lookups", [1, 7, 8, 9, 64, 300])
def test_all_lookups_on_one_row(device, lookups):
    """Sums of sums of sums: 300 lookups are 38 chunks, 76 sums, 2 chunks of them, 4 sums, one chunk."""
    case = Case(device, [(3, 8)], [lookups], optimizer=Adam())
    case.batch.indices.fill_(1)
    case.check(tolerance=3e-5)  # 1 - beta2 is of float32


@pytest.mark.parametrize("chunk", [8, 16, 64])
def test_bits_do_not_depend_on_the_grid(device, chunk):
    case = Case(device, **MIXED, optimizer=Adam(), weighted=True)
    results = [case.update(BackwardConfig(chunk, rows=4, programs=programs)) for programs in (None, 1, 3)]
    for weights, state, _ in results[1:]:
        assert torch.equal(weights, results[0][0])
        assert all(torch.equal(state[name], results[0][1][name]) for name in state)


def test_default_config(device):
    Case(device, **MIXED, optimizer=Adam()).check(config=None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_stochastic_rounding_is_drawn_by_row_column_and_step(device, dtype):
    """The same for any grid and any sizes where sums are exact, and another one for another step or seed."""
    case = Case(device, [(40, 16)], [30, 0, 70], dtype=dtype)
    case.grad.copy_(case.grad.mul(4).round() / 4)
    facts = {"stochastic_rounding": True, "seed": 5}
    first, _, _ = case.update(SMALL, **facts)
    nearest, _, _ = case.update(SMALL)
    for config in (BackwardConfig(chunk=8, rows=8, programs=1), BackwardConfig(chunk=32, rows=2)):
        assert torch.equal(case.update(config, **facts)[0], first)
    assert not torch.equal(case.update(SMALL, **facts, step=4)[0], first)
    assert not torch.equal(case.update(SMALL, **{**facts, "seed": 6})[0], first)
    wanted = case.weights.double()
    reference_update(case.grad, wanted, {}, case.batch, optimizer=SGD(), lr=0.1, step=3)
    step_of = torch.finfo(dtype).eps * wanted.abs() + 2.0**-24
    assert ((first.double() - wanted).abs() <= step_of).all()
    assert ((nearest.double() - wanted).abs() <= step_of / 2 + 1e-7).all()
    assert not torch.equal(first, nearest)


@pytest.mark.parametrize("lengths", [[], [0, 0]], ids=["B = 0", "N = 0"])
def test_nothing_to_do(device, lengths):
    case = Case(device, [(3, 8)], lengths, optimizer=Adam())
    weights, state, found = case.update(wants_factors=True)
    assert torch.equal(weights, case.weights) and found.shape == (0,)
    assert all(torch.equal(state[name], case.state[name]) for name in state)


def test_tables_of_one_row(device):
    case = Case(device, [(1, 1), (1, 3), (2, 1)], [5, 2, 0], optimizer=RowWiseAdagrad(), low=-1)
    case.check()


def test_gradients_of_any_strides(device):
    """That of `out.sum()` has no strides at all; it is copied."""
    case = Case(device, [(9, 8)], [3, 4, 0, 2])
    case.grad = torch.ones(1, 1, device=device).expand(4, 8)
    case.check()

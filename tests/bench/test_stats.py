import pytest

from tlx.bench import geometric_mean, summarize


def test_summary_of_five_samples():
    summary = summarize([5.0, 1.0, 2.0, 4.0, 30.0])
    assert summary.median == 4.0
    assert summary.p20 == pytest.approx(1.8)
    assert summary.p80 == pytest.approx(10.0)
    assert summary.mad == 2.0  # of |1-4|, |2-4|, 0, |5-4|, |30-4|
    assert summary.count == 5


@pytest.mark.parametrize("samples", [[], [1.0, float("nan")], [float("inf")]])
def test_summary_refuses_samples_that_say_nothing(samples):
    with pytest.raises(ValueError, match="finite"):
        summarize(samples)


def test_geometric_mean():
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([0.5, 2.0, 1.0]) == pytest.approx(1.0)


@pytest.mark.parametrize("ratios", [[], [1.0, 0.0], [-1.0], [float("nan")]])
def test_geometric_mean_refuses_what_is_no_ratio(ratios):
    with pytest.raises(ValueError, match="positive"):
        geometric_mean(ratios)

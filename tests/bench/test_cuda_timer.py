"""The timer on a GPU: graphs for short work, events for long, a cold L2 cache."""

import pytest

torch = pytest.importorskip("torch")

from tlx.bench import CudaTimer, clocks, environment, summarize  # noqa: E402

pytestmark = pytest.mark.gpu


def median_us(timer, run):
    launch = timer.prepare(run)
    return summarize(timer.measure(launch) for _ in range(20)).median, launch.method


def test_short_work_runs_from_a_graph():
    x = torch.zeros(1024, device="cuda")
    us, method = median_us(CudaTimer(), lambda: x.add_(1))
    assert method == "graph"
    assert 0 < us < 30


def test_long_work_is_timed_by_events():
    x = torch.empty(16 << 30, dtype=torch.int8, device="cuda")
    us, method = median_us(CudaTimer(), x.zero_)
    assert method == "events"
    assert 2400 < us < 34000  # 16 GiB at 0.5 to 7 TB/s


def test_work_that_cannot_be_captured_is_timed_by_events():
    x = torch.zeros(16, device="cuda")
    _, method = median_us(CudaTimer(), lambda: x.sum().item())
    assert method == "events"
    x.add_(1)  # the failed capture left the device usable
    torch.cuda.synchronize()


def test_each_launch_finds_the_cache_cold():
    """Reading 16 MiB again and again would come from L2; from memory it takes at least 16 MiB / 10 TB/s."""
    x = torch.zeros(4 << 20, device="cuda")
    y = torch.zeros((), device="cuda")
    us, _ = median_us(CudaTimer(), lambda: torch.sum(x, dim=0, out=y))
    timer = CudaTimer()
    timer._flush = torch.empty(16, dtype=torch.int8, device="cuda")
    warm, _ = median_us(timer, lambda: torch.sum(x, dim=0, out=y))
    assert warm < us


def test_environment_and_clocks():
    facts = environment()
    assert facts["gpu"] == torch.cuda.get_device_name()
    assert facts["driver"]
    assert clocks()["sm_mhz"] > 100

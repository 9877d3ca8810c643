"""Mutants that are as right as the kernel, and why."""

NO_ENGINE = (
    "only threads read and write the buffer; the barrier orders them, and a proxy fence orders nothing more but what "
    "engines do"
)

CP_ASYNC = (
    "the fence orders cp.async before the MMA. Triton 3.6 has none there and Triton 3.7 has; the checkers take "
    "cp.async for an engine, whose copies an MMA sees after the wait, as the kernels of Triton 3.6 need it"
)

EQUIVALENT: dict[tuple[str, str], str] = {
    ("from task to task", "drop fence: fence in default"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition0"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition1"): NO_ENGINE,
    ("named barriers", "drop fence: fence in default"): NO_ENGINE,
    ("gemm_mixed by cp.async", "drop fence: fence in default"): CP_ASYNC,
}
"""By kernel and mutation; not every Triton makes all of them."""

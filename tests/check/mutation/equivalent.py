"""Mutants that are as right as the kernel, and why."""

NO_ENGINE = (
    "only threads read and write the buffer; the barrier orders them, and a proxy fence orders nothing more but what "
    "engines do"
)

EQUIVALENT: dict[tuple[str, str], str] = {
    ("from task to task", "drop fence: fence in default"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition0"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition1"): NO_ENGINE,
    ("named barriers", "drop fence: fence in default"): NO_ENGINE,
}
"""By kernel and mutation."""

"""Mutants that are as right as the kernel, and why."""

NO_ENGINE = (
    "only threads read and write the buffer; the barrier orders them, and a proxy fence orders nothing more but what "
    "engines do"
)

CP_ASYNC = (
    "the fence orders cp.async before the MMA. Triton 3.6 has none there and Triton 3.7 has; the checkers take "
    "cp.async for an engine, whose copies an MMA sees after the wait, as the kernels of Triton 3.6 need it"
)

NO_WAIT_NEEDED = (
    "each CTA waits for all that its peer does to it before it ends: the sync at the end that the compiler adds is "
    "for kernels that don't"
)

ANOTHER_SYNC = "another sync of the cluster, without anything in between that needs both, does the same"

NOTHING_INITIALIZED = "the fence makes barriers known that the task has initialised, and it has initialised none"

NOT_SIGNALLED = "no barrier is signalled by another CTA"

OTHER_DATA = (
    "the tile goes to the wrong CTA in the right order, as every CTA does the same: the results are wrong, but nothing "
    "of the synchronization"
)

NOBODY_FILLS = "nobody fills the ring again, so nobody waits for the slot of the last use"

COPIED = "4 products of what 4 warps copied"
LAST_RELEASE = "barrier_arrive(ring.empty) in default #2"
OVER_INPUT = "a result over its input, in tasks"
EXCHANGED = "exchanged by stores, float32 32x64 in 4 warps"
SWAPPED = "5 tiles swapped by tasks of 1 warps"
SHARED_B = "multicast GEMM of 2 tiles, K = 192, N = 64, loaded by 1 warps"
SYNCED = "cluster barriers in tasks"

EQUIVALENT: dict[tuple[str, str], str] = {
    ("from task to task", "drop fence: fence in default"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition0"): NO_ENGINE,
    ("a barrier counts the arrivals of two tasks", "drop fence: fence in partition1"): NO_ENGINE,
    ("named barriers", "drop fence: fence in default"): NO_ENGINE,
    ("gemm_mixed by cp.async", "drop fence: fence in default"): CP_ASYNC,
    ("ring of 2 for 1, 5 trips, copied by 1 warps up to 32", "drop fence: fence in default"): NO_ENGINE,
    (COPIED, "drop fence: fence in default"): CP_ASYNC,
    (COPIED, f"drop arrive: {LAST_RELEASE}"): NOBODY_FILLS,
    (COPIED, f"arrive before the last read: {LAST_RELEASE}"): NOBODY_FILLS,
    (OVER_INPUT, "drop fence: fence in partition0"): NO_ENGINE,
    (OVER_INPUT, "drop fence: fence in partition1"): NO_ENGINE,
    (EXCHANGED, "drop fence: fence in default"): NO_ENGINE,
    (EXCHANGED, "drop cluster sync: cluster sync in default #2"): NO_WAIT_NEEDED,
    (EXCHANGED, "wrong rank: mapa in default"): OTHER_DATA,
    (
        "exchanged asynchronously, float32 32x64 in 4 warps",
        "drop cluster sync: cluster sync in default #2",
    ): NO_WAIT_NEEDED,
    ("multicast in clusters of (2, 1, 1)", "drop cluster sync: cluster sync in default #2"): NO_WAIT_NEEDED,
    (SWAPPED, "drop init fence: fence_mbarrier_init in partition0"): NOTHING_INITIALIZED,
    (SWAPPED, "drop fence: fence in partition0"): NO_ENGINE,
    (SHARED_B, "drop init fence: fence_mbarrier_init in partition0"): NOTHING_INITIALIZED,
    (SYNCED, "drop init fence: fence_mbarrier_init in default"): NOT_SIGNALLED,
    (SYNCED, "drop init fence: fence_mbarrier_init in partition0"): NOTHING_INITIALIZED,
    (SYNCED, "wrong rank: mapa in default"): OTHER_DATA,
    (SYNCED, "drop fence: fence in default"): NO_ENGINE,
    (SYNCED, "drop cluster sync: number 1 of every task"): ANOTHER_SYNC,
    (SYNCED, "drop cluster sync: number 2 of every task"): ANOTHER_SYNC,
    (SYNCED, "drop cluster sync: number 4 of every task"): ANOTHER_SYNC,
}
"""By kernel and mutation; not every Triton makes all of them."""

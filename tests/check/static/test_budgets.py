"""Shared memory, registers, threads and named barriers of a CTA."""

from tests.check.static.texts import ALLOC_BAR, check, ids, init, tasks

ALLOCATIONS = """
    %a = ttg.local_alloc : () -> !ttg.memdesc<5x128x64xf16, #tile, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<5x64x256xf16, #tile, #smem, mutable>
"""


def test_shared_memory_lists_the_buffers_and_what_fits():
    (finding,) = check(ALLOCATIONS, shared=245_840)
    assert finding.id == "TLX-S001"
    assert finding.message == (
        "a 81,920 + b 163,840 + compiler's scratch 80 = 245,840 B of shared memory, sm_90 has 232,448 B"
    )
    assert finding.hint == "at most 4 stages of a, b fit"


def test_shared_memory_that_just_fits():
    assert ids(ALLOCATIONS, shared=232_448) == []


def test_shared_memory_is_undecided_before_the_late_passes():
    (finding,) = check("", shared=None)
    assert finding.id == "TLX-S000"
    assert finding.severity == "note"
    assert "shared-memory (TLX-S001) is not decided" in finding.message


def registers(requested: str, actual: str) -> str:
    return f" attributes {{requestedRegisters = array<i32: {requested}>{actual}}}"


def test_requests_that_triton_drops():
    attributes = registers("240, 240", "")
    (finding,) = check(tasks("", "%x = arith.addi %n, %n : i32\n", "", attributes=attributes, warps=(4, 4)))
    assert finding.id == "TLX-S002"
    assert "240 x 128 + 240 x 128 = 61,440 registers of 65,536" in finding.message


def test_requests_that_are_granted():
    attributes = registers("232, 24", ", actualRegisters = array<i32: 160, 232, 24>")
    assert ids(tasks("", "", "", attributes=attributes)) == []


def test_a_request_that_setmaxnreg_does_not_take():
    attributes = registers("264", ", actualRegisters = array<i32: 160, 264>")
    (finding,) = check(tasks("", "%x = arith.addi %n, %n : i32\n", attributes=attributes))
    assert finding.id == "TLX-S002"
    assert finding.message == "partition0 asks for 264 registers per thread; setmaxnreg takes 24 to 256"


def test_fewer_registers_than_asked_for():
    attributes = registers("240", ", actualRegisters = array<i32: 160, 168>")
    (finding,) = check(tasks("", "", attributes=attributes))
    assert finding.message == "partition0 asks for 240 registers per thread and gets 168"


def test_threads():
    (finding,) = check(tasks("", "", "", warps=(16, 16)), warps=4, total_warps=36)
    assert finding.id == "TLX-S003"
    assert "4 warps, the others 16 + 16: 36 warps = 1,152 threads; a CTA of sm_90 has at most 1,024" in finding.message


# --- named barriers --------------------------------------------------------------------------------------------------


def named(kind: str, number: int, threads: int) -> str:
    name = f"llvm.nvvm.barrier.cta.{kind}.aligned.count"
    suffix = f"{kind}{number}_{threads}"
    return f"""
    %number{suffix} = arith.constant {number} : i32
    %threads{suffix} = arith.constant {threads} : i32
    llvm.call_intrinsic "{name}"(%number{suffix}, %threads{suffix}) : (i32, i32) -> ()
"""


def test_a_named_barrier_of_two_tasks():
    assert ids(tasks(named("sync", 9, 160), named("arrive", 9, 160))) == []


def test_a_thread_count_that_no_tasks_make_up():
    findings = check(tasks(named("sync", 9, 128 + 64), named("arrive", 9, 128 + 64)))
    assert [finding.id for finding in findings] == ["TLX-S004", "TLX-S004"]
    assert findings[0].message == (
        "named barrier 9 waits for 192 threads; the tasks that come to it have default 128 + partition0 32"
    )


def test_a_number_of_tritons_own():
    (first, _) = check(tasks(named("sync", 2, 160), named("arrive", 2, 160)))
    assert first.message == "named barrier 2 is Triton's own: in this kernel it uses 0 to 2"
    assert first.hint == "use a number from 3 to 15"


def test_a_number_that_does_not_exist():
    (finding,) = check(named("sync", 16, 128))
    assert finding.message == "named barrier 16 doesn't exist: numbers are 0 to 15"


def test_a_computed_number_is_undecided():
    call = 'llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%n, %n) : (i32, i32) -> ()\n'
    assert ids(call) == ["TLX-S000"]


def test_an_unused_barrier_is_no_mistake():
    assert ids(ALLOC_BAR + init(1)) == []

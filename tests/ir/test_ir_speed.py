"""Reading is fast enough to sit in every simulated launch."""

import subprocess
import sys
import time

from tlx.ir import parse

SECONDS = 1.5  # of CPU, for a slow and busy machine; a quiet one takes 0.2


def seconds_to_parse(text: str) -> float:
    start = time.process_time()
    parse(text)
    return time.process_time() - start


def test_a_thousand_lines(texts):
    text = texts["pipelined_gemm"]["ttgir"]
    head, _, rest = text.partition("module ")
    body, _, tail = rest.partition("\n} loc(")
    opening, _, functions = body.partition("\n")
    copies = 1000 // len(functions.splitlines()) + 1
    renamed = [functions.replace("@pipelined_gemm", f"@kernel{number}") for number in range(copies)]
    text = f"{head}module {opening}\n" + "\n".join(renamed) + f"\n}} loc({tail}"
    assert len(text.splitlines()) >= 1000
    parse(texts["ring"]["ttgir"])  # Builds the grammar, once in a process.
    assert len(parse(text).functions) == copies
    assert min(seconds_to_parse(text) for _ in range(3)) < SECONDS


def test_import_leaves_lark_alone():
    code = "import sys, tlx.ir; print('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"

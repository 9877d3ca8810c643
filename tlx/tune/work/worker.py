"""The other process: takes requests one after another until the connection ends.

`python -m tlx.tune.work.worker DESCRIPTOR` where DESCRIPTOR is one end of a pipe.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Compiler", "Runner", "main"]

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Compiler:
    """Compiles candidates of one kernel."""

    def open(self, reference, arguments, target) -> None:
        """Gets ready."""
        from .compiling import use_target
        from .reference import load

        use_target(target)
        self._kernel, self._arguments, self._target = load(reference), arguments, target

    def compile(self, candidate):
        """Compiles one."""
        from .compiling import compile_candidate

        return compile_candidate(self._kernel, self._arguments, candidate, self._target)


class Runner:
    """Checks and measures candidates of one kernel."""

    def open(self, reference, job) -> None:
        """Gets ready: the arguments' memory is made."""
        from .bench import Bench
        from .reference import load

        self._bench = Bench(load(reference), job)

    def check(self, candidate):
        """Launches one and compares its outputs."""
        return self._bench.check(candidate)

    def measure(self, candidate):
        """Takes one sample."""
        return self._bench.measure(candidate)

    def forget(self, number):
        """Frees what is kept for one."""
        self._bench.forget(number)


def main(descriptor: int) -> None:
    """Answers requests (method, arguments) with (good, result).

    `good` is True, False where the result is an error's text, or None where the request can't be understood.
    """
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    connection = Connection(descriptor)
    role, sys.path[:], sys.argv[:], folder = connection.recv()
    os.chdir(folder)
    from .arguments import dumps, loads

    subject = {"compiler": Compiler, "runner": Runner}[role]()
    while True:
        try:
            request = connection.recv_bytes()
        except EOFError:
            return
        answer: tuple[bool | None, Any] = None, ""
        try:
            method, arguments = loads(request)
            answer = False, ""
            answer = True, getattr(subject, method)(*arguments)
        except Exception as error:
            answer = answer[0], f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
        connection.send_bytes(dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))

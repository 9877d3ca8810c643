"""A process that does what it is asked, one request at a time, and can be ended at any time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from triton import knobs

from .arguments import dumps, loads
from .reference import Unreachable

__all__ = ["Child", "ChildDied", "ChildError", "ChildTimeout"]

LAST_WORDS = 2000  # bytes of a dead process's standard error that are shown


class ChildError(Exception):
    """The request failed, and the process goes on; the text is the error's."""


class ChildDied(Exception):
    """The process ended before it answered; the text says how."""


class ChildTimeout(Exception):
    """The process didn't answer in time."""


class Child:
    """A process of its own session, so that Ctrl-C in the terminal reaches only its parent, and that it can be ended
    together with what it has started, such as ptxas.

    Args:
        role: "compiler" or "runner".
        backend: what `TLX_BACKEND` is in it.
    """

    def __init__(self, role: str, backend: str):
        self.connection, theirs = Pipe()
        environment = {**os.environ, "TLX_BACKEND": backend, "TRITON_CACHE_DIR": str(knobs.cache.dir)}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [_root(), os.environ.get("PYTHONPATH", "")]))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tlx.tune.work.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=environment,
            start_new_session=True,
        )
        theirs.close()
        self._begun = time.monotonic()
        self.connection.send((role, sys.path, sys.argv, str(Path.cwd())))

    @property
    def waiting_seconds(self) -> float:
        """Since the last request."""
        return time.monotonic() - self._begun

    def ask(self, method: str, *arguments: Any) -> None:
        """Sends a request.

        Raises:
            Unreachable: an argument can't be pickled.
        """
        request = dumps((method, arguments))
        self._begun = time.monotonic()
        with contextlib.suppress(OSError):  # it has died: `answer` says so
            self.connection.send_bytes(request)

    def answer(self, seconds: float) -> Any:
        """The result of the last request.

        Raises:
            ChildError: it failed.
            Unreachable: the process could not read the request.
            ChildDied: the process ended.
            ChildTimeout: there is no answer within that time from now.
        """
        try:
            if not self.connection.poll(seconds):
                raise ChildTimeout(f"no answer within {seconds:.3g} s")
            good, result = loads(self.connection.recv_bytes())
        except (EOFError, ConnectionError):
            raise ChildDied(self._how_it_ended()) from None
        if good is None:
            raise Unreachable(result.splitlines()[0])
        if not good:
            raise ChildError(result)
        return result

    def call(self, seconds: float, method: str, *arguments: Any) -> Any:
        """Sends a request and waits for the result; raises what `ask` and `answer` do."""
        self.ask(method, *arguments)
        return self.answer(seconds)

    def end(self) -> None:
        """Kills the process and those that it has started. Nothing of it remains, its memory on a GPU neither."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.connection.close()
        self._errors.close()

    def _how_it_ended(self) -> str:
        code = self._process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - LAST_WORDS))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        words = [line for line in lines if "error" in line.lower() or "assert" in line.lower()]
        return f"the process ended by {how}" + (f": {words[-1].strip()}" if words else "")


def _root() -> str:
    """The folder from which tlx is imported."""
    return str(Path(__file__).resolve().parents[3])

"""Candidates checked and measured in another process, which is replaced when one of them breaks it."""

from __future__ import annotations

from .bench import Bench, Checked, Job
from .candidate import Candidate
from .child import Child, ChildDied, ChildError, ChildTimeout
from .compiling import Rejected, first_line, too_long
from .pool import OPEN_SECONDS
from .reference import Reference, Unreachable

__all__ = ["LocalRunner", "RemoteRunner"]


class RemoteRunner:
    """A long-lived process that launches candidates.

    Args:
        reference: the kernel.
        job: what is measured.
        seconds: the most that one check or one sample may take.
    """

    def __init__(self, reference: Reference, job: Job, seconds: float):
        self._reference, self._job, self._seconds = reference, job, seconds
        self._child: Child | None = None

    def check(self, candidate: Candidate) -> Checked | Rejected:
        """Launches once and compares outputs.

        Raises:
            Unreachable: the process can't get ready.
        """
        return self._call("check", candidate)

    def measure(self, candidate: Candidate) -> float | Rejected:
        """One sample. A candidate that a new process doesn't know yet is warmed up first."""
        return self._call("measure", candidate)

    def forget(self, candidate: Candidate) -> None:
        """Frees what is kept for a candidate."""
        if self._child is not None:
            self._call("forget", candidate.number)

    def close(self) -> None:
        """Ends the process."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _call(self, method: str, *arguments):
        child = self._open()
        try:
            result = child.call(self._seconds, method, *arguments)
        except ChildTimeout:
            self.close()
            return too_long("hang", self._seconds)
        except ChildDied as death:
            self.close()
            return Rejected("crash", str(death))
        except ChildError as error:
            self.close()
            return Rejected("crash", first_line(str(error)))
        if isinstance(result, Rejected) and result.stage == "crash":
            self.close()
        return result

    def _open(self) -> Child:
        if self._child is None:
            child = Child("runner", "sim" if self._job.simulated else "gpu")
            self._child = child
            try:
                child.call(OPEN_SECONDS, "open", self._reference, self._job)
            except (ChildTimeout, ChildDied, ChildError) as error:
                self.close()
                raise Unreachable(first_line(str(error))) from error
        return self._child


class LocalRunner:
    """The same in this process: an exception is a rejection, a fault or a hang is the end.

    Args:
        kernel: the jitted function.
        job: what is measured.
    """

    def __init__(self, kernel, job: Job):
        self._bench = Bench(kernel, job)
        self.check, self.measure = self._bench.check, self._bench.measure

    def forget(self, candidate: Candidate) -> None:
        """Frees what is kept for a candidate."""
        self._bench.forget(candidate.number)

    def close(self) -> None:
        """Frees everything."""
        del self._bench, self.check, self.measure

"""What the autotuner asks of the database and writes to it."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping

import triton

from .configs import text_of
from .database import Database
from .facts import Subject
from .trial import Trial
from .work.compiling import Rejected

__all__ = ["Records", "finite"]


class Records:
    """The trials of one subject.

    Args:
        database: where they are kept.
        subject: what is tuned, where, with what.
    """

    def __init__(self, database: Database, subject: Subject):
        self._database = database
        with database.writing():
            self._kernel = database.identify("kernel", subject.kernel)
            self._ids = {
                "device_id": database.identify("device", subject.device),
                "software_id": database.identify("software", subject.software),
                "problem_id": database.identify("problem", {"kernel_id": self._kernel, "key": subject.key}),
            }
            for row in subject.arguments:
                database.insert_new("argument", {"problem_id": self._ids["problem_id"], **row})
        self._columns = {"key": subject.shared_key, **subject.source}
        self._sweep: int | None = None

    def finished(self, request: str, budget: float | None) -> str | None:
        """The text of the winner of a sweep that answers the request already; None if there is none.

        That may be a sweep of another problem, if its launch has in common what launches that share a config must have.
        A sweep whose budget ended answers requests with no larger one.
        """
        rows = self._database.query(
            """
            SELECT config.text FROM sweep
            JOIN config ON config.id = sweep.winner_id
            JOIN problem ON problem.id = sweep.problem_id
            WHERE sweep.device_id = :device_id AND sweep.software_id = :software_id AND problem.kernel_id = :kernel_id
              AND sweep.key = :key AND sweep.request = :request
              AND (sweep.ended = 'complete' OR (sweep.ended = 'budget' AND sweep.budget >= :budget))
            ORDER BY sweep.started DESC LIMIT 1
            """,
            {
                **self._ids,
                "kernel_id": self._kernel,
                "key": self._columns["key"],
                "request": request,
                "budget": float("inf") if budget is None else budget,
            },
        )
        return rows[0]["text"] if rows else None

    def known(self, configs: Iterable[triton.Config], reference: str, caps: Mapping[str, float]) -> list[Trial]:
        """The newest trial of each of the configs that has one which still holds.

        What was pruned is not asked: pruning costs nothing. Outputs that were compared with something else, or not at
        all, say nothing about whether they are right by today's measure. What took too long may now have more time.

        Args:
            configs: that are asked for.
            reference: what outputs are compared with.
            caps: seconds that a config may take, by the stage at which it is rejected if it takes longer.
        """
        return [trial for config in configs if (trial := self._known(config, reference, caps)) is not None]

    def _known(self, config: triton.Config, reference: str, caps: Mapping[str, float]) -> Trial | None:
        rows = self._database.query(
            """
            SELECT trial.* FROM trial
            JOIN sweep ON sweep.id = trial.sweep_id
            JOIN config ON config.id = trial.config_id
            WHERE sweep.device_id = :device_id AND sweep.software_id = :software_id AND sweep.problem_id = :problem_id
              AND config.text = :text AND trial.stage != 'prune'
            ORDER BY sweep.started DESC, trial.id DESC LIMIT 1
            """,
            {**self._ids, "text": text_of(config)},
        )
        if not rows:
            return None
        row = rows[0]
        if row["reference"] != reference and (row["outcome"] == "measured" or row["stage"] == "check"):
            return None
        if row["seconds_cap"] is not None and row["seconds_cap"] < caps.get(row["stage"], 0.0):
            return None
        trial = Trial(config, error=row["error"], reference=row["reference"], row=row["id"])
        if row["outcome"] == "rejected":
            trial.rejected = Rejected(row["stage"], row["reason"], row["error"], row["seconds_cap"])
        samples = self._database.query("SELECT round, value FROM sample WHERE trial_id = ?", (row["id"],))
        trial.samples = {sample["round"]: sample["value"] for sample in samples}
        return trial

    # --- a new sweep ---

    def begin(self, request: str, search: str, budget: float | None) -> None:
        """Begins a sweep."""
        started = datetime.datetime.now(datetime.timezone.utc).isoformat()
        row = {**self._ids, **self._columns, "started": started, "request": request, "search": search, "budget": budget}
        with self._database.writing():
            self._sweep = self._database.insert("sweep", row)

    def add(self, trial: Trial) -> None:
        """Writes a trial, or what has become known about it since it was written."""
        with self._database.writing():
            config = self._database.identify("config", {"text": trial.text})
            for name, value in json.loads(trial.text).items():
                value = value if isinstance(value, str | int | float) else json.dumps(value)
                self._database.insert_new("setting", {"config_id": config, "name": name, "value": value})
            row = {"sweep_id": self._sweep, "config_id": config, **_columns(trial)}
            self._database.connection.execute(
                "DELETE FROM sample WHERE trial_id IN (SELECT id FROM trial WHERE sweep_id = ? AND config_id = ?)",
                (self._sweep, config),
            )
            self._database.connection.execute(
                "DELETE FROM trial WHERE sweep_id = ? AND config_id = ?", (self._sweep, config)
            )
            trial.row = self._database.insert("trial", row)
            for number, value in trial.samples.items():
                self._database.insert("sample", {"trial_id": trial.row, "round": number, "value": value})

    def end(self, ended: str, seconds: float, winner: triton.Config | None) -> None:
        """Ends the sweep: complete, budget, interrupted or failed."""
        with self._database.writing() as connection:
            number = winner and self._database.identify("config", {"text": text_of(winner)})
            update = "UPDATE sweep SET ended = ?, seconds = ?, winner_id = ? WHERE id = ?"
            connection.execute(update, (ended, seconds, number, self._sweep))


def _columns(trial: Trial) -> dict:
    compiled, rejected = trial.compiled, trial.rejected
    return {
        "outcome": "rejected" if rejected else "measured",
        "stage": rejected.stage if rejected else "",
        "reason": rejected.reason if rejected else "",
        "shared_bytes": compiled.shared_bytes if compiled else None,
        "registers": compiled.registers if compiled else None,
        "spills": compiled.spills if compiled else None,
        "compile_seconds": compiled.seconds if compiled else None,
        "seconds_cap": rejected.seconds_cap if rejected else None,
        "error": finite(rejected.error if rejected else trial.error),
        "reference": trial.reference,
    }


def finite(error: float | None) -> float | None:
    """SQLite would keep an infinity, but its text form is no JSON."""
    return error if error is None or error < 1e300 else 1e300

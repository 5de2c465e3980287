"""Evidence pooled over evaluations of one question, valid at any time.

Each evaluation gives e-values: numbers of mean at most 1 if the claim that they support is false.
If items repeat, evaluations depend on one another in unknown ways, so their e-values are averaged
with weights 1/(k(k+1)) that were fixed in advance. The sum has mean at most 1 under any dependence
and never falls, so it ever reaches 1/alpha with probability at most alpha (Markov). If every
evaluation has new items, e-values multiply (Ville). The first evaluation declares which case
holds.

A history is text, one JSON object per line, each with a checksum over itself and all before it.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from nstar._data.findings import list_tasks
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.gate.claims import LogEValues
from nstar._verbs.gate.question import GateQuestion
from nstar.errors import DataError, arg, fill_parameters

_SETTINGS = {
    "threshold": "{threshold}",
    "candidate": "the candidate",
    "baseline": "the baseline",
    "alpha": "{alpha}",
    "psi": "{psi}",
    "items": "{items}",
    "strata": "{strata}",
    "cluster": "{cluster}",
    "loss": "{loss}",
}


def _said(value: Any) -> str:
    if value is None:
        return "not set"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _size(margin: float | None) -> str:
    return "none" if margin is None else f"{margin:g}"


def _of_task(before: dict[str, Any], current: dict[str, Any], of: str) -> Iterator[str]:
    if before["metric"] != current["metric"]:
        yield f"the metric{of} was {before['metric']} and is {current['metric']}"
    if before["lower_is_better"] != current["lower_is_better"]:
        better = {True: "lower", False: "higher"}
        was, now = (better[t["lower_is_better"]] for t in (before, current))
        yield f"{was} scores{of} were better, and now {now} scores are"
    if before["goal"] != current["goal"]:
        yield f"the goal{of} was {before['goal']} and is {current['goal']}"
    if before["margin"] != current["margin"]:
        sizes = (_size(t["margin"]) for t in (before, current))
        yield f"the margin{of} was {' and is '.join(sizes)}"


def _of_tasks(old: list[Any], new: list[Any]) -> Iterator[str]:
    was, now = ({t["task"]: t for t in tasks} for tasks in (old, new))
    if set(was) != set(now):
        yield f"the tasks were {list_tasks(was)} and are {list_tasks(now)}"
        return
    for task, current in now.items():
        yield from _of_task(was[task], current, f" of {task}" if task else "")
    if list(was) != list(now):
        yield "the order of the tasks has changed"


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between the earlier and the current question.

    Margins are in score units.

    >>> list(changes({"items": None, "tasks": []}, {"items": 2000, "tasks": []}))
    ['items was not set and is 2,000']
    """
    for key, name in _SETTINGS.items():
        if old.get(key) != new.get(key):
            yield f"{fill_parameters(name)} was {_said(old.get(key))} and is {_said(new.get(key))}"
    if old.get("tasks") != new.get("tasks"):
        yield from _of_tasks(old["tasks"], new["tasks"])


_SCHEMA = "nstar.gate-history/1"
_MAX_LINE_CHARACTERS = 16 << 20
"""Largest length of a line, which exceeds that of an evaluation with 800,000 items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvaluation:
    """One evaluation in the history."""

    log_e: tuple[LogEValues, ...]
    """Logs of its e-values, by task."""
    scores: str
    """Fingerprint of its scores, so that an evaluation counts once."""
    items: tuple[str, ...] | None
    """Fingerprints of its items; None unless items must be new."""


def fingerprint(samples: Sequence[PairedSample]) -> str:
    """Return a hash of all scores."""
    digest = hashlib.sha256()
    for s in samples:
        digest.update(repr((s.task, s.metric, s.a.size)).encode())
        for x in (s.a, s.b):
            digest.update(np.ascontiguousarray(x, dtype="<f8").tobytes())
    return digest.hexdigest()


def item_digests(tasks: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """Return a short hash of every task and item name, sorted."""
    return tuple(
        sorted(
            hashlib.blake2b(repr((task, item)).encode(), digest_size=8).hexdigest()
            for task, items in tasks
            for item in items
        )
    )


def _question(
    names: tuple[str, str], tasks: Sequence[tuple[str, str, bool]], question: GateQuestion
) -> dict[str, Any]:
    return {
        "candidate": names[0],
        "baseline": names[1],
        "alpha": question.criteria.alpha,
        "psi": question.psi,
        "items": question.items,
        "strata": question.strata,
        "cluster": question.cluster,
        "loss": None if question.cluster is None else question.loss,
        "threshold": question.threshold,
        "tasks": [
            {
                "task": t,
                "metric": m,
                "lower_is_better": down,
                "goal": question.goal_of(t),
                "margin": question.margin_of(t),
            }
            for t, m, down in tasks
        ],
    }


def _sealed(body: dict[str, Any], before: str) -> tuple[str, str]:
    """Return a line with its checksum, and that checksum."""
    text = json.dumps(body, sort_keys=True, allow_nan=False)
    check = hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()
    return json.dumps(body | {"check": check}, sort_keys=True, allow_nan=False), check


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A question and the evaluations that were made of it.

    Examples
    --------
    >>> e = LogEValues(4.0, 0.0, 0.0)
    >>> nights = (RecordedEvaluation(log_e=(e,), scores="a", items=None),)
    >>> history = History(question={"tasks": ["math"]}, nights=nights)
    >>> round(history.gathered()[0].not_worse, 3)  # log(½ e⁴)
    3.307
    >>> History.parse(history.text()) == history
    True
    """

    question: dict[str, Any] | None = None
    """Question of the gate; None before the first evaluation."""
    fresh: bool = False
    """Whether every evaluation has new items."""
    nights: tuple[RecordedEvaluation, ...] = ()
    """Evaluations in order."""

    def asked(
        self,
        names: tuple[str, str],
        tasks: Sequence[tuple[str, str, bool]],
        question: GateQuestion,
    ) -> "History":
        """Return the history for the current question.

        Raise DataError if it began with another.
        """
        now = _question(names, tasks, question)
        if self.question is None:
            return replace(self, question=now)
        differs = next(changes(self.question, now), None)
        if differs is not None:
            msg = f"This history answers a different question ({differs}). Use a new folder."
            raise DataError(msg)
        return self

    def with_night(self, night: RecordedEvaluation) -> "tuple[History, bool]":
        """Return the history with one more evaluation, and whether it was recorded before."""
        if any(night.scores == old.scores for old in self.nights):
            return self, True
        if self.fresh:
            earlier_items = {item for old in self.nights for item in old.items or ()}
            n_repeated = len(earlier_items.intersection(night.items or ()))
            if n_repeated:
                used = "1 item was" if n_repeated == 1 else f"{n_repeated:,} items were"
                msg = (
                    f"{used} already used in an earlier evaluation, but {arg('fresh_items')} "
                    f"requires new items. Use a new folder without {arg('fresh_items')}."
                )
                raise DataError(msg)
        return replace(self, nights=(*self.nights, night)), False

    def gathered(self) -> list[LogEValues]:
        """Return the logs of the pooled e-values of all evaluations, by task."""
        tasks = len(self.nights[0].log_e)
        return [
            LogEValues(
                *(self._over([night.log_e[t][i] for night in self.nights]) for i in range(3))
            )
            for t in range(tasks)
        ]

    def _over(self, logs: Sequence[float | None]) -> Any:
        if any(x is None for x in logs):
            return None
        values = np.array(logs, dtype=np.float64)
        if self.fresh:
            return float(values.sum())
        k = np.arange(1, values.size + 1)
        return float(special.logsumexp(values - np.log(k * (k + 1.0))))

    def text(self) -> str:
        """Return the history as lines of JSON."""
        head = {"schema": _SCHEMA, "question": self.question, "fresh": self.fresh}
        line, check = _sealed(head, "")
        lines = [line]
        for k, night in enumerate(self.nights, start=1):
            body = {
                "night": k,
                "log_e": [list(e) for e in night.log_e],
                "scores": night.scores,
                "items": night.items,
            }
            line, check = _sealed(body, check)
            lines.append(line)
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> "History":
        """Rebuild a history from :meth:`text`. Raise DataError at the first altered line."""
        bodies, before = [], ""
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                body = json.loads(line if len(line) <= _MAX_LINE_CHARACTERS else "")
                check = body.pop("check")
                _, before = _sealed(body, before)
            except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
                check = None
            if check is None or check != before:
                msg = (
                    f"History line {number} has been damaged or edited (checksum mismatch). "
                    "Restore the file or use a new folder."
                )
                raise DataError(msg)
            bodies.append(body)
        return cls._read(bodies)

    @classmethod
    def _read(cls, bodies: Sequence[dict[str, Any]]) -> "History":
        if not bodies or bodies[0].get("schema") != _SCHEMA:
            msg = f"Not a history of nstar gate (the first line lacks the schema {_SCHEMA})."
            raise DataError(msg)
        head = bodies[0]
        try:
            tasks = len(head["question"]["tasks"]) if len(bodies) > 1 else 0
            nights = tuple(_night(body, tasks) for body in bodies[1:])
            return cls(question=head["question"], fresh=bool(head["fresh"]), nights=nights)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            msg = f"The history is incomplete ({error}). Restore the file or use a new folder."
            raise DataError(msg) from error


def _finite(e: LogEValues) -> bool:
    return math.isfinite(e.worse) and math.isfinite(e.better) and math.isfinite(e.not_worse or 0.0)


def _log_e(logs: Sequence[Any]) -> LogEValues:
    within, worse, better = logs
    return LogEValues(None if within is None else float(within), float(worse), float(better))


def _night(body: dict[str, Any], tasks: int) -> RecordedEvaluation:
    """Parse one line.

    Raise KeyError, TypeError, ValueError, or OverflowError for an invalid one.
    """
    log_e = tuple(map(_log_e, body["log_e"]))
    if len(log_e) != tasks or not all(_finite(e) for e in log_e):
        msg = f"evaluation {body['night']} does not have e-values for {tasks} tasks"
        raise ValueError(msg)
    items = body["items"]
    return RecordedEvaluation(
        log_e=log_e,
        scores=str(body["scores"]),
        items=None if items is None else tuple(map(str, items)),
    )

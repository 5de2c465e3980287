"""Which run a details file belongs to, and what the run's results file says about it."""

import re
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar.errors import ReadError
from nstar.readers._base import SourceDraft, Unit
from nstar.readers._common import TIME, above
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._tables._frame import arrow_errors
from nstar.readers._trouble import printable
from nstar.readers._values import brief, entry, listing, means_of, settings_of, text, whole

NAME = re.compile(rf"details_(?P<task>.+)_(?P<time>{TIME})\.parquet", re.DOTALL)
"""Name of a details file."""
RESULTS = re.compile(rf"results_{TIME}\.json")
"""Name of a results file."""

_TASK_SETTINGS = {
    "version": "version",
    "revision": "hf_revision",
    "splits": "evaluation_splits",
    "prompt": "prompt_function",
    "generation_size": "generation_size",
}


def is_nested(schema: pa.Schema) -> bool:
    """Whether the columns are those of 0.11 and later: doc, metric, model_response."""
    found = {f.name: f.type for f in schema if f.name in {"doc", "metric"}}
    if len(found) < 2 or not all(pa.types.is_struct(t) for t in found.values()):
        return False
    return {"id", "query", "task_name"} <= {f.name for f in found["doc"]}


def is_flat(schema: pa.Schema) -> bool:
    """Whether the columns are those of 0.10 and earlier.

    Files with ``hashes`` are older still, from the first Open LLM Leaderboard.
    """
    wanted = {"example", "full_prompt", "metrics"}
    return wanted <= set(schema.names) and "hashes" not in schema.names


@dataclass(frozen=True, slots=True)
class TaskName:
    """``suite|task:subject|few-shot``; the suite is left out since 0.13.

    Examples
    --------
    >>> name = TaskName.parse("lighteval|mmlu:anatomy|5|0")
    >>> name.suite, name.task, name.subject, name.shots
    ('lighteval', 'mmlu', 'anatomy', '5')
    """

    whole: str
    task: str
    subject: str | None
    suite: str | None
    shots: str

    @classmethod
    def parse(cls, whole: str) -> "TaskName":
        """The parts of a name."""
        words = whole.split("|")
        numbers = [w for w in words[1:] if w.isdecimal()]
        names = [w for w in words if w not in numbers] or [whole]
        task, _, subject = names[-1].partition(":")
        suite = names[-2] if len(names) > 1 else None
        return cls(whole, task, subject or None, suite, numbers[0] if numbers else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LightevalRun:
    """What is known of a details file before its rows are read."""

    model: str
    name: TaskName
    time: str
    results: Any = None
    """The results file, decoded."""
    notes: tuple[str, ...] = ()
    task: str = ""
    """Name of the task in the table."""

    @classmethod
    def find(cls, place: Place, read: dict[str, Any]) -> "LightevalRun":
        """From the file's name, its first row and the results file.

        Parameters
        ----------
        place
            The details file.
        read
            Results files decoded before, by path; grows.
        """
        match = NAME.fullmatch(place.name)
        folders = [f.name for f in above(place)][:4]
        time = match["time"] if match else ""
        if not time and folders and re.fullmatch(TIME, folders[0]):
            time = folders[0]
        named = match["task"] if match else place.name.removesuffix(".parquet")
        name = TaskName.parse(_task_in_rows(place) or printable(named))
        results = _results(place, time, read) if time else None
        model = text(entry(results, "config_general", "model_name"))
        if model is not None:
            return cls(model=model, name=name, time=time, results=results)
        model = _model_of_folders(folders)
        note = f"no results_{time}.json names the model; {model} is the name of its folder"
        return cls(model=model, name=name, time=time, results=results, notes=(note,))

    def told_apart(self, tasks: set[str]) -> "LightevalRun":
        """The run with its task's name for the table; these tasks need the few-shot number."""
        task = self.name.task
        return replace(self, task=f"{task}|{self.name.shots}" if task in tasks else task)

    def unit(self, place: Place) -> Unit:
        """What is to be read."""
        subject = self.name.subject
        return Unit(
            place=place,
            model=self.model,
            lent=bool(self.notes),
            task=f"{self.task}:{subject}" if subject else self.task,
            started=self.time,
            complete=self.limit is None,
            context=self,
        )

    @property
    def limit(self) -> str | None:
        """How the run was cut short on purpose."""
        value = entry(self.results, "config_general", "max_samples")
        return None if value is None else f"max_samples={brief(value)[:40]}"

    def describe(self, source: SourceDraft, metrics: list[str]) -> None:
        """Fill the record of the log, for these metrics."""
        sha = text(entry(self.results, "config_general", "lighteval_sha")) or ""
        source.harness = f"lighteval {sha.strip('?')[:40]}".rstrip()
        source.limited = self.limit
        source.notes += self.notes
        tasks = entry(self.results, "config_tasks")
        config = entry(tasks, self.name.whole) or entry(tasks, self.name.whole.rpartition("|")[0])
        source.declared_items = whole(entry(config, "original_num_docs")) or None
        source.settings = self._settings(config)
        how = _declared_metrics(config)
        means = [m for m in metrics if how.get(m, ("mean", True))[0] == "mean"]
        printed = {m: entry(self.results, "results", self.name.whole, m) for m in means}
        source.aggregates = means_of(printed)
        source.lower_is_better = tuple(m for m in metrics if how.get(m, ("", True))[1] is False)

    def _settings(self, config: Any) -> dict[str, str]:
        options = entry(self.results, "config_general", "model_config")
        found = {label: entry(config, key) for label, key in _TASK_SETTINGS.items()}
        found |= {
            "dataset": None if self.name.subject else entry(config, "hf_repo"),
            "few_shot": self.name.shots or None,
            "suite": self.name.suite,
            "system_prompt": entry(options, "system_prompt"),
            "temperature": entry(options, "generation_parameters", "temperature"),
        }
        return settings_of(found)


def _task_in_rows(place: Place) -> str | None:
    """``doc.task_name`` of the first row; ``None`` if there is none to be had."""
    try:
        with arrow_errors(place, "Parquet"), place.open() as file:
            log = pq.ParquetFile(file)
            if is_nested(log.schema_arrow):
                batch = next(log.iter_batches(1, columns=["doc.task_name"]), None)
                return batch and text(entry(batch.column("doc")[0].as_py(), "task_name"))
    except ReadError:
        pass  # whoever reads the rows will say what is wrong
    return None


def _results(place: Place, time: str, read: dict[str, Any]) -> Any:
    """The results file of the same run: beside it, or below results/ instead of details/."""
    name = f"results_{time}.json"
    tried = [place.sibling(name)]
    parts: list[str] = []
    for folder in list(above(place))[1:4]:
        if folder.name == "details":
            tried.append(folder.sibling("/".join(["results", *reversed(parts), name])))
        parts.append(folder.name)
    for candidate in tried:
        if candidate.path not in read and candidate.exists():
            read[candidate.path] = json_document(candidate)
        if candidate.path in read:
            return read[candidate.path]
    return None


def _model_of_folders(folders: list[str]) -> str:
    names = [f for f in folders if not re.fullmatch(TIME, f)]
    names = names[: names.index("details")] if "details" in names else names[:1]
    return printable("/".join(reversed(names))) or "unknown"


def _declared_metrics(config: Any) -> dict[str, tuple[Any, Any]]:
    """Per metric how it is aggregated and whether higher is better; some come in groups."""
    listed = entry(config, "metrics") or entry(config, "metric")
    out: dict[str, tuple[Any, Any]] = {}
    for metric in listing(listed):
        names = entry(metric, "metric_name")
        both = entry(metric, "corpus_level_fn"), entry(metric, "higher_is_better")
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                fn, better = (entry(v, name) if isinstance(v, dict) else v for v in both)
                out[name] = (fn, better)
    return out

"""Read the results file: model, groups of tasks, settings, completeness, and means."""

import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from nstar._data.findings import LABELED
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import (
    entry,
    finite,
    listing,
    mapping,
    means_of,
    settings_of,
    text,
    whole_number,
)

_MOST_GROUPS = 1000
"""Maximum number of groups in a results file, because the tree is walked once per group."""


def benchmarks(results: Any) -> dict[str, str]:
    """Return the outermost group of each task that lm-eval averages over all its tasks.

    A group counts if it averages a metric that every task below it has. Therefore the 57 subjects
    of ``mmlu`` belong together. The benchmarks below ``leaderboard`` do not, because each has its
    own metrics, and neither do tasks that only share a tag.
    """
    largest: dict[str, tuple[int, str]] = {}
    for group, n_below, tasks, _ in _averaged(results):
        for task in tasks:
            largest[task] = max(largest.get(task, (0, "")), (n_below, group))
    return {task: group for task, (_, group) in largest.items()}


def unweighted_groups(results: Any) -> set[str]:
    """Return the groups in which lm-eval averages the means of the tasks, not the items.

    The file does not record ``weight_by_size``, so the printed score of the group decides.
    """
    scores, averages = mapping(results.results), mapping(results.groups)
    unweighted = set()
    for group, _, tasks, keys in _averaged(results):
        sizes = [whole_number(entry(results.n_samples, task, "effective")) or 0 for task in tasks]
        printed = mapping(averages.get(group) or scores.get(group))
        for key in keys if all(sizes) else ():
            means = [scores[task][key] for task in tasks]
            plain = sum(means) / len(means)
            pooled = sum(map(operator.mul, means, sizes)) / sum(sizes)
            if _same(printed[key], plain) and not _same(printed[key], pooled):
                unweighted.add(group)
    return unweighted


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def _averaged(results: Any) -> Iterator[tuple[str, int, list[str], set[str]]]:
    """Yield each group that averages metrics of all its tasks.

    A group comes with the number of groups and tasks in it, its tasks, and those metrics.
    """
    listed = mapping(results.group_subtasks)
    children = {
        g: [c for c in cs if isinstance(c, str)] for g, cs in listed.items() if listing(cs)
    }
    if len(children) > _MOST_GROUPS:
        return
    scores = mapping(results.results)
    averages = mapping(results.groups)
    for group in children:
        below = _below(group, children)
        tasks = [t for t in below if t not in children and t in scores]
        keys = _numbers(averages.get(group) or scores.get(group))
        for task in tasks:
            keys &= _numbers(scores[task])
        if keys and tasks:
            yield group, len(below), tasks, keys


def _below(group: str, children: Mapping[str, list[str]]) -> set[str]:
    """Return the groups and tasks in a group, at any depth.

    A group that contains itself is allowed.
    """
    visited: set[str] = set()
    waiting = [group]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in visited and child != group:
                visited.add(child)
                waiting.append(child)
    return visited


def _numbers(values: Any) -> set[str]:
    """Return the ``metric,filter`` keys of an entry whose values are numbers."""
    items = mapping(values).items()
    return {k for k, v in items if "," in k and "_stderr," not in k and finite(v) is not None}


# The order of lm-eval: adapters and deltas are listed with the model that they change.
_MODEL_KEYS = ("peft", "delta", "pretrained", "model", "path", "engine")
_RANDOM_NAME = re.compile(r"[a-z0-9]{8}")
_RANDOM_FOLDER = re.compile(r"[a-z0-9]{8}|tmp[a-z0-9_]{6,8}|[0-9a-f]{12,64}|[0-9a-f-]{36}")
"""Regular expression of lm-eval's random names, temporary folders, digests, and UUIDs."""
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_MEANS = frozenset({"mean", "nanmean"})
_MEAN_BY_DEFAULT = frozenset(
    {"acc", "acc_all", "acc_bytes", "acc_mutual_info", "acc_norm", "exact_match", "likelihood"}
)

PLACEHOLDER = "bypass"
"""Metric of runs with ``--predict_only``."""

NO_RESULTS = (
    f"{LABELED}no results file beside it, so model name from the folder, no completeness or "
    "aggregate check"
)
NO_NAME = f"{LABELED}the log names no model; label it with NAME=PATH"


class Results(msgspec.Struct, kw_only=True):
    """Keys of a results file that are used. Their values are untrusted."""

    results: Any = None
    groups: Any = None
    group_subtasks: Any = None
    configs: Any = None
    versions: Any = None
    n_shot: Any = msgspec.field(default=None, name="n-shot")
    n_samples: Any = msgspec.field(default=None, name="n-samples")
    higher_is_better: Any = None
    config: Any = None
    model_name: Any = None
    chat_template_sha: Any = None
    system_instruction_sha: Any = None
    fewshot_as_multiturn: Any = None
    lm_eval_version: Any = None
    date: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsHeader:
    """Description of one samples file before its rows are read."""

    leaf: str
    """The task that lm-eval ran."""
    model: str
    lent: bool = False
    """Whether the model is named after the folder."""
    random_name: str = ""
    """Random name that lm-eval gave an unnamed model, while ``model`` is the kind of model."""
    shots: str = ""
    """Number of examples in the prompt."""
    group: str | None = None
    """Group of tasks that lm-eval averages and that contains this task."""
    version: str = ""
    """Version of lm-eval."""
    started: str = ""
    """Time in the file name, or the date of the results file."""
    items: int | None = None
    """Number of documents of the task."""
    limited: str | None = None
    """Description of how the run was limited on purpose."""
    settings: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, float] = field(default_factory=dict)
    """Means by lm-eval over documents, for each ``metric,filter``."""
    lower_is_better: frozenset[str] = frozenset()
    """Metrics in which lower is better, without their filter."""
    higher_is_better: frozenset[str] = frozenset()
    """Metrics in which higher is better, without their filter."""
    metrics: tuple[str, ...] = ()
    """Metrics of the task's configuration, because rows before 0.4.7 do not list theirs."""
    filters: tuple[str, ...] = ()
    """Filters in the order of rows before 0.4.7; empty if unknown."""
    notes: tuple[str, ...] = ()
    has_shots_in_task: bool = False
    """Whether the task's name must include the number of examples."""

    @property
    def task(self) -> str:
        """Return the name of the benchmark in the table."""
        return self._named(self.group or self.leaf)

    @property
    def unit(self) -> str:
        """Return a name of the run that identifies rival runs."""
        return self._named(self.leaf)

    @property
    def complete(self) -> bool:
        """Return whether all documents were run and scored."""
        return self.limited is None and self.metrics != (PLACEHOLDER,)

    def _named(self, name: str) -> str:
        return f"{name}|{self.shots}" if self.has_shots_in_task and self.shots else name


def load(place: Place) -> Results:
    """Return the contents of a results file."""
    try:
        results = json_document(place, Results)
    except ReadError as error:
        msg = f"{str(error).rstrip('.')}. To read the samples without this file, move it away."
        raise ReadError(msg) from error
    if not isinstance(results.results, dict):
        msg = (
            f"{place}: no object under the key 'results', so this is not a results "
            "file of lm-eval. To read the samples without this file, move it away."
        )
        raise ReadError(msg)
    return results


def header(results: Results, leaf: str, *, time: str, folder: str) -> ResultsHeader:
    """Return the header of one task in a results file.

    ``time`` is the time in the file name, if any. ``folder`` names the model if nothing else does.
    """
    config = mapping(entry(results.configs, leaf))
    metrics = _dicts(config.get("metric_list"))
    filters = _names(_dicts(config.get("filter_list")), "name")
    better = mapping(entry(results.higher_is_better, leaf))
    model, random_name, notes = _model(results, folder)
    items, limited = _limit(results, leaf)
    settings = _settings(results, leaf, config)
    return ResultsHeader(
        leaf=leaf,
        model=model,
        lent=model == folder and bool(notes),
        random_name=random_name,
        shots=settings.get("n-shot", ""),
        version=text(results.lm_eval_version) or "",
        started=time or _date(results.date),
        items=items,
        limited=limited,
        settings=settings,
        means=_means(mapping(entry(results.results, leaf)), metrics),
        lower_is_better=frozenset(name for name, higher in better.items() if higher is False),
        higher_is_better=frozenset(name for name, higher in better.items() if higher is True),
        metrics=_names(metrics, "metric"),
        filters=filters or ("none",),
        notes=(*notes, *_repeats(config.get("repeats"))),
    )


def old_task(results: Results, stem: str) -> str | None:
    """Return the task whose samples lm-eval before 0.4.3 wrote to a file with this stem.

    There is none if a later run with another model has overwritten the results file.
    """
    arguments = entry(results.config, "model_args")
    if not isinstance(arguments, str):
        return None
    prefix = re.sub("/|=", "__", arguments)
    return next((t for t in mapping(results.configs) if f"{prefix}_{t}" == stem), None)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [v for v in listing(value) if isinstance(v, dict)]


def _names(entries: Iterable[dict[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(e[key] for e in entries if isinstance(e.get(key), str))


def _model(results: Results, folder: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the model's name, a random name that it replaces, and a note if it has no name."""
    arguments = _arguments(entry(results.config, "model_args"))
    model_name = next((arguments[k] for k in _MODEL_KEYS if arguments.get(k)), "")
    name = text(results.model_name) or ""
    if _RANDOM_NAME.fullmatch(name) or not name:
        if not model_name:
            return _kind(results, name or folder)
        name = model_name
    revision = arguments.get("revision", "main")
    if revision in {"", "main"} or _COMMIT.fullmatch(revision):
        return name, "", ()
    return f"{name}@{revision}", "", ()


def _kind(results: Results, label: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the kind of model (``dummy``, ``hf``) in place of a random name. Other names stay."""
    kind = text(entry(results.config, "model"))
    if kind and "<" not in kind and _RANDOM_FOLDER.fullmatch(label):
        return kind, label, (NO_NAME,)
    return label, "", (NO_NAME,)


def _arguments(value: Any) -> dict[str, str]:
    """Return ``model_args``: an object, its JSON, or text like ``pretrained=a/b,dtype=float``."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(msgspec.DecodeError, RecursionError):
            value = msgspec.json.decode(value)
    if isinstance(value, str):
        pairs = (part.partition("=") for part in value.split(","))
        return {key.strip(): setting.strip() for key, _, setting in pairs}
    return {k: v for k, v in mapping(value).items() if isinstance(v, str)}


def _limit(results: Results, leaf: str) -> tuple[int | None, str | None]:
    """Return the number of documents of the task, and how the run was limited."""
    original = whole_number(entry(results.n_samples, leaf, "original"))
    effective = whole_number(entry(results.n_samples, leaf, "effective"))
    limit = finite(entry(results.config, "limit"))
    words = None if limit is None else f"limit={limit:g}"
    if original is None or effective is None:
        return original, words
    if effective >= original:
        return original, None
    return original, words or f"{effective} of {original} items"


def _settings(results: Results, leaf: str, config: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that should agree between compared models."""
    shots = entry(results.n_shot, leaf)
    values = {
        "n-shot": shots,
        "version": entry(results.versions, leaf),
        "chat_template_sha": (text(results.chat_template_sha) or "")[:8],
        "system_instruction_sha": (text(results.system_instruction_sha) or "")[:8],
        "fewshot_as_multiturn": results.fewshot_as_multiturn if shots else None,
        "gen_kwargs": config.get("generation_kwargs") or entry(results.config, "gen_kwargs"),
        "dataset_path": config.get("dataset_path"),
        "dataset_name": config.get("dataset_name"),
        "output_type": config.get("output_type"),
    }
    return settings_of(values)


def _means(values: Mapping[str, Any], metrics: list[dict[str, Any]]) -> dict[str, float]:
    """Return the aggregates that are plain means over documents."""
    metric_entries = [m for m in metrics if isinstance(m.get("metric"), str)]
    kinds = {m["metric"]: m.get("aggregation") for m in metric_entries}
    parts = {label: label.partition(",") for label in values}
    return means_of(
        {k: values[k] for k, (m, comma, _) in parts.items() if comma and _is_mean(m, kinds.get(m))}
    )


def _is_mean(metric: str, aggregation: Any) -> bool:
    if aggregation is None:
        return metric in _MEAN_BY_DEFAULT
    return isinstance(aggregation, str) and aggregation in _MEANS


def _repeats(value: Any) -> tuple[str, ...]:
    count = finite(value)
    if count is None or count <= 1:
        return ()
    return (
        f"repeats: {count:g} responses per item were reduced to one score by the "
        "filter; run-to-run variance cannot be recovered from this log",
    )


def _date(value: Any) -> str:
    """Return seconds since 1970 as text that sorts chronologically."""
    seconds = finite(value)
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H-%M-%S")
    except (OverflowError, ValueError, OSError):
        return ""

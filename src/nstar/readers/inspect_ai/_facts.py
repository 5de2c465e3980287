"""What the header of an Inspect log says about the run: settings, means, names."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from nstar.readers._base import SourceDraft, content_key
from nstar.readers._values import brief, entry, finite, listing, mapping, settings_of, whole_number
from nstar.readers.inspect_ai._log import Header

_CONFIG = (
    "message_limit",
    "token_limit",
    "turn_limit",
    "time_limit",
    "working_limit",
    "cost_limit",
    "score_on_error",
)
"""Limits and rules of the run that change scores."""
_GENERATE = (
    "system_message",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "stop_seqs",
    "best_of",
    "num_choices",
    "reasoning_effort",
    "reasoning_tokens",
    "reasoning_history",
    "effort",
    "verbosity",
    "response_schema",
    "extra_body",
)
"""How the model was asked to generate; what concerns speed only is not in it."""
_SECRET = re.compile(
    r"(?:\b|_)(?:key|token|secret|password|credentials?|auth\w*|headers?)\Z", re.I
)
"""Names of arguments that are nobody's business."""


def _word(value: Any) -> str:
    """A value as part of a name."""
    text = brief(value)
    return text if len(text) <= 40 else f"{text[:31]}…{content_key(text) >> 32:08x}"


def epochs(header: Header) -> int | None:
    """Runs of each item that were planned."""
    return whole_number(entry(header.eval.config, "epochs"))


def limited(header: Header) -> str | None:
    """How the run was cut short on purpose."""
    config = mapping(header.eval.config)
    limits = {name: config.get(name) for name in ("limit", "sample_id")}
    return ", ".join(f"{k}={_word(v)}" for k, v in limits.items() if v is not None) or None


def is_complete(header: Header) -> bool:
    """Whether every sample of the dataset was run, and scored if it came through."""
    scored = bool(entry(header.results, "scores"))
    ended = header.status == "success" and not _drained(header)
    return ended and scored and limited(header) is None and stopped(header) is None


def stopped(header: Header) -> str | None:
    """Who stopped the run early because of its scores."""
    manager, stops = (
        entry(header.results, "early_stopping", key) for key in ("manager", "early_stops")
    )
    left = len(listing(stops))
    return f"by {_word(manager)}, {left:,} samples not run" if left else None


def _drained(header: Header) -> bool:
    """Whether somebody ended the run gracefully before all samples had begun."""
    logged = whole_number(entry(header.results, "logged_samples"))
    total = whole_number(entry(header.results, "total_samples"))
    return logged is not None and total is not None and logged < total


def started(header: Header) -> str:
    """When the run began, in UTC."""
    created = header.eval.created
    if not isinstance(created, str):
        return ""
    try:
        moment = datetime.fromisoformat(created)
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return created


def describe(header: Header, source: SourceDraft) -> None:
    """Write into the record what the header says, except for means."""
    spec = header.eval
    version = entry(spec.packages, "inspect_ai")
    source.harness = f"inspect-ai {version}" if isinstance(version, str) else "inspect-ai"
    source.status = _word(header.status)
    source.limited, source.stopped = limited(header), stopped(header)
    source.declared_items = whole_number(spec.dataset.samples) if spec.dataset else None
    source.declared_runs = epochs(header)
    source.settings = _settings(header)
    reason = entry(header.error, "message")
    if reason is not None:
        source.notes.append(f"the run ended with {brief(reason)}")
    if _drained(header):
        source.notes.append("the run was drained: samples that had not started are missing")
    if header.invalidated is True:
        source.notes.append("samples marked invalid in this log are excluded")


def _settings(header: Header) -> dict[str, str]:
    spec = header.eval
    config = mapping(spec.config)
    packages = {k: v for k, v in mapping(spec.packages).items() if k != "inspect_ai"}
    values = {
        "dataset": spec.dataset.name if spec.dataset else None,
        "task_version": spec.task_version,
        "task_args": _given(spec.task_args),
        "solver": _solver(header),
        "epochs": config.get("epochs"),
        "epochs_reducer": config.get("epochs_reducer"),
        **{name: config.get(name) for name in _CONFIG},
        **_generation(header),
        "model_args": _given(spec.model_args),
        "packages": packages,
    }
    return settings_of({name: value for name, value in values.items() if value is not False})


def _given(arguments: Any) -> dict[str, Any]:
    """Arguments that were given and may be shown."""
    items = mapping(arguments).items()
    return {k: v for k, v in items if v is not None and not _SECRET.search(k)}


def _solver(header: Header) -> str:
    """The solver given for the run, else the steps of the plan, with what was passed to each."""
    spec = header.eval
    if isinstance(spec.solver, str):
        return _call(spec.solver, spec.solver_args)
    steps = map(mapping, listing(entry(header.plan, "steps")))
    return " > ".join(_call(_word(s.get("solver")), s.get("params_passed")) for s in steps)


def _call(name: str, arguments: Any) -> str:
    call_arguments = _given(arguments)
    return f"{name}({_pairs(call_arguments)})" if call_arguments else name


def _pairs(values: Mapping[str, Any]) -> str:
    return ",".join(f"{k}={_word(v)}" for k, v in values.items())


def _generation(header: Header) -> dict[str, Any]:
    planned = mapping(entry(header.plan, "config"))
    settings = mapping(header.eval.model_generate_config) | planned
    return {
        name: settings[name] for name in (*_GENERATE, "seed") if settings.get(name) is not None
    }


def aggregates(header: Header, with_parts: Collection[str]) -> dict[str, float]:
    """Means that Inspect printed, over items of the mean over epochs, by metric.

    ``with_parts`` are scorers whose values are objects: Inspect names their means after the
    part alone.
    """
    if entry(header.eval.config, "epochs_reducer") == [] and epochs(header) != 1:
        return {}  # nothing was reduced: these are means over samples
    values: dict[str, dict[bool, float]] = {}
    for printed in listing(entry(header.results, "scores")):
        name, scorer, reducer = (entry(printed, key) for key in ("name", "scorer", "reducer"))
        value = _mean(entry(printed, "metrics"))
        if value is None or not isinstance(name, str) or reducer not in (None, "mean"):
            continue
        parted = isinstance(scorer, str) and scorer in with_parts
        metric = f"{scorer}.{name}" if parted else name
        values.setdefault(metric, {})[reducer == "mean"] = value
    return {metric: v[True] if True in v else v[False] for metric, v in values.items()}


def _mean(metrics: Any) -> float | None:
    """Accuracy or mean; not that of a group of items which bears the same name."""
    plain = [m for m in ("accuracy", "mean") if entry(metrics, m, "group") is None]
    values = [finite(entry(metrics, name, "value")) for name in plain]
    return next((value for value in values if value is not None), None)


def scorers(header: Header) -> list[str]:
    """Metrics that were planned, as far as the header names them."""
    planned_metrics = []
    for scorer in map(mapping, listing(header.eval.scorers)):
        name, metrics = scorer.get("name"), scorer.get("metrics")
        if not isinstance(name, str):
            continue
        mixed = [mapping(m) for m in listing(metrics)]
        parts = mapping(metrics) or {k: 0 for m in mixed if "name" not in m for k in m}
        planned_metrics += (
            [f"{name}.{part}" for part in parts if "*" not in part] if parts else [name]
        )
    return planned_metrics


def names_apart(headers: Sequence[Header]) -> list[tuple[str, str]]:
    """(model, task) of each log, with what was varied where one name stands for several.

    One task run with several arguments by one model is several tasks; one model run with
    several generation settings on one task is several models.
    """
    models = [h.eval.model for h in headers]
    tasks = _apart(
        [h.eval.task for h in headers],
        models,
        [{k: _word(v) for k, v in _given(h.eval.task_args).items()} for h in headers],
    )
    models = _apart(models, tasks, [_manner(h) for h in headers])
    return list(zip(models, tasks, strict=True))


def _manner(header: Header) -> dict[str, str]:
    """What makes two runs of one model runs of two systems; a seed does not."""
    values = {k: v for k, v in _generation(header).items() if k != "seed"}
    values |= _given(header.eval.model_args)
    return {k: _word(v) for k, v in values.items()} | {"solver": _word(_solver(header))}


def _apart(
    names: Sequence[str], within: Sequence[str], details: Sequence[Mapping[str, str]]
) -> list[str]:
    """Names, with the details that vary where one name has several within one of the others."""
    together: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for name, other, detail in zip(names, within, details, strict=True):
        together.setdefault((name, other), []).append(detail)
    varied: dict[str, dict[str, None]] = {name: {} for name in names}
    for (name, _), details_of_name in together.items():
        keys = dict.fromkeys(key for detail in details_of_name for key in detail)
        varied[name] |= {k: None for k in keys if len({d.get(k) for d in details_of_name}) > 1}
    detail_texts = (
        _pairs({k: detail[k] for k in varied[name] if k in detail})
        for name, detail in zip(names, details, strict=True)
    )
    return [
        f"{name}[{detail_text}]" if detail_text else name
        for name, detail_text in zip(names, detail_texts, strict=True)
    ]

"""Extract settings, means, and names of a run from the header of an Inspect log."""

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
"""Limits and rules of the run that affect scores."""
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
"""Generation settings of the model, without those that affect only speed."""
_SECRET = re.compile(
    r"(?:\b|_)(?:key|token|secret|password|credentials?|auth\w*|headers?)\Z", re.I
)
"""Regular expression of names of arguments that may be secret."""


def _word(value: Any) -> str:
    """Return a value as part of a name."""
    text = brief(value)
    return text if len(text) <= 40 else f"{text[:31]}…{content_key(text) >> 32:08x}"


def epochs(header: Header) -> int | None:
    """Return the number of planned runs of each item."""
    return whole_number(entry(header.eval.config, "epochs"))


def limited(header: Header) -> str | None:
    """Return a description of how the run was limited on purpose, if it was."""
    config = mapping(header.eval.config)
    limits = {name: config.get(name) for name in ("limit", "sample_id")}
    return ", ".join(f"{k}={_word(v)}" for k, v in limits.items() if v is not None) or None


def is_complete(header: Header) -> bool:
    """Return whether every sample of the dataset was run, and scored if the run succeeded."""
    scored = bool(entry(header.results, "scores"))
    ended = header.status == "success" and not _ended_gracefully(header)
    return ended and scored and limited(header) is None and stopped(header) is None


def stopped(header: Header) -> str | None:
    """Return what stopped the run early because of its scores, if anything did."""
    manager, stops = (
        entry(header.results, "early_stopping", key) for key in ("manager", "early_stops")
    )
    left = len(listing(stops))
    return f"by {_word(manager)}, {left:,} samples not run" if left else None


def _ended_gracefully(header: Header) -> bool:
    """Return whether a user ended the run gracefully before all samples had started."""
    logged = whole_number(entry(header.results, "logged_samples"))
    total = whole_number(entry(header.results, "total_samples"))
    return logged is not None and total is not None and logged < total


def started(header: Header) -> str:
    """Return the start of the run, in UTC."""
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
    """Store the information of the header in the record, except means."""
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
    if _ended_gracefully(header):
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
        "task_args": _public_arguments(spec.task_args),
        "solver": _solver(header),
        "epochs": config.get("epochs"),
        "epochs_reducer": config.get("epochs_reducer"),
        **{name: config.get(name) for name in _CONFIG},
        **_generation(header),
        "model_args": _public_arguments(spec.model_args),
        "packages": packages,
    }
    return settings_of({name: value for name, value in values.items() if value is not False})


def _public_arguments(arguments: Any) -> dict[str, Any]:
    """Return the arguments that were set and may be shown."""
    items = mapping(arguments).items()
    return {k: v for k, v in items if v is not None and not _SECRET.search(k)}


def _solver(header: Header) -> str:
    """Return the solver of the run, or the steps of its plan, with their arguments."""
    spec = header.eval
    if isinstance(spec.solver, str):
        return _call(spec.solver, spec.solver_args)
    steps = map(mapping, listing(entry(header.plan, "steps")))
    return " > ".join(_call(_word(s.get("solver")), s.get("params_passed")) for s in steps)


def _call(name: str, arguments: Any) -> str:
    call_arguments = _public_arguments(arguments)
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
    """Return the means that Inspect reports for each metric: over items, of means over epochs.

    ``with_parts`` are scorers whose values are objects. Inspect names their means after the part
    only.
    """
    if entry(header.eval.config, "epochs_reducer") == [] and epochs(header) != 1:
        return {}  # without a reducer, these are means over samples
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
    """Return the accuracy or mean, but not one of a group of items with the same name."""
    plain = [m for m in ("accuracy", "mean") if entry(metrics, m, "group") is None]
    values = [finite(entry(metrics, name, "value")) for name in plain]
    return next((value for value in values if value is not None), None)


def scorers(header: Header) -> list[str]:
    """Return the planned metrics, as far as the header names them."""
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
    """Return (model, task) for each log, with the settings that differ between logs of one name.

    If one model ran a task with several sets of arguments, they are different tasks. If it ran a
    task with several generation settings, they are different models.
    """
    models = [h.eval.model for h in headers]
    tasks = _apart(
        [h.eval.task for h in headers],
        models,
        [{k: _word(v) for k, v in _public_arguments(h.eval.task_args).items()} for h in headers],
    )
    models = _apart(models, tasks, [_system_settings(h) for h in headers])
    return list(zip(models, tasks, strict=True))


def _system_settings(header: Header) -> dict[str, str]:
    """Return the settings that make two runs of one model different systems, without the seed."""
    values = {k: v for k, v in _generation(header).items() if k != "seed"}
    values |= _public_arguments(header.eval.model_args)
    return {k: _word(v) for k, v in values.items()} | {"solver": _word(_solver(header))}


def _apart(
    names: Sequence[str], within: Sequence[str], details: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the names, with the details that vary among logs with the same name."""
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

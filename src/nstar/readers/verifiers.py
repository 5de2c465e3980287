"""Read verifiers logs: ``results.jsonl`` with ``metadata.json``, and since v1 ``traces.jsonl``.

Before v1, a line is a rollout with ``reward`` and a column for each reward function. Rollouts of
one example are runs, in order. In v1, a line is an *episode* of a task with the traces of its
agents. The reward of a trace is the weighted sum of its ``rewards``. A trace that is not ``ok``
has no reward, and verifiers leaves it out of its mean.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import (
    balanced,
    begins,
    first_of,
    folder_name,
    inspection_journal,
    run_label,
)
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_lines
from nstar.readers._values import (
    ScoreCheck,
    canonical,
    entry,
    item_name,
    listing,
    mapping,
    means_of,
    number,
    seconds,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_MEND = "expected a number or text"


class _Reader:
    name = "verifiers"

    def sniff(self, place: Place, head: bytes) -> Role:
        if place.name == "metadata.json" and begins(head, b"{", "model", "rollouts_per_example"):
            return "companion"
        episode = begins(head, b"{", "env", "task", "traces")
        if episode and place.name.startswith("traces.jsonl"):
            return "log"
        rollout = begins(head, b"{", "prompt", "completion", "reward")
        return "log" if rollout and place.name.startswith("results.jsonl") else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        for place in places:
            yield (
                _unit_of_v1(place, journal)
                if place.name.startswith("traces")
                else _unit_before_v1(place)
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        meta: dict[str, Any] | None = unit.context
        source = journal.source(unit.place, self.name, harness="verifiers", model=unit.model)
        source.task = unit.task
        if meta is None:
            source.harness = "verifiers v1"
            rollouts = _traces(unit.place, journal)
        else:
            source.declared_items = whole_number(meta.get("num_examples"))
            source.declared_runs = whole_number(meta.get("rollouts_per_example"))
            source.settings = settings_of({"sampling": meta.get("sampling_args")})
            means = {k.removeprefix("avg_"): v for k, v in meta.items() if k.startswith("avg_")}
            rollouts = _rollouts(unit.place, tuple({"reward": None, **means}), journal)
        check = ScoreCheck(unit.place, journal, source.drop)
        rows = Rows("item", "run", "content", "latency_s", "metric", "score")
        tries: Counter[str] = Counter()
        for line, item, content, latency, values in rollouts:
            tries[item] += 1
            attributes = (item, run_label(unit.run, str(tries[item])), content, latency)
            for metric, value in values.items():
                for score in (None,) if value is None else check(metric, value, line):
                    rows.add(*attributes, metric, score)
            if rows.full:
                yield rows.batch(model=unit.model, task=unit.task)
        if meta is not None and balanced(tries.elements()):
            source.aggregates = means_of(means)
        yield rows.batch(model=unit.model, task=unit.task)


_Rollout = tuple[int, str, int | None, float | None, dict[str, Any]]
"""Line, item, content, seconds, and the score of each metric; ``None`` for no score."""


def _unit_before_v1(place: Place) -> Unit:
    """Return a run before v1, from its metadata or the folder ``ENV--MODEL``."""
    beside = place.sibling("metadata.json")
    meta = json_document(beside, dict[str, Any]) if beside.exists() else {}
    env, _, model = folder_name(place.folder).partition("--")
    return Unit(
        place=place,
        model=text(meta.get("model")) or model or env,
        lent=text(meta.get("model")) is None,
        task=text(meta.get("env_id")) or text(meta.get("env")) or (env if model else "verifiers"),
        started=text(meta.get("date")) or "",
        context=meta,
    )


def _rollouts(place: Place, metrics: tuple[str, ...], journal: Journal) -> Iterator[_Rollout]:
    for line, row in json_lines(place, dict[str, Any], journal):
        id_value = row.get("example_id", row.get("id"))
        item = item_name(id_value)
        if item is None:
            journal.bad_row(place, line, unfit("id", id_value, _MEND))
            continue
        prompt = row.get("prompt")
        content = None if prompt is None else content_key(canonical(prompt))
        latency = seconds(row.get("generation_ms"), per_second=1000)
        yield line, item, content, latency, {m: row[m] for m in metrics if m in row}


def _unit_of_v1(place: Place, journal: Journal) -> Unit:
    """Return a run of v1, from the first episode with a trace, whose agent names the model."""
    first = first_of(json_lines(place, dict[str, Any], inspection_journal(journal))) or {}
    file = place.sibling("configs/resolved/eval.json")
    config = json_document(file, Any) if file.exists() else None
    agents = [entry(t, "agent", "config", "model") for t in listing(first.get("traces"))]
    model = text(entry(config, "model")) or next(filter(text, agents), None)
    env = text(entry(first, "env", "name")) or text(entry(first, "env", "id")) or "verifiers"
    return Unit(place=place, model=model or folder_name(place), lent=model is None, task=env)


def _traces(place: Place, journal: Journal) -> Iterator[_Rollout]:
    for line, episode in json_lines(place, dict[str, Any], journal):
        data = mapping(entry(episode, "task", "data"))
        item = next(filter(None, map(item_name, (data.get("id"), data.get("idx")))), None)
        item = item or text(entry(episode, "task", "key"))
        if item is None:
            journal.bad_row(place, line, unfit("task.data.id", data.get("id"), _MEND))
            continue
        known = text(entry(episode, "task", "hash"))
        traces = listing(episode.get("traces"))
        has_many = len(traces) > 1
        values: dict[str, Any] = {} if traces else {"reward": journal.error_score("missing")}
        for trace in traces:
            agent = f"{text(entry(trace, 'agent', 'name')) or 'agent'}/" if has_many else ""
            values |= {agent + name: value for name, value in _rewards(trace, journal).items()}
        yield line, item, None if known is None else content_key(known), None, values


def _rewards(trace: Any, journal: Journal) -> dict[str, Any]:
    """Return the reward of a trace, and its components."""
    if entry(trace, "ok") is False:
        return {"reward": journal.error_score("missing")}
    rewards = mapping(entry(trace, "rewards"))
    parts = {name: number(entry(reward, "score")) for name, reward in rewards.items()}
    weights = [number(entry(reward, "weight")) for reward in rewards.values()]
    pairs = zip(parts.values(), weights, strict=True)
    reward = sum(s * (1.0 if w is None else w) for s, w in pairs if s is not None)
    return {"reward": reward, **(parts if len(parts) > 1 else {})}


READER = _Reader()

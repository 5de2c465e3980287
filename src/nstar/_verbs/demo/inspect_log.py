"""Generate two Inspect logs of one task: of the model in use, and of its possible replacement."""

import io
import json
import math
import zipfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from nstar._verbs.demo.portable_random import PortableRandom, easiest

_SAMPLES = 400
_TASK = "helpdesk"
_TOPICS = ("billing", "login", "shipping", "returns", "warranty")
_LOGS = {"baseline": ("demo/lark", 290), "candidate": ("demo/lark-2", 298)}
"""Model of each log, and the number of samples that it answers correctly."""
_TIME = "2026-01-15T10:00:00+00:00"
_USED = {"input_tokens": 30, "output_tokens": 4, "total_tokens": 34}


def _id(*parts: object) -> str:
    """Return a short id like Inspect's, which is the same every time."""
    return sha256(repr(parts).encode()).hexdigest()[:22]


def _outcomes() -> dict[str, list[int]]:
    """Return the outcomes of both models, with shared and individual difficulty of samples."""
    chance = PortableRandom(_TASK)
    shared = [chance.normal() for _ in range(_SAMPLES)]
    outcomes = {}
    for log, (_, right) in _LOGS.items():
        rng = PortableRandom(log)
        ease = [easy + 0.4 * rng.normal() for easy in shared]
        outcomes[log] = easiest(ease, right)
    return outcomes


def _summary(k: int, model: str, score: int) -> dict[str, Any]:
    """Return the summary of a sample in ``summaries.json``."""
    topic, target = _TOPICS[k % len(_TOPICS)], str(100 + k)
    answer = target if score else str(101 + k)
    return {
        "id": f"ticket-{k + 1:03d}",
        "epoch": 1,
        "input": f"Synthetic ticket {k + 1} about {topic}: which article answers it?",
        "target": target,
        "metadata": {"topic": topic},
        "scores": {"match": {"value": "C" if score else "I", "answer": answer, "history": []}},
        "model_usage": {model: _USED},
        "role_usage": {},
        "started_at": _TIME,
        "completed_at": _TIME,
        "total_time": 0.5,
        "working_time": 0.5,
        "uuid": _id(model, k),
        "retries": 0,
        "completed": True,
        "message_count": 2,
        "turn_count": 1,
    }


def _sample(model: str, summary: dict[str, Any]) -> dict[str, Any]:
    """Return a complete sample with its question and answer."""
    answer = summary["scores"]["match"]["answer"]
    reply = {
        "id": _id(model, summary["id"], "reply"),
        "content": answer,
        "source": "generate",
        "role": "assistant",
        "model": model,
    }
    prompt = {
        "id": _id(model, summary["id"], "asked"),
        "content": summary["input"],
        "source": "input",
        "role": "user",
    }
    left_out = ("retries", "completed", "message_count")
    return {key: value for key, value in summary.items() if key not in left_out} | {
        "messages": [prompt, reply],
        "output": {
            "model": model,
            "choices": [{"message": reply, "stop_reason": "stop"}],
            "completion": answer,
            "usage": _USED,
            "time": 0.5,
        },
        "store": {},
        "events": [],
        "attachments": {},
        "error_retries": [],
    }


def _start(log: str, model: str, ids: Sequence[str]) -> dict[str, Any]:
    """Return the header that is known before the first sample."""
    metrics = [{"name": f"inspect_ai/{m}", "options": {}} for m in ("accuracy", "stderr")]
    return {
        "version": 2,
        "eval": {
            "eval_id": _id(log, "eval"),
            "run_id": _id(log, "run"),
            "created": _TIME,
            "task": _TASK,
            "task_id": _id(log, "task"),
            "task_version": 0,
            "task_display_name": _TASK,
            "task_registry_name": _TASK,
            "task_attribs": {},
            "task_args": {},
            "task_args_passed": {},
            "dataset": {
                "name": _TASK,
                "samples": len(ids),
                "sample_ids": list(ids),
                "shuffled": False,
            },
            "model": model,
            "model_generate_config": {},
            "model_args": {},
            "config": {"epochs": 1, "fail_on_error": True, "log_samples": True},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [{"name": "match", "options": {}, "metrics": metrics, "metadata": {}}],
        },
        "plan": {
            "name": "plan",
            "steps": [{"solver": "generate", "params": {}, "params_passed": {}}],
            "config": {},
        },
    }


def _header(start: dict[str, Any], scores: Sequence[int]) -> dict[str, Any]:
    """Return the header that is known after the last sample."""
    n, mean = len(scores), sum(scores) / len(scores)
    means = {"accuracy": mean, "stderr": math.sqrt(mean * (1 - mean) / (n - 1))}
    used = {key: n * value for key, value in _USED.items()}
    match = {
        "name": "match",
        "scorer": "match",
        "scored_samples": n,
        "unscored_samples": 0,
        "params": {},
        "metrics": {m: {"name": m, "value": v, "params": {}} for m, v in means.items()},
    }
    return {
        "version": start["version"],
        "status": "success",
        "eval": start["eval"],
        "plan": start["plan"],
        "results": {"total_samples": n, "completed_samples": n, "scores": [match]},
        "stats": {
            "started_at": _TIME,
            "completed_at": _TIME,
            "model_usage": {start["eval"]["model"]: used},
            "role_usage": {},
        },
        "invalidated": False,
        "tags": [],
        "metadata": {"made_by": "nstar demo; no model was run"},
    }


def _packed(members: dict[str, Any]) -> bytes:
    """Return a zip file of JSON, which is the same every time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in members.items():
            info = zipfile.ZipInfo(name, date_time=(2026, 1, 15, 10, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, json.dumps(value), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def files() -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files."""
    for log, scores in _outcomes().items():
        model = _LOGS[log][0]
        summaries = [_summary(k, model, score) for k, score in enumerate(scores)]
        start = _start(log, model, [s["id"] for s in summaries])
        reduced = [
            {"value": float(score), "history": [], "sample_id": s["id"]}
            for s, score in zip(summaries, scores, strict=True)
        ]
        members = {
            "_journal/start.json": start,
            **{f"samples/{s['id']}_epoch_1.json": _sample(model, s) for s in summaries},
            "_journal/summaries/1.json": summaries,
            "summaries.json": summaries,
            "reductions.json": [{"scorer": "match", "samples": reduced}],
            "header.json": _header(start, scores),
        }
        yield f"inspect/{log}.eval", _packed(members)

"""A Runs in words."""

from dataclasses import asdict
from typing import Any

from nstar._verbs.runs import GapRuns, ModelRuns, Runs
from nstar.report.documents import Chart, Document
from nstar.report.words.numbers import percent
from nstar.report.words.runs.headline import headline
from nstar.report.words.runs.notes import assumptions, notes
from nstar.report.words.runs.tables import grids
from nstar.stats import PassCurve

__all__ = ["data", "document"]


def _chart(result: Runs) -> Chart | None:
    """pass@k above pass^k of the first model that has three points of them."""
    places = ("the first model", "the second model") if len(result.models) > 1 else ("",)
    for model, place in zip(result.models, places, strict=True):
        at, hat = model.pass_at, model.pass_hat
        if at is None or hat is None or len(at.k) < 3:
            continue
        last = int(at.k[-1])
        return Chart(
            title=f"pass@k (upper curve) and pass^k (lower){place and f' of {place}'}, by k",
            x=tuple(float(k) for k in at.k),
            y=tuple(float(v) for v in at.estimate),
            also=tuple(float(v) for v in hat.estimate),
            x_labels=("k = 1", f"k = {last:,}"),
            mark=(2.0, "2"),
            level=(model.mean, percent(model.mean, 0)),
        )
    return None


def document(result: Runs) -> Document:
    """Headline, the error of the gap, each model, pass curves, tasks."""
    return Document(
        headline=headline(result),
        grids=grids(result),
        chart=_chart(result),
        notes=notes(result),
        assumptions=assumptions(result),
    )


def _curve(curve: PassCurve | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    return {key: getattr(curve, key) for key in ("k", "estimate", "low", "high", "tasks")}


def _ends(pair: Any) -> dict[str, float] | None:
    return None if pair is None else {"low": float(pair[0]), "high": float(pair[1])}


def _components(model: ModelRuns) -> dict[str, Any] | None:
    c = model.components
    if c is None:
        return None
    parts = asdict(c)
    return parts | {key: _ends(parts[key]) for key in ("task_ci", "within_ci", "run_ci")}


def _model(model: ModelRuns) -> dict[str, Any]:
    kept = ("name", "binary", "scores", "mean", "se", "ci", "removable", "repeated", "flip")
    counts = ("flipped", "swept", "failed", "sweep_bound")
    return {
        **{key: getattr(model, key) for key in kept},
        "limits": _ends(model.limits),
        "runs": {"fewest": model.runs[0], "most": model.runs[1]},
        **{key: getattr(model, key) for key in counts},
        "components": _components(model),
        "pass_at": _curve(model.pass_at),
        "pass_hat": _curve(model.pass_hat),
        "tasks": [asdict(t) | {"ci": t.ci} for t in model.tasks],
    }


def _gap(found: GapRuns | None) -> dict[str, Any] | None:
    if found is None:
        return None
    pair, split, i = found.pair, found.pair.runs, found.intervals
    parts = ("sigma_b2", "sigma_wa2", "sigma_wb2")
    return {
        **{key: getattr(pair, key) for key in ("n", "delta", "se", "ci", "conf", "p")},
        "mde": found.mde,
        "p_method": pair.design.p_method,
        "verdict": pair.verdict,
        "left_out": pair.attrition.only_a + pair.attrition.only_b,
        **{key: None if split is None else getattr(split, key) for key in parts},
        "intervals": None if i is None else {key: _ends(getattr(i, key)) for key in parts},
        "data_se": found.data_se,
        "prediction_se": found.prediction_se,
        "shared_se": found.shared_se,
        "removable": found.removable,
        "steps": [asdict(s) | {"mde_ci": s.mde_ci} for s in found.steps],
    }


def data(result: Runs) -> dict[str, Any]:
    """Everything a Runs holds; endless runs are null."""
    return {
        "task": result.task,
        "metric": result.metric,
        "lower_is_better": result.lower_is_better,
        "conf": result.conf,
        "criteria": asdict(result.criteria),
        "models": [_model(m) for m in result.models],
        "gap": _gap(result.gap),
        "findings": [asdict(f) for f in result.findings],
    }

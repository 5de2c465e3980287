"""Stable JSON: proportions, not points; ``null`` for "no number"; a schema for each kind.

Schemas lie in ``nstar/report/schemas``; the name and version stand in the ``schema`` key.
"""

import json
import math
from dataclasses import asdict
from typing import Any

from nstar._claim import Claim
from nstar._plan import Plan
from nstar._selfcheck import Selfcheck
from nstar._version import __version__
from nstar.report._document import Document

__all__ = ["claim_json", "dump", "plan_json", "selfcheck_json"]


def _clean(value: Any) -> Any:
    """Plain JSON values; infinities become null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if hasattr(value, "_asdict"):
        return _clean(value._asdict())
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value


def dump(data: dict[str, Any]) -> str:
    """Indented JSON text; refuses NaN."""
    return json.dumps(_clean(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _head(kind: str, doc: Document) -> dict[str, Any]:
    return {"schema": f"nstar.{kind}/1", "nstar": __version__, "headline": doc.headline}


def _whole(n: float | None) -> int | None:
    return None if n is None or not math.isfinite(n) else math.ceil(n - 1e-9)


def plan_json(plan: Plan, doc: Document) -> dict[str, Any]:
    """Everything a Plan holds, flat where people look first."""
    noise = {"kind": type(plan.design.noise).__name__} | asdict(plan.design.noise)  # type: ignore[call-overload]
    curve = plan.curve
    return _head("plan", doc) | {
        "question": plan.question,
        "solved_for": plan.solved_for,
        "n_star": _whole(plan.n_star),
        "mde": plan.mde,
        "mde_down": plan.mde_down,
        "power": plan.power,
        "q": plan.q,
        "items": plan.items,
        "delta": plan.delta,
        "margin": plan.margin,
        "half_width": plan.half_width,
        "floor": plan.floor,
        "criteria": asdict(plan.criteria),
        "design": {
            "noise": noise,
            "source": plan.design.source,
            "models": plan.design.models,
            "family": plan.design.family,
            "comparisons": plan.design.comparisons,
            "critical": plan.design.critical(plan.criteria),
            "icc": plan.design.icc,
            "cluster_size": plan.design.cluster_size,
            "clusters": plan.design.clusters,
        },
        "table": [asdict(r) | {"n_star": _whole(r.n_star)} for r in plan.rows],
        "curve": None
        if curve is None
        else {"axis": curve.axis, "x": curve.x, "power": curve.power},
        "notes": list(doc.notes),
        "assumptions": list(doc.assumptions),
    }


def claim_json(claim: Claim, doc: Document) -> dict[str, Any]:
    """Everything a Claim holds."""
    checks = {
        "grim": None if claim.grim is None else [asdict(g) for g in claim.grim],
        "p": None if claim.p_check is None else asdict(claim.p_check),
        "ci": None if claim.ci_check is None else asdict(claim.ci_check),
        "printed_n": None if claim.size_check is None else asdict(claim.size_check),
    }
    return _head("claim", doc) | {
        "verdict": claim.verdict,
        "significance": claim.significance,
        "needs_per_item_data": claim.significance == "depends",
        "p_a": claim.p_a,
        "p_b": claim.p_b,
        "items": claim.n,
        "delta": claim.delta,
        "t_min": claim.t_min,
        "t_max": claim.t_max,
        "t_independent": claim.t_independent,
        "rho_bounds": claim.rho_bounds,
        "rho_significant": claim.rho_significant,
        "typical_rho": asdict(claim.typical),
        "mde": claim.mde,
        "n_star": {"low": _whole(claim.n_star.low), "high": _whole(claim.n_star.high)},  # type: ignore[arg-type]
        "criteria": asdict(claim.criteria),
        "table": [asdict(r) | {"n_star": _whole(r.n_star)} for r in claim.rows],
        "checks": checks,
        "paragraph": doc.paragraph,
        "notes": list(doc.notes),
        "assumptions": list(doc.assumptions),
    }


def selfcheck_json(result: Selfcheck, doc: Document) -> dict[str, Any]:
    """Everything a Selfcheck holds."""
    totals = {"passed": result.passed, "values": result.values, "agree": result.agree}
    return _head("selfcheck", doc) | totals | asdict(result)

"""One task of a Comparison as JSON: proportions or score units, null for "no number"."""

from dataclasses import asdict
from typing import Any

from nstar._verbs.compare import Pair, Reading
from nstar.report.words.design import question
from nstar.report.words.numbers import whole


def _reading(reading: Reading) -> dict[str, Any]:
    kept = ("groups", "se", "t", "df", "ci", "ci_method", "p", "p_method", "icc", "caution")
    body = {key: getattr(reading, key) for key in kept}
    return {
        "design": reading.name,
        "question": question(reading.kind, reading.groups),
        **body,
        "design_effect": reading.design_effect,
        "cluster_size": reading.cluster_size,
        "icc_plan": reading.icc_plan,
    }


def task_data(pair: Pair) -> dict[str, Any]:
    """One task; proportions or score units, null for "no number"."""
    c, e = pair.counts, pair.equivalence
    cells = {k: None if c is None else getattr(c, k) for k in ("n11", "n10", "n01", "n00", "psi")}
    plain = ("task", "metric", "scale", "n", "mean_a", "mean_b", "delta", "ci", "conf")
    tests = ("p", "p_adjusted", "p_midp", "p_exact", "p_t", "p_signflip")
    noise = ("rho", "rho_ci", "sigma", "se", "t", "mde", "mde_least")
    need = ("q", "q_ci", "delta0", "q_delta0", "more_items", "verdict", "resolved")
    r = pair.attrition
    return {
        **{key: getattr(pair, key) for key in plain},
        "lower_is_better": pair.lower_is_better,
        "limits": {
            "low": pair.limits[0],
            "high": pair.limits[1],
            "seen": pair.range_is_seen,
        },
        "values": {"low": pair.values[0], "high": pair.values[1]},
        **{key: getattr(pair, key) for key in tests},
        **cells,
        **{key: getattr(pair, key) for key in noise},
        "n_star": whole(pair.n_star),
        "n_star_ci": {
            "low": whole(float(pair.n_star_ci.low)),
            "high": whole(float(pair.n_star_ci.high)),
        },
        **{key: getattr(pair, key) for key in need},
        "n_star_delta0": whole(pair.n_star_delta0),
        "equivalence": None if e is None else asdict(e) | {"ci": e.ci, "n_star": whole(e.n_star)},
        "attrition": asdict(r)
        | {"bounds": r.bounds, "flips": r.flips, "complete": r.complete, "decisive": r.decisive},
        "design": _reading(pair.design),
        "alternatives": [_reading(a) for a in pair.alternatives],
        "groups": [
            {
                "column": b.column,
                "rows": [asdict(row) | {"ci": row.ci} for row in b.rows],
                "leave_one_out": asdict(b.left_out),
            }
            for b in pair.breakdowns
        ],
        "runs": None if pair.runs is None else asdict(pair.runs) | _identified(pair),
    }


def _identified(pair: Pair) -> dict[str, bool]:
    return {"identified": pair.runs is not None and pair.runs.identified}

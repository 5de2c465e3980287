"""A Gate as JSON: proportions or score units, null for "no number"."""

from typing import Any

from nstar._verbs.compare import Pair
from nstar._verbs.gate import Check, Gate
from nstar.report.words.numbers import whole


def _pair(pair: Pair) -> dict[str, Any]:
    c, r = pair.counts, pair.attrition
    return {
        "n": pair.n,
        "mean_candidate": pair.mean_a,
        "mean_baseline": pair.mean_b,
        "lower_is_better": pair.lower_is_better,
        "design": pair.design.name,
        "se": pair.se,
        "wins": None if c is None else c.n10,
        "losses": None if c is None else c.n01,
        "missing_candidate": r.only_b,
        "missing_baseline": r.only_a,
        "missing_bounds": r.bounds,
        "gap": pair.delta,
    }


def _check_data(check: Check) -> dict[str, Any]:
    e, s = check.evidence, check.settle
    return {
        "task": check.task,
        "metric": check.pair.metric,
        "answer": check.answer,
        "aim": check.aim,
        "margin": check.margin,
        "guardrail": check.guardrail,
        "not_reached": check.unreached,
        **_pair(check.pair),
        "gain": check.gain,
        "ci": e.ci,
        "conf": e.conf,
        "method": e.method,
        "p_within": e.p_within,
        "p_worse": e.p_worse,
        "p_worse_adjusted": check.p_worse_adjusted,
        "p_better": e.p_better,
        "shown_within": e.within,
        "shown_worse": check.worse,
        "shown_better": e.better,
        "harmless_loss": check.harmless_loss,
        "missing_decides": check.missing_decides,
        "conflict": e.conflict,
        "least": check.least,
        "identical_pass": check.identical_pass,
        "chance": check.chance,
        "settle": None
        if s is None
        else {
            "items_if_equal": whole(s.if_equal),
            "items_if_observed": whole(s.if_observed),
            "towards": s.towards,
            "runs": s.runs,
        },
    }


def data(gate: Gate) -> dict[str, Any]:
    """Proportions or score units, null for "no number"."""
    n = gate.nights
    return {
        "answer": gate.answer,
        "exit_code": gate.exit_code,
        "candidate": gate.names[0],
        "baseline": gate.names[1],
        "aim": gate.aim,
        "margin": gate.margin,
        "alpha": gate.criteria.alpha,
        "power": gate.criteria.power,
        "basis": gate.basis,
        "missing_most": gate.missing_most,
        "reason": gate.reason,
        "adjust": "holm" if len(gate.checks) > 1 else None,
        "tasks": [_check_data(c) for c in gate.checks],
        "history": None
        if n is None
        else {
            "evaluations": n.count,
            "repeated": n.repeated,
            "fresh_items": n.fresh,
            "log_e_within": n.log_e_within,
            "log_e_worse": n.log_e_worse,
            "log_e_better": n.log_e_better,
        },
        "findings": [{"level": f.level, "code": f.code, "text": f.text} for f in gate.findings],
    }

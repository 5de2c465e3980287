"""An Audit as JSON: proportions or score units, null for "no number"."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from nstar._verbs.audit import Audit, Pairs, Ranks
from nstar._verbs.verdict import ABSURD
from nstar.report.words.audit.ranking import Ranking
from nstar.report.words.numbers import whole

_MOST_PAIRS = 10_000
"""Beyond, pairs are for a table, not for JSON."""

_KEYS = (
    *("n", "mean_a", "mean_b", "delta", "ci", "p", "p_adjusted", "p_midp", "p_exact"),
    *("n11", "n10", "n01", "n00", "psi", "rho", "sigma", "se", "t", "mde", "n_star", "n_star_ci"),
    *("q", "q_ci", "q_adjusted", "delta0", "q_delta0", "p_equivalent", "verdict", "resolved"),
    "more_items",
)
"""Keys of a pair after its names, those of ``nstar compare`` where it has them."""


def model_data(ranks: Ranks) -> Iterator[dict[str, Any]]:
    """Models from best to worst."""
    return ranks.rows()


def _ends(row: dict[str, Any], what: str) -> dict[str, Any]:
    return {"low": row[f"{what}_low"], "high": row[f"{what}_high"]}


def pair_data(pairs: Pairs) -> Iterator[dict[str, Any]]:
    """Pairs in the words of ``nstar compare``."""
    for row in pairs.rows():
        body = row | {
            "ci": _ends(row, "ci"),
            "q_ci": _ends(row, "q"),
            "n_star": whole(row["n_star"]),
            "n_star_ci": {end: whole(n) for end, n in _ends(row, "n_star").items()},
            "more_items": whole(row["more_items"]) if row["more_items"] <= ABSURD else None,
        }
        yield {"names": [row["a"], row["b"]]} | {key: body.get(key) for key in _KEYS}


def where_data(ranking: Ranking) -> dict[str, Any] | None:
    """The model that was asked about and its neighbours."""
    k = ranking.asked
    if k is None:
        return None
    names = ranking.ranks.name
    return {
        "name": names[k],
        "above": names[k - 1] if k else None,
        "below": names[k + 1] if k + 1 < len(names) else None,
    }


def too_many(audit: Audit) -> bool:
    """Whether the pairs asked for are more than a report can hold."""
    held = audit.pairs is not audit.adjacent and len(audit.pairs) <= _MOST_PAIRS
    return audit.pairs_asked != "adjacent" and not held


def _asked(audit: Audit) -> Iterator[dict[str, Any]] | None:
    """The pairs asked for, unless they stand under ``adjacent`` or are too many."""
    if audit.pairs_asked == "adjacent" or too_many(audit):
        return None
    return pair_data(audit.pairs)


def audit_data(audit: Audit, *, where: Ranking) -> dict[str, Any]:
    """One task."""
    about = ("task", "metric", "scale", "lower_is_better")
    family = ("adjust", "adjust_why", "rank_method", "critical", "draws", "seed")
    items = ("design", "items", "n", "n_left_out", "complete")
    return {
        **{key: getattr(audit, key) for key in about},
        "limits": {"low": audit.limits[0], "high": audit.limits[1]},
        "values": {"low": audit.values[0], "high": audit.values[1]},
        "criteria": asdict(audit.criteria),
        "conf": audit.conf,
        **{key: getattr(audit, key) for key in (*items, *family)},
        "delta0": audit.delta0,
        "margin": audit.margin,
        "where": where_data(where),
        "tiers": where.tiers,
        "models": model_data(audit.ranks),
        "adjacent": pair_data(audit.adjacent),
        "pairs_asked": audit.pairs_asked,
        "pairs": _asked(audit),
        "all_pairs": audit.all_pairs,
        "words": dict(audit.words),
        "top": audit.top,
        "stress": [asdict(row) for row in audit.stress()],
        "bins": [asdict(b) for b in audit.bins],
        "correlation": None if audit.correlation is None else asdict(audit.correlation),
        "saving": None if audit.saving is None else asdict(audit.saving),
        "shortcut": asdict(audit.shortcut),
        "stability": [asdict(s) for s in audit.stability],
        "flips": [asdict(f) for f in audit.flips],
        "caution": audit.caution,
        "engine": audit.engine,
        "findings": [asdict(f) for f in audit.findings],
    }

"""Reference values for votes between models."""

from typing import Any

from scipy import special

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _battles(x: Inputs) -> Any:
    """Without ties; beside the score test a Wald test of the logit."""
    elo, level = x["elo_gap"], {"alpha": x["alpha"], "power": x["power"]}
    p = stats.score_from_elo(elo)
    wald = (stats.k_factor(x["alpha"], x["power"]) / special.logit(p)) ** 2 / (p * (1 - p))
    return {"p": p, "n_score": stats.battles_n_star(elo, **level), "n_wald_logit": wald}


def _battles_ties(x: Inputs) -> Any:
    """Decisive votes that are needed, and as many more as ties take away."""
    elo, ties = x["elo_gap_decisive"], x["tie_rate"]
    return {
        "n_decisive_only": stats.battles_n_star(elo) / (1 - ties),
        "n_connor": stats.battles_n_star(elo, ties=ties, scale="decisive"),
    }


def _n_star(x: Inputs) -> Any:
    """On both scales, and what an Elo among decisive votes is on the other one."""
    elo, ties = x["elo"], x["tie_rate"]
    level = {"alpha": x["alpha"], "power": x["power"]}
    delta = stats.delta_from_elo(elo, ties=ties, scale="decisive")
    return {
        "n_if_elo_on_score_scale": stats.battles_n_star(elo, ties=ties, **level),
        "n_if_elo_among_decisive": stats.battles_n_star(elo, ties=ties, scale="decisive", **level),
        "score_elo_of_decisive": stats.elo_from_delta(delta, ties=ties),
    }


def _mde(x: Inputs) -> Any:
    """Smallest gap of votes: in expected scores, and in Elo on both scales."""
    ties = x["tie_rate"]
    delta = stats.battles_mde(x["n"], ties=ties)
    return {
        "delta_score_points": delta / 2,
        "winrate_score": 0.5 + delta / 2,
        "elo_score": stats.elo_from_delta(delta, ties=ties),
        "elo_decisive": stats.elo_from_delta(delta, ties=ties, scale="decisive"),
    }


EVALUATORS: dict[str, Evaluator] = {
    "pref.battles": _battles,
    "pref.battles_ties": _battles_ties,
}
"""By the name of the value up to the first space, or by its whole name."""

PLANS: dict[str, Evaluator] = {
    "battles.mde": _mde,
    "battles.nstar": _n_star,
}
"""Those of plans on both scales, likewise."""

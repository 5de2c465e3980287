"""Words that exclude each other, or miss another, by what is planned."""

import math
from typing import Any, NoReturn

from nstar._api.plan.parameters import PlanParameters
from nstar.errors import ParameterError, QuestionError, arg

_OF_DESIGNS = (
    *("baseline", "rho", "psi", "odds_ratio", "benchmark", "sd", "sd_diff", "unpaired", "icc"),
    *("cluster_size", "clusters", "score_range", "loss"),
)
"""Words for what a design says."""


def refuse(message: str) -> NoReturn:
    """Words that make no question, with what to say instead."""
    raise QuestionError(message)


def refuse_conflicts(question: PlanParameters) -> None:
    """Refuse what would silently be ignored, and questions that lack a word."""
    _refuse_beside_design(question)
    _refuse_grid(question)
    _refuse_items(question)


_MAX_CELLS = 400
"""Cells of a grid, each a plan of its own."""


def _refuse_grid(q: PlanParameters) -> None:
    """Several numbers of items where there is no grid, three lists, or too many cells."""
    if len(q.several) > 2:
        lists = ", ".join(map(arg, q.several))
        refuse(
            f"a grid has rows and columns, but three words have several values: {lists}; set one "
            "of them to a single value"
        )
    cells = math.prod(len(x) for x in (q.sizes, q.deltas, q.rhos) if x)
    if q.is_grid and cells > _MAX_CELLS:
        refuse(f"a grid has at most {_MAX_CELLS} cells; these lists make {cells:,}: shorten one")


def _refuse_beside_design(q: PlanParameters) -> None:
    first: Any = q.design
    if first is None:
        return
    if isinstance(first, int | float):
        share = first / 100 if first > 1 else first
        refuse(f"write {arg('baseline', f'{share:g}')}; what comes first is a design")
    from nstar._verbs.plan import Design, Noise

    if not isinstance(first, Design | Noise):
        msg = (
            f"{arg('design')} must be a Design, PairedRho, PairedPsi, Graded or Unpaired; "
            f"got {type(first).__name__}"
        )
        raise ParameterError(msg)
    why = "a design says all that is assumed"
    for name in _OF_DESIGNS:
        q.one_of("design", name, why=why)


# --- items ---------------------------------------------------------------------------------


def _refuse_same(q: PlanParameters, *names: str) -> None:
    named = q.given(*names)
    if len(named) > 1:
        refuse(f"{' and '.join(named)} answer the same question; give one of them")


def _refuse_noise(q: PlanParameters) -> None:
    """How noisy one comparison is, said once."""
    _refuse_same(q, "rho", "psi", "benchmark", "sd_diff", "unpaired")
    _refuse_same(q, "sd", "sd_diff", "psi")
    graded = q.given("sd", "sd_diff")
    either = f"{arg('sd')} or {arg('sd_diff')}"
    if q.score_range is not None and not graded:
        refuse(f"{arg('score_range')} is for graded scores: {either}")
    if q.baseline is not None and graded:
        refuse(f"{arg('baseline')} is for 0/1 scores; with {either} leave it out")
    if q.margin is not None and q.alternative != "two-sided":
        refuse(f"{arg('margin')} is tested one-sided already; leave {arg('alternative')} out")
    if q.unpaired and q.sd is not None:
        same = f"{arg('sd')} with {arg('rho', '0')}"
        refuse(f"{arg('unpaired')} with {arg('sd')}: use {same}, which is the same")
    if not (graded or q.given("psi", "baseline", "design")):
        refuse(
            f"give {arg('baseline')} (the accuracy you start from), or {arg('psi')} (the share "
            f"of items on which the models disagree), or {arg('sd')} for graded scores"
        )


def _refuse_clusters(q: PlanParameters) -> None:
    size, number = arg("cluster_size"), arg("clusters")
    groups = q.given("cluster_size", "clusters")
    if q.icc and not groups:
        refuse(
            f"{arg('icc')} needs {size} (more clusters are available) or {number} (they cannot)"
        )
    if q.icc is None and groups:
        refuse(f"{size} and {number} need {arg('icc')}")
    if q.odds_ratio is not None and (q.psi is None or q.deltas):
        refuse(f"{arg('odds_ratio')} goes with {arg('psi')}, and replaces {arg('delta')}")


def _refuse_items(q: PlanParameters) -> None:
    _refuse_noise(q)
    _refuse_clusters(q)
    _refuse_same(q, "margin", "half_width")
    _refuse_same(q, "delta", "half_width")
    _refuse_same(q, "odds_ratio", "half_width")
    if q.half_width is not None and (q.non_inferiority or q.alternative != "two-sided"):
        refuse(f"{arg('half_width')} is about a two-sided interval; leave the other flag out")
    if q.margin is not None and len(q.deltas) > 1:
        refuse(f"{arg('margin')} takes one {arg('delta')}, the true gap assumed")
    if q.margin is None and q.non_inferiority:
        refuse(f"{arg('non_inferiority')} needs {arg('margin')}")
    groups = q.given("cluster_size", "clusters") or q.design is not None
    if q.loss is not None and not (groups and q.margin is not None):
        refuse(
            f"{arg('loss')} needs a margin and clusters: set {arg('margin')}, and "
            f"{arg('cluster_size')} or {arg('clusters')}"
        )
    if not q.given("margin", "half_width"):
        _refuse_nothing(q)


def _refuse_nothing(q: PlanParameters) -> None:
    """Without a gap or items there is nothing to solve for."""
    whole = q if q.design is None else q.design
    implied = getattr(whole, "clusters", None) and getattr(whole, "cluster_size", None)
    if not (q.given("delta", "odds_ratio", "items") or implied):
        refuse(
            f"give {arg('delta')} (how many items are needed?), {arg('items')} (what gap can "
            "they detect?) or both (with what power?)"
        )

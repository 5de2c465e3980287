"""Assumptions of a plan about the variance of the difference between two models."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nstar._base.verb import Rule, exactly_one, is_given, needs
from nstar.errors import ParameterError, QuestionError, arg

if TYPE_CHECKING:
    from nstar._base.types import LossUnit
    from nstar._verbs.plan import Design, Noise

_PARAMETERS = {
    "baseline": "accuracy for 0/1 scores",
    "psi": "share of items that exactly one model answers correctly",
    "sd": "SD of graded scores",
    "sd_diff": "SD of differences between graded scores",
}
_AUROC = "area under the ROC curve"
NOISE = exactly_one(**_PARAMETERS)
"""Alternative parameters that set the variance of the difference."""
NOISE_OR_AUROC = exactly_one(**_PARAMETERS, auroc=_AUROC)
"""Alternative parameters, with a metric that is not an average of scores."""
POSITIVES = needs("positives", "auroc")
"""Rule: a share of positive items applies only to the area under the ROC curve."""
_ONE_MODEL = {name: _PARAMETERS[name] for name in ("baseline", "sd")}
RHO = needs("rho", **_ONE_MODEL)
"""Rule: the correlation applies only if the noise is that of one model."""
RHO_OR_AUROC = needs("rho", **_ONE_MODEL, auroc=_AUROC)
"""The same rule, with a metric that is not an average of scores."""
CLUSTERS = (
    needs("icc", cluster_size="if clusters can be added", clusters="if their number is fixed"),
    needs("cluster_size", "icc"),
    needs("clusters", "icc"),
)
"""Rule: clusters need a size or a number, and a correlation within them."""

_POWER = 0.8
"""Default power."""


def check_choice(power: float, alternative: str, *, joint: bool = False) -> None:
    """Refuse parameters of tests if the goal is to select the best model."""
    best = arg("goal", "best")
    if joint:
        msg = f"{best} is a single decision, so {arg('joint')} has no effect. Remove it."
        raise QuestionError(msg)
    if alternative != "two-sided":
        msg = f"{best} is not a test, so {arg('alternative')} has no effect. Remove it."
        raise QuestionError(msg)
    if power != _POWER:
        msg = (
            f"{best} picks the best model with probability 1 - alpha. Use "
            f"{arg('alpha', f'{1 - power:.4g}')} instead of {arg('power', f'{power:g}')}."
        )
        raise QuestionError(msg)


def listed(value: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple, empty for None."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def listed_rhos(rho: Any) -> tuple[Any, ...]:
    """Return one correlation, one name, or several correlations as a tuple."""
    rhos = listed(rho)
    if len(rhos) > 1 and any(isinstance(value, str) for value in rhos):
        msg = f"{arg('rho')} takes several correlations or one name, not both."
        raise QuestionError(msg)
    return rhos


def check_assumptions(design: Any, assumptions: Mapping[str, Any], rules: Iterable[Rule]) -> None:
    """Refuse assumptions if a design is given, and check the rules between them if not.

    Raises
    ------
    QuestionError
        An assumption is missing, or two exclude each other.
    ParameterError
        The design is something else.
    """
    if design is None:
        for rule in rules:
            rule.check(assumptions)
        return
    from nstar._verbs.plan import Design, Noise

    if not isinstance(design, Design | Noise):
        msg = (
            "The first argument must be a Design, PairedRho, PairedPsi, Graded, or Unpaired; got "
            f"{design!r:.60}"
        )
        raise ParameterError(msg)
    for name, value in assumptions.items():
        if is_given(value):
            msg = f"The design already sets all assumptions. Remove {arg(name)}."
            raise QuestionError(msg)


def assumed_design(
    noise: Mapping[str, Any],
    rho: float | str | None,
    clusters: Mapping[str, Any],
    *,
    loss: "LossUnit" = "cluster",
    width: float = 1.0,
    pooled: bool = False,
    rho_items: int | None = None,
) -> "Design":
    """Return the design of one comparison under these assumptions."""
    from nstar._verbs.plan import Design, Unpaired

    known, source = two_models({"psi": None, "sd": None, **noise}, rho, width=width)
    if pooled:
        if not isinstance(known, Unpaired):
            unpaired = arg("rho", "unpaired")
            msg = f"{arg('pooled')} applies to different items. Set {unpaired} as well."
            raise QuestionError(msg)
        known = replace(known, pooled=True)
    if rho_items is not None:
        source = f"measured on {rho_items:,} items"
    icc = clusters["icc"] or 0.0
    return Design(noise=known, source=source, loss=loss, **{**clusters, "icc": icc})


def check_measured(rho_items: int | None, rho: Any, *, is_single: bool) -> None:
    """Refuse the number of items behind a correlation unless one plan has one such number."""
    if rho_items is not None and (isinstance(rho, str) or not is_single):
        msg = (
            f"{arg('rho_items')} applies to one plan. Set one number as {arg('rho')}, without "
            f"lists and {arg('half_width')}."
        )
        raise QuestionError(msg)


def check_gaps(design: Any, sds: Mapping[str, float | None], **gaps: Iterable[float]) -> None:
    """Raise QuestionError for gaps that are not in the units of the scores.

    The standard deviations ``sds`` are those of the parameters, by name; a design has its own.
    """
    from nstar._api.inputs.gap_units import check_planned_gaps

    noise = getattr(design, "noise", design)
    if hasattr(noise, "sd"):  # graded scores
        sds = {"sd_diff" if noise.rho is None else "sd": noise.sd}
    for name, values in gaps.items():
        for gap in values:
            check_planned_gaps({name: gap}, sds)


def two_models(
    noise: Mapping[str, Any], rho: float | str | None = None, *, width: float = 1.0
) -> "tuple[Noise, str]":
    """Return the noise of one comparison, and its source.

    Parameters
    ----------
    noise : mapping
        One of baseline, psi, sd, and sd_diff; the others are None.
    rho : float or str, optional
        Item correlation, name of a benchmark, or ``"unpaired"``.
    width : float, default 1.0
        Best minus worst score, for graded scores.
    """
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL
    from nstar._verbs.plan import Graded, PairedPsi, PairedRho, Unpaired

    if noise["sd_diff"] is not None:
        return Graded(sd=noise["sd_diff"], width=width), "given"
    if noise["psi"] is not None:
        return PairedPsi(psi=noise["psi"]), "given"
    if rho == "unpaired":
        _refuse_unpaired(noise)
        return Unpaired(baseline=noise["baseline"]), "given"
    source = "given"
    if isinstance(rho, str):
        known = BENCHMARKS[rho]
        rho = known.mean
        source = (
            f"mean for {known.name}, quartiles {known.low:g} and {known.high:g}, {known.source}"
        )
    elif rho is None:
        rho, source = TYPICAL.mean, "assumed; published means range from 0.41 to 0.69"
    if noise.get("auroc") is not None:
        positives = 0.5 if noise["positives"] is None else noise["positives"]
        return Graded.of_auroc(noise["auroc"], positives, rho), source
    if noise["sd"] is not None:
        return Graded(sd=noise["sd"], rho=rho, width=width), source
    return PairedRho(baseline=noise["baseline"], rho=rho), source


def _refuse_unpaired(noise: Mapping[str, Any]) -> None:
    """Raise QuestionError for unpaired graded scores, or an unpaired AUROC."""
    for name in ("sd", "auroc"):
        if noise.get(name) is not None:
            unpaired, zero = arg("rho", "unpaired"), arg("rho", 0)
            msg = f"{unpaired} applies to 0/1 scores. With {arg(name)}, set {zero} instead."
            raise QuestionError(msg)

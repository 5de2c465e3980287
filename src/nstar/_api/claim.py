"""``claim``: check two reported accuracies and the other reported figures."""

from typing import TYPE_CHECKING

from nstar._base.parameter_types import (
    Alternative,
    FirstPrinted,
    ItemCount,
    PrintedInterval,
    PrintedPValue,
    Proportion,
    Rho,
    SecondPrinted,
)
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.benchmarks import TypicalRho
    from nstar._verbs.claim import Claim


@verb()
def claim(
    first: FirstPrinted,
    second: SecondPrinted | None = None,
    /,
    *,
    items: ItemCount | None = None,
    rho: Rho | None = None,
    p: PrintedPValue | None = None,
    ci: PrintedInterval | None = None,
    confidence_level: Proportion = 0.95,
    printed_n: ItemCount | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
) -> "Claim":
    """Check whether a gap between two reported accuracies on the same items is supported.

    The gap is the first accuracy minus the second. The reported digits determine the rounding, so
    keep trailing zeros.

    Parameters
    ----------
    first : float or str
        Reported accuracy of the first model, such as ``71.4%`` or ``0.714``. A number is assumed
        to be rounded to at least two decimals, and to as many as the other accuracy. A number with
        12 or more digits, such as 88 / 164, is exact. Without a second accuracy, a sentence such
        as "71.4% vs 70.6% on 1,319 items (p = 0.04)".
    second : float or str, optional
        Reported accuracy of the second model.
    items : int
        Number of items that both models answered.
    rho : float or str, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.4 to 0.7). The published correlation of a benchmark is known for mmlu, math, gsm8k, arc,
        bbh, and mmlu-pro.
    p : float or str, optional
        Reported p-value, such as 0.04, 0.040, or '<0.05'.
    ci : str or tuple of float, optional
        Reported confidence interval of the gap, such as -1.2pp,2.8pp. In Python, also two
        proportions.
    confidence_level : float, default 0.95
        Confidence level of the reported interval.
    printed_n : int, optional
        Check this reported number of required items.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero.

    Returns
    -------
    Claim
        Bounds of the test statistic, the detectable gap, and a check of each reported figure.

    Raises
    ------
    ParameterError
        A value is not an accuracy, or the values contradict each other.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> c = claim("78.3%", "77.5%", items=12032)
    >>> round(c.t_min, 2), round(c.t_max, 2), c.verdict, c.gap_vs_mde
    (1.18, 10.44, 'depends', 'borderline')
    """
    from nstar import stats
    from nstar._api.inputs.claim_sentence import sentence_in
    from nstar._api.inputs.printed_accuracies import accuracies_in, interval_in, refuse_no_items
    from nstar._verbs.claim import PrintedFigures, judged
    from nstar._verbs.verdict import Criteria

    sentence = str(first) if second is None else ""
    if second is None:
        read = sentence_in(sentence)
        first, second, items = read.first, read.second, items or read.items
        p, ci = p or read.p, ci or read.ci
        confidence_level = read.confidence_level or confidence_level
    if items is None:
        refuse_no_items(first, second, sentence)
    accuracies = accuracies_in(first, second, items)
    if isinstance(rho, float | int):
        stats.psi_from_rho(*accuracies.shares, rho)  # refuses what is impossible
    interval, ci_decimals = (None, None) if ci is None else interval_in(ci)
    return judged(
        *accuracies.shares,
        items,
        typical=typical_rho(rho),
        printed=PrintedFigures(
            pvalue=p,
            ci=interval,
            confidence_level=confidence_level,
            n=printed_n,
            decimals=accuracies.decimals,
            ci_decimals=ci_decimals,
            is_bare=accuracies.is_bare,
        ),
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
    )


def typical_rho(rho: float | str | None) -> "TypicalRho":
    """Return the correlations to assume: a given one, those of a benchmark, or typical ones."""
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL, TypicalRho

    if rho is None:
        return TYPICAL
    if isinstance(rho, str):
        return BENCHMARKS[rho]
    name = "this pair, as given"
    return TypicalRho(name=name, mean=rho, low=rho, high=rho, source="as given")

"""``claim_gap``: check a reported gap by its interval and p-value."""

from typing import TYPE_CHECKING

from nstar._base.parameter_types import (
    Alternative,
    ItemCount,
    PrintedGap,
    PrintedInterval,
    PrintedPValue,
    Proportion,
)
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.claim import GapClaim


@verb()
def claim_gap(
    gap: PrintedGap,
    /,
    *,
    items: ItemCount | None = None,
    p: PrintedPValue | None = None,
    ci: PrintedInterval | None = None,
    confidence_level: Proportion = 0.95,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
) -> "GapClaim":
    """Check whether a reported gap is supported by its confidence interval and p-value.

    The accuracies are not needed. The width of the interval implies the standard error, the
    p-value, and the smallest gap that the study could detect.

    Parameters
    ----------
    gap : float or str
        Reported gap, first model minus second, such as -2.34pp or -0.0234.
    items : int, optional
        Number of items, to get the number of items that the gap needs.
    p : float or str, optional
        Reported p-value, such as 0.04, 0.040, or '<0.05'.
    ci : str or tuple of float, optional
        Reported confidence interval of the gap, such as -1.2pp,2.8pp. In Python, also two
        proportions.
    confidence_level : float, default 0.95
        Confidence level of the reported interval.

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
    GapClaim
        The implied standard error and p-value, the detectable gap, and the items needed.

    Raises
    ------
    ParameterError
        There is neither an interval nor a p-value, or a value is impossible.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> c = claim_gap("-2.34pp", ci="-11.09pp,6.20pp", p="0.71", items=216)
    >>> c.verdict, round(c.mde, 3), c.agreement
    ('not_supported', 0.124, 'one-sided')
    """
    from nstar._api.inputs.printed_accuracies import gap_in, interval_in
    from nstar._verbs.claim import judged_gap
    from nstar._verbs.verdict import Criteria

    return judged_gap(
        gap_in("gap", gap),
        ci=None if ci is None else interval_in(ci)[0],
        p=p,
        items=items,
        conf=confidence_level,
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
    )

"""``claim_unpaired``: check two reported accuracies on different items."""

from typing import TYPE_CHECKING

from nstar._base.parameter_types import (
    Alternative,
    FirstPrinted,
    ItemCount,
    Proportion,
    SecondPrinted,
)
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.claim import UnpairedClaim


@verb()
def claim_unpaired(
    first: FirstPrinted,
    second: SecondPrinted,
    /,
    *,
    items: ItemCount | None = None,
    items_b: ItemCount | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
) -> "UnpairedClaim":
    """Check whether a gap between two reported accuracies on different items is supported.

    The gap is the first accuracy minus the second. The accuracies and the numbers of items
    determine the test, except for rounding.

    Parameters
    ----------
    first : float or str
        Reported accuracy of the first model, such as ``71.4%`` or ``0.714``.
    second : float or str
        Reported accuracy of the second model.
    items : int
        Number of items that the first model answered.
    items_b : int, optional
        Number of items that the second model answered, if it answered other items.

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
    UnpairedClaim
        The score test, Newcombe's interval, and the detectable gap.

    Raises
    ------
    ParameterError
        A value is not an accuracy.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> claim_unpaired("78.3%", "77.5%", items=12032, items_b=500).verdict
    'not_supported'
    """
    from nstar._api.inputs.printed_accuracies import accuracies_in, refuse_no_items
    from nstar._verbs.claim import PrintedFigures, judged_apart
    from nstar._verbs.verdict import Criteria

    if items is None:
        refuse_no_items(first, second)
    accuracies = accuracies_in(first, second, items)
    return judged_apart(
        *accuracies.shares,
        items,
        items_b,
        printed=PrintedFigures(decimals=accuracies.decimals, is_bare=accuracies.is_bare),
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
    )

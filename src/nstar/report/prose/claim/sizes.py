"""Which numbers of items two printed accuracies allow, in a sentence."""

from nstar.report.prose.numbers import listed
from nstar.stats._sizes import sizes_that_print

_MAX_SIZES_LISTED = 8
"""Numbers named."""


def sizes_sentence(shares: tuple[float, ...], decimals: tuple[int, ...]) -> str:
    """The smallest numbers of items that fit, and how many more do.

    Examples
    --------
    >>> sizes_sentence((0.8571, 0.7143), (4, 4))[:62]
    'Both can be shares of 7, 14, 21, 28, 35, 42, 49, 56 items and '
    """
    found = sizes_that_print(shares, decimals)
    limit = 10 ** max(decimals)
    if found.size == 0 or limit < 100:
        return ""
    small = [f"{n:,}" for n in found[:_MAX_SIZES_LISTED].tolist()]
    if found.size <= _MAX_SIZES_LISTED:
        return f"Below {limit:,} items both can only be shares of {listed(small)}."
    more = found.size - _MAX_SIZES_LISTED
    return (
        f"Both can be shares of {', '.join(small)} items and of {more:,} other numbers below "
        f"{limit:,}."
    )

"""Write the sentence on whether labeled or sampled items look like a random sample."""

from nstar.report.prose.comparison.headline import p_is

MIN_PLAUSIBLE = 0.01
"""p-value below which a random choice is not plausible."""
_LEVEL = 0.05
"""p-value up to which a difference is significant."""


def choice_sentence(p: float, *, scores: str, item_kind: str, answer: str) -> str:
    """Return the result of the test of a random choice.

    Parameters
    ----------
    p : float
        p-value of the test.
    scores : str
        Compared scores, such as "the judge's scores".
    item_kind : str
        Kind of the chosen items, such as "labeled".
    answer : str
        Result that is not valid if items were not drawn at random, such as "the correction".

    Examples
    --------
    >>> text = choice_sentence(
    ...     0.4, scores="the known models' scores", item_kind="sampled", answer="the result"
    ... )
    >>> text[:60]
    "Based on the known models' scores, the sampled items look li"
    """
    items = f"Based on {scores}, the {item_kind} items"
    wrong = f"Unless these items were drawn at random, {answer} is not valid"
    if p < MIN_PLAUSIBLE:
        return f"{items} differ from the others ({p_is(p)}). {wrong}."
    if p <= _LEVEL:
        return (
            f"{items} differ significantly from the others ({p_is(p)}), as do {100 * p:.0f}% of "
            f"random draws. {wrong}."
        )
    return (
        f"{items} look like a random sample ({p_is(p)}). Only you know whether they were drawn "
        "at random."
    )

"""Sentence on whether labeled or sampled items look like a random sample."""

from nstar.report.prose.comparison.headline import p_is

MIN_PLAUSIBLE = 0.01
"""p-value below which a random choice is implausible."""
_LEVEL = 0.05
"""p-value up to which a difference is significant."""


def choice_sentence(p: float, *, observer: str, item_kind: str, answer: str) -> str:
    """What the test of a random choice found.

    Parameters
    ----------
    p : float
        Its p-value.
    observer : str
        Whose scores were compared: "the judge".
    item_kind : str
        Items that were chosen: "labeled".
    answer : str
        What is not valid if they were not drawn at random: "the correction".

    Examples
    --------
    >>> text = choice_sentence(0.4, observer="the judge", item_kind="labeled", answer="the result")
    >>> text[:51]
    'By the scores of the judge, the labeled items look '
    """
    items = f"By the scores of {observer}, the {item_kind} items"
    wrong = f"Unless they were drawn at random, {answer} is not valid"
    if p < MIN_PLAUSIBLE:
        return f"{items} differ from the others ({p_is(p)}). {wrong}."
    if p <= _LEVEL:
        return (
            f"{items} differ significantly from the others ({p_is(p)}), as {100 * p:.0f}% of "
            f"random draws do. {wrong}."
        )
    return f"{items} look like a random sample ({p_is(p)}). Only you know whether they are one."

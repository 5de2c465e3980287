"""The words about a random choice of items follow the p-value."""

import pytest

from nstar.report.prose.item_choice import choice_sentence


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.4, "look like a random sample (p = 0.4)"),
        (0.051, "look like a random sample"),
        (0.037, "differ significantly from the others (p = 0.037), as do 4% of random draws"),
        (0.05, "differ significantly from the others"),
        (0.004, "differ from the others (p = 0.004). Unless these items were drawn at random"),
    ],
)
def test_a_significant_difference_is_called_one(p: float, words: str) -> None:
    said = choice_sentence(
        p, scores="the judge's scores", item_kind="labeled", answer="the correction"
    )
    assert said.startswith("Based on the judge's scores, the labeled items ")
    assert words in said
    assert ("look like" in said) is (p > 0.05)

"""One precision per result: decimals follow the standard error."""

import math

import pytest

from nstar._base.types import Interval
from nstar.report.prose.gap import Scale, declared_gap, gap, sequence_scale, span


def _scale(se: float, top: float = 1.0) -> Scale:
    return Scale((0.0, top), lower_is_better=False, se=se)


@pytest.mark.parametrize(
    ("se", "text"),
    [(0.02, "+1.3 pp"), (0.005, "+1.3 pp"), (0.0049, "+1.27 pp"), (0.0001, "+1.27 pp")],
)
def test_a_standard_error_of_half_a_point_takes_one_decimal(se: float, text: str) -> None:
    assert gap(_scale(se), 0.01267, sign=True) == text
    assert gap(_scale(se), 0.01267, sign=True, column=True) == text


def test_trailing_zeros_stay() -> None:
    assert gap(_scale(0.01), 0.07) == "7.0 pp"
    assert span(_scale(0.01), Interval(-0.02, 0.07)) == "−2.0 to +7.0 pp"


def test_an_end_is_not_rounded_onto_zero_or_the_margin() -> None:
    assert span(_scale(0.01), Interval(-0.019, 0.0003)) == "−1.9 to +0.03 pp"
    assert span(_scale(0.01), Interval(-0.01004, 0.03), limit=0.01) == "−1.004 to +3.0 pp"
    assert span(_scale(0.01), Interval(-0.01, 0.03), limit=0.01) == "−1.0 to +3.0 pp"
    assert gap(_scale(0.01), 1e-7, sign=True) == "<+0.001 pp"
    assert gap(_scale(0.01), -1e-7, sign=True) == ">−0.001 pp"
    assert gap(_scale(0.01), 0.0, sign=True) == "0.0 pp"


def test_score_units_follow_the_standard_error() -> None:
    assert gap(_scale(0.4, top=10), 1.2345) == "1.23"
    assert gap(_scale(300, top=1e5), 12345.6) == "12,346"


def test_without_a_standard_error_a_number_has_the_digits_it_needs() -> None:
    assert gap(_scale(math.nan), 0.07) == "7 pp"
    assert declared_gap(_scale(0.01), 0.025) == "2.5 pp"
    assert gap(sequence_scale(_scale(0), None), 0.07) == "7 pp"
    assert gap(_scale(0.01), math.nan) == "–"

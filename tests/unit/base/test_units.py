"""One grammar for counts, sizes, shares, and gaps."""

from typing import Any

import pytest

from nstar._base.units import (
    ByteSize,
    Column,
    Count,
    Limit,
    ListOf,
    Number,
    OneOrTwo,
    Points,
    ScoreGap,
    ScoreRange,
    Share,
    ShareGap,
    Unit,
    parse_amount,
    parse_number,
)

POSITIVE = Number("x", lambda x: x > 0, "a positive number")


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        (Count(), "1000", 1000),
        (Count(), "1,000", 1000),
        (Count(), "2e3", 2000),
        (Count(), "20k", 20_000),
        (Count(), "1.5M", 1_500_000),
        (Count("runs", minimum=1), "1", 1),
        (ByteSize(), "500MB", 500_000_000),
        (ByteSize(), "2GiB", 2 << 30),
        (ByteSize(), "1,500 kb", 1_500_000),
        (ByteSize(), "0", 0),
        (Share(), "70%", 0.7),
        (Share(), " 0.7 ", 0.7),
        (Share(), "1", 1.0),
        (ScoreGap(), "1pp", 0.01),
        (ScoreGap(), "−1 PP", -0.01),
        (ScoreGap(), "5", 5.0),
        (ShareGap(), "0.01", 0.01),
        (ScoreRange(), "0:1,000", (0.0, 1000.0)),
        (ScoreRange(), "-1:1", (-1.0, 1.0)),
        (ListOf(Share(), "share,…"), "70%,0.8", (0.7, 0.8)),
        (OneOrTwo(POSITIVE, "x[,x]"), "1, 500", (1.0, 500.0)),
        (Column(), "item=question_id", ("item", "question_id")),
        (Limit(("rows",)), "rows=50M", ("rows", 50_000_000)),
        (Limit(("rows",)), "rows:2e7", ("rows", 20_000_000)),
    ],
)
def test_what_is_understood(unit: Unit[Any], text: str, value: Any) -> None:
    assert unit.parse(text) == value


@pytest.mark.parametrize(
    ("unit", "text", "problem"),
    [
        (Count(), "1", "Use a whole number >= 2"),
        (Count(), "2.5", "is not a valid number of items"),
        (Count(), "2GiB", "is not a valid number of items"),
        (Count(), "7,1", "is not a valid number of items"),
        (Count(), "", "is not a valid number of items"),
        (Count("votes"), "k", "is not a valid number of votes"),
        (ByteSize(), "-1", "is not a size. Use 500MB, 2GB or 0"),
        (ByteSize(), "2 apples", "is not a size"),
        (Share(), "70", "is above 1. Use 70% or 0.7"),
        (Share(), "0,7", "Use 0.7 \\(decimal point\\)"),
        (Share(), "120%", "is not between 0% and 100%"),
        (Share(), "nan", "is not a proportion"),
        (ScoreGap(), "1%", "Use 1pp"),
        (ScoreGap(), "100pp", "is not between -100pp and 100pp"),
        (ScoreGap(), "one", "is not a gap. Use 1pp or 0.01"),
        (ShareGap(), "5", "Use 5pp for percentage points, or 0.05"),
        (ScoreRange(), "1:0", "is not a score range"),
        (ScoreRange(), "0:inf", "is not a score range"),
        (ScoreRange(), "100", "is not a score range"),
        (POSITIVE, "-2", "is not a positive number"),
        (OneOrTwo(POSITIVE, "x[,x]"), "1,500", "could be 1500 or a number for each model"),
        (Column(), "item", "expected PART=COLUMN"),
        (Limit(("rows",)), "cells=5", "Names: rows"),
        (Limit(("rows",)), "rows=0", "expected NAME=NUMBER"),
        (Limit(("rows",)), "rows=7,1M", "expected NAME=NUMBER"),
    ],
)
def test_what_is_refused(unit: Unit[Any], text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        unit.parse(text)


def test_points_are_remembered() -> None:
    assert isinstance(ScoreGap().parse("2pp"), Points)
    assert not isinstance(ScoreGap().parse("0.02"), Points)


@pytest.mark.parametrize("text", ["", "k", "i", "ib", "1e999", "1e999k", "nan", "٣k", "1__0"])
def test_unusual_text_does_not_raise(text: str) -> None:
    for parse in (parse_number, parse_amount):
        assert parse(text) is None or parse(text) == 3000

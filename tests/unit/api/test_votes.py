"""Votes from whatever the user has."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.votes import load_votes
from nstar._data.votes import Votes
from nstar.errors import DataError, ParameterError, ReadError

ROWS = {
    "left": ["x", "y", "x", "z"],
    "right": ["y", "x", "z", "x"],
    "vote": ["left", "tie", "both_bad", "right"],
    "place": ["home", "home", "lab", "lab"],
    "words_left": [1, 2, 3, 4],
    "words_right": [5, 6, 7, 8],
}


@pytest.mark.parametrize(
    "only", ["place=lab", ["place=lab"], {"place": "lab"}, {"place": ["lab", "other"]}]
)
def test_only_some(only: Any) -> None:
    votes = load_votes(ROWS, only=only)
    assert (len(votes), votes.models, votes.both_bad) == (2, ("x", "z"), 1)


def test_words_of_reading(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    pd.DataFrame(ROWS).rename(columns={"vote": "who", "left": "one"}).to_csv(path, index=False)
    columns = {"first": "one", "winner": "who"}
    for data in (path, str(path), [path]):
        assert len(load_votes(data, columns=columns)) == 4
    reading = ReadSettings.of({"columns": columns})
    assert len(load_votes(path, reading, groups="place", covariates="words_left:words_right")) == 4
    with pytest.raises(TypeError, match="has no parameter column"):
        load_votes(path, column=columns)
    with pytest.raises(ReadError, match="no winner column"):
        load_votes(path, columns={"first": "one"})


def test_votes_that_are_there_already() -> None:
    votes = load_votes(ROWS, groups="place", covariates="words_left:words_right")
    assert load_votes(votes) is votes
    part = load_votes(votes, only="place=lab", covariates=["words_left:words_right"])
    assert (len(part), part.models) == (2, ("x", "z"))
    assert part.covariates["words_left:words_right"].tolist() == [[3, 7], [4, 8]]
    assert [f.text for f in part.findings] == [
        "1 of 2 votes (50.0%) called both answers bad; they count as ties"
    ]
    with pytest.raises(
        DataError, match=r"No votes match place moon. Available: place is home, lab"
    ):
        load_votes(votes, only="place=moon")
    with pytest.raises(
        DataError, match=r"No 'judge' among the groups of these votes. Available: place"
    ):
        load_votes(votes, groups="judge")
    with pytest.raises(
        DataError, match=r"No 'length' among the covariates of these votes. Available: words"
    ):
        load_votes(votes, covariates="length")


@pytest.mark.parametrize("only", ["place", "=lab", ["place=lab", "x"]])
def test_choices_that_are_none(only: Any) -> None:
    with pytest.raises(ParameterError, match="only must have the form COLUMN=VALUE; got"):
        load_votes(ROWS, only=only)


@pytest.mark.parametrize("data", [np.zeros((2, 3)), 7, None, []])
def test_what_holds_no_votes(data: Any) -> None:
    with pytest.raises(ParameterError, match="battles needs votes between models; got "):
        load_votes(data)


def test_votes_from_arrays() -> None:
    votes = Votes.of(["x", "y"], ["y", "x"], [1, 0], groups={"judge": ["k", "l"]})
    assert len(load_votes(votes, only={"judge": "k"})) == 1

"""The figure of pass@k and pass^k."""

import re

import numpy as np
import pytest

from helpers import nasty
from helpers.names import MARK, with_name
from nstar import Runs, runs
from nstar.errors import ParameterError
from nstar.report.charts import figure

RNG = np.random.default_rng(2)
SCORES = (RNG.random((20, 6)) < RNG.random(20)[:, None]).astype(float)


def test_a_field_for_each_model_that_has_curves() -> None:
    both = figure(runs(SCORES, SCORES[:, :2]))
    assert both.svg.count('class="ribbon"') == 4
    one = figure(runs(SCORES, SCORES[:, :1]))
    assert one.svg.count('class="ribbon"') == 2
    assert len(one.table.rows) == 6
    assert one.alt.startswith("A: from ")


def test_the_table_has_what_is_drawn() -> None:
    found = runs(SCORES)
    last = figure(found).table.rows[-1]
    hat = found.model_runs[0].pass_hat
    assert hat is not None
    assert last[:2] == ("A", "6")
    assert last[3] == f"{100 * hat.estimate[-1]:.1f}%"


def test_many_runs_are_drawn_by_ratios() -> None:
    many = (RNG.random((10, 200)) < RNG.random(10)[:, None]).astype(float)
    drawn = figure(runs(many))
    assert len(drawn.table.rows) == 12
    assert drawn.table.rows[-1][1] == "200"


def test_nothing_to_draw() -> None:
    with pytest.raises(ParameterError, match="two runs of every task"):
        figure(runs(SCORES / 2))
    with pytest.raises(ParameterError, match="kind must be passes"):
        figure(runs(SCORES), "power")


def named(name: str) -> Runs:
    return runs(SCORES, SCORES[:, :3], a=name, b="plain")


@pytest.fixture(scope="module")
def marked() -> Runs:
    return named(MARK)


def test_a_name_put_in_later_is_one_from_the_start(marked: Runs) -> None:
    assert with_name(marked, nasty.NASTY["script"]) == named(nasty.NASTY["script"])


@pytest.mark.parametrize("said", nasty.IN_MARKUP)
def test_names_are_only_shown(said: str, marked: Runs) -> None:
    usual, shown = (figure(with_name(marked, name)).svg for name in ("a", said))
    tags, attributes = (
        set(re.findall(part, usual.lower())) for part in (r"<(\w+)", r" ([\w-]+)=")
    )
    nasty.check_markup(shown, tags=tags, attributes=attributes)

"""``nstar claim wins``: against scipy, enumeration and simulation of tables."""

from itertools import product

import numpy as np
import pytest
from scipy import stats as oracle

import nstar
from helpers.commands import Command
from nstar.stats._wins import chance_of_any, chance_of_wins, fewest_wins, picked_turn

COMMAND = Command("claim wins")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text


@pytest.mark.parametrize(("wins", "of"), [(7, 9), (9, 9), (5, 9), (60, 100)])
def test_two_models_are_the_sign_test(wins: int, of: int) -> None:
    found = nstar.claim_wins(wins, of)
    assert found.pvalue_named == pytest.approx(
        oracle.binomtest(wins, of, 0.5, alternative="greater").pvalue
    )
    assert found.pvalue_any == pytest.approx(oracle.binomtest(wins, of, 0.5).pvalue)
    assert found.pvalue_any == found.pvalue_rival


def test_any_model_by_enumeration() -> None:
    """All 3^7 rows of winners: some model has at least k."""
    rows = np.array(list(product(range(3), repeat=7)))
    most = np.max([(rows == m).sum(axis=1) for m in range(3)], axis=0)
    for k in (4, 5, 6, 7):
        assert chance_of_any(k, 7, 3) == pytest.approx(np.mean(most >= k))
    assert chance_of_any(3, 7, 3) >= np.mean(most >= 3)
    first = (rows == 0).sum(axis=1)
    assert chance_of_wins(3, 7, 3) == pytest.approx(np.mean(first >= 3))


def test_picking_columns_by_simulation() -> None:
    """Of 20 columns the 9 with the most wins are shown; how often has the model 7 or more?"""
    rng = np.random.default_rng(2)
    wins = (rng.integers(5, size=(40_000, 20)) == 0).sum(axis=1)
    shown = np.minimum(wins, 9)
    share = np.mean(shown >= 7)
    want = chance_of_wins(7, 20, 5)
    assert share == pytest.approx(want, abs=4 * np.sqrt(want * (1 - want) / 40_000))
    assert answer("7", "9", "--models", "5", "--picked-from", "20")[
        "pvalue_picked"
    ] == pytest.approx(5 * want)


def test_where_it_turns() -> None:
    turn = picked_turn(7, 9, 5, 0.05)
    assert turn is not None
    assert chance_of_any(7, turn - 1, 5) <= 0.05 < chance_of_any(7, turn, 5)
    assert picked_turn(7, 9, 2, 0.05) is None
    least = fewest_wins(9, 2, 0.05)
    assert least == 8
    found = nstar.claim_wins(9, 9)
    assert found.ties_turn is not None
    t = found.ties_turn
    assert 2 * 0.5 ** (9 - t) > 0.05 >= 2 * 0.5 ** (9 - t + 1)


def test_ties_are_left_out() -> None:
    data = answer("7", "9", "--ties", "1")
    assert data["pvalue_any"] == pytest.approx(oracle.binomtest(6, 8, 0.5).pvalue)
    assert data["pvalue_counted"] == pytest.approx(oracle.binomtest(7, 9, 0.5).pvalue)
    assert answer("3", "9", "--ties", "3")["pvalue_named"] == 1


def test_the_words() -> None:
    assert text("7", "9").startswith("Not supported: 7 of 9 wins among 2 models are within chance")
    many = text("7", "9", "--models", "5", "--paragraph")
    assert many.startswith(
        "Depends: 7 of 9 wins among 5 models beat chance (p = 0.0016) unless one rival is as good "
        "(p = 0.18)."
    )
    assert "If 14 or more benchmarks were run" in many
    assert answer("20", "20", "--models", "3")["verdict"] == "supported"
    assert "too few benchmarks" in text("4", "4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("7", "Missing argument 'BENCHMARKS'"),
        ("7/9 9", "'7/9' is not a valid number of wins"),
        ("7 9 --items 10", "No such option '--items' here. Use it with nstar claim."),
        ("10 9", "WINS must be from 1 to 9"),
        ("7 9 --ties 8", "--ties must be at most 7"),
        ("7 9 --picked-from 8", "--picked-from must be at least 9"),
    ],
)
def test_wrong_usage(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex", "csv"])
def test_every_format(form: str) -> None:
    result = run("7", "9", "--models", "5", "--ties", "1", "--format", form)
    assert result.exit_code == 0


def test_the_wins_that_would_do_are_outright_ones() -> None:
    """With shared values 4 of 6 are left, and 6 of 9 would not be the threshold of those."""
    shared = text("7", "9", "--models", "5", "--ties", "3")
    assert "with at least 6 of 9 wins, if no wins are shared" in " ".join(shared.split())

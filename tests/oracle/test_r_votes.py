"""Ratings of votes against R: BradleyTerry2, gnm and sandwich, by ``r/votes.R``.

R holds the first model at 0 and nstar lets strengths add up to 0, so that gaps from the first
model are what is compared. Clustered errors have ``G / (G - 1)`` in both, and no other correction.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array

HERE = Path(__file__).parent / "r"
CLOSE = 1e-9
"""15 digits are stored; the last of a covariance are lost where it is turned to other gaps."""

HALF = ("plain", "position", "longer", "weighted")
GROUPS: dict[str, tuple[str, ...]] = {
    "single": (),
    "prompt": ("prompt",),
    "judge": ("judge",),
    "both": ("prompt", "judge"),
}
NEGATIVE = ("longer", "both")
"""Where the sum of two groupings less their intersection is no covariance."""


@pytest.fixture(scope="module")
def r() -> dict[str, Any]:
    with (HERE / "votes.json").open(encoding="utf-8") as file:
        tables: dict[str, Any] = json.load(file)["tables"]
    return tables


def rows(r: dict[str, Any], case: str) -> stats.VoteRows:
    """The votes of R, with what the case allows for."""
    votes = r["votes"]
    shown = np.ones(len(votes["score"]))
    covariates = {
        "plain": None,
        "longer": np.column_stack([shown, votes["longer"]]),
    }.get(case, shown)
    return stats.VoteRows.of(
        votes["first"],
        votes["second"],
        votes["score"],
        weight=votes["weight"] if case == "weighted" else None,
        covariates=covariates,
    )


def from_the_first(rows: stats.VoteRows, size: int) -> Array:
    """Turns all parameters into gaps from the first model and the rest as it is."""
    out = np.eye(size)
    out[: rows.models, 0] -= 1
    return out[1:]


def agree(rows: stats.VoteRows, got: Array, want: Any) -> None:
    """Parameters, or their covariance, with R's."""
    turn = from_the_first(rows, len(got))
    found = turn @ got if got.ndim == 1 else turn @ got @ turn.T
    answer = np.reshape(want, found.shape)
    np.testing.assert_allclose(found, answer, rtol=CLOSE, atol=CLOSE * np.abs(answer).max())


@pytest.mark.parametrize("case", HALF)
def test_strengths_and_information_with_half_ties(r: dict[str, Any], case: str) -> None:
    votes = rows(r, case)
    fit = stats.bradley_terry_fit(votes)
    agree(votes, fit.theta, r[case]["theta"])
    inverse = stats.information_inverse(fit.information, models=votes.models)
    agree(votes, inverse, r[case]["information"])


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("case", HALF)
def test_sandwich_of_single_votes_and_of_groups(r: dict[str, Any], case: str, groups: str) -> None:
    votes = rows(r, case)
    clusters = tuple(r["votes"][name] for name in GROUPS[groups])
    found = stats.vote_covariance(votes, stats.bradley_terry_fit(votes), clusters=clusters)
    if (case, groups) != NEGATIVE:
        agree(votes, found.matrix, r[case][groups])


def test_a_negative_variance_of_two_groupings_is_mended(r: dict[str, Any]) -> None:
    """R gives it as it comes; nstar sets negative eigenvalues to 0 where strengths add up to 0."""
    case, groups = NEGATIVE
    votes = rows(r, case)
    clusters = tuple(r["votes"][name] for name in GROUPS[groups])
    found = stats.vote_covariance(votes, stats.bradley_terry_fit(votes), clusters=clusters)
    size = len(found.matrix)
    to_zero_sum = np.linalg.pinv(from_the_first(votes, size))
    raw = to_zero_sum @ np.reshape(r[case][groups], (size - 1, size - 1)) @ to_zero_sum.T
    values, vectors = np.linalg.eigh(raw)
    assert values[0] < -1e-5
    want = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(found.matrix, want, atol=CLOSE * np.abs(want).max())


def test_groups_change_the_errors(r: dict[str, Any]) -> None:
    """The four readings are four answers: none of the comparisons above could pass for another."""
    answers = [r["position"][name][0] for name in GROUPS] + [r["position"]["information"][0]]
    assert np.diff(np.sort(answers)).min() > 1e-4 * max(answers)


@pytest.mark.parametrize(("case", "package"), [("plain", "bt"), ("position", "bt_position")])
def test_bradleyterry2_fits_the_same(r: dict[str, Any], case: str, package: str) -> None:
    votes = rows(r, case)
    fit = stats.bradley_terry_fit(votes)
    agree(votes, fit.theta, r[package]["theta"])
    inverse = stats.information_inverse(fit.information, models=votes.models)
    agree(votes, inverse, r[package]["covariance"])


def test_cells_of_votes_give_the_same(r: dict[str, Any]) -> None:
    votes = stats.vote_cells(rows(r, "plain"))
    fit = stats.bradley_terry_fit(votes)
    agree(votes, fit.theta, r["plain"]["theta"])
    agree(votes, stats.vote_covariance(votes, fit).matrix, r["plain"]["single"])


@pytest.mark.parametrize("package", ["davidson", "davidson_gnm"])
def test_davidson(r: dict[str, Any], package: str) -> None:
    """GenDavidson of BradleyTerry2 says how likely ties are at most; log ν follows from it."""
    votes = rows(r, "position")
    agree(votes, stats.davidson_fit(votes).theta, r[package]["theta"])


def test_errors_of_davidson(r: dict[str, Any]) -> None:
    votes, want = rows(r, "position"), r["davidson"]
    fit = stats.davidson_fit(votes)
    inverse = stats.information_inverse(fit.information, models=votes.models)
    agree(votes, inverse, want["information"])
    agree(votes, stats.vote_covariance(votes, fit).matrix, want["single"])
    prompts = stats.vote_covariance(votes, fit, clusters=(r["votes"]["prompt"],))
    agree(votes, prompts.matrix, want["prompt"])

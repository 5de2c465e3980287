"""The self-check finds what it should, and says what it compared."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar._verbs.selfcheck import FAMILIES, Mismatch, run
from nstar._verbs.selfcheck.reference import agrees, digits, leaves
from nstar.errors import ParameterError

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def everything() -> nstar.Selfcheck:
    return nstar.selfcheck()


@pytest.fixture
def tamper(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give a self-check another reference: ``tamper(name, **fields)`` changes one value."""

    def change(name: str, **fields: Any) -> None:
        content = json.loads(run.reference())
        next(item for item in content["items"] if item["id"] == name).update(fields)
        monkeypatch.setattr(run, "reference", lambda: json.dumps(content).encode())

    return change


def test_everything_agrees(everything: nstar.Selfcheck) -> None:
    assert everything.passed
    assert everything.n_agree == everything.n_values == 500
    assert [family.mismatches for family in everything.families] == [()] * len(FAMILIES)


def test_all_families_are_there(everything: nstar.Selfcheck) -> None:
    assert tuple(family.name for family in everything.families) == FAMILIES
    for family in everything.families:
        if family.name == "board":  # an integral, known to six decimals
            continue
        assert family.digits_min is not None
        assert family.digits_median is not None
        # R's qtukey is exact to seven digits: for two models it misses the normal quantile itself
        least = 7 if family.name == "arms" else 9
        assert least < family.digits_min <= family.digits_median <= 15
        assert family.n_exact > 0


def test_versions_and_hash_are_recorded(everything: nstar.Selfcheck) -> None:
    assert everything.nstar == nstar.__version__
    assert everything.numpy == np.__version__
    assert everything.python == ".".join(map(str, sys.version_info[:3]))
    assert everything.scipy
    assert everything.sha256 == hashlib.sha256(run.reference()).hexdigest()


def test_one_family_can_be_chosen() -> None:
    result = nstar.selfcheck(["lemma"])
    assert [family.name for family in result.families] == ["lemma"]
    assert result.n_values == 46


def test_unknown_family_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"family must be one of anytime, .*; got 'nonsense'"):
        nstar.selfcheck(["nonsense"])


def test_wrong_reference_is_a_miss(tamper: Callable[..., None]) -> None:
    tamper("lemma.C p=0.5 rho=0", value=0.34)
    result = nstar.selfcheck(["lemma"])
    assert not result.passed
    (family,) = result.families
    assert (family.n_values, family.n_agree) == (46, 45)
    (miss,) = family.mismatches
    assert (miss.id, miss.path, miss.expected) == ("lemma.C p=0.5 rho=0", "", 0.34)
    assert miss.actual == pytest.approx(1 / 3)
    assert family.digits_min == pytest.approx(1.7, abs=0.1)


def test_infinite_where_a_number_is_expected(tamper: Callable[..., None]) -> None:
    tamper("unpaired.n1_given_n2 0.75,0.7,500", value=12.0)
    (family,) = nstar.selfcheck(["unpaired"]).families
    (miss,) = family.mismatches
    assert (miss.actual, miss.reason, miss.expected) == (None, "infinite", 12.0)
    assert family.digits_min == 0


def test_missing_key_is_a_miss(tamper: Callable[..., None]) -> None:
    tamper("unpaired.wilson 7/10", value={"wilson": [0.1, 0.2, 0.3], "jeffreys": 0.5})
    (family,) = nstar.selfcheck(["unpaired"]).families
    name, no_list = "unpaired.wilson 7/10", "not a list of 3 values"
    assert family.mismatches == (
        *(
            Mismatch(
                id=name,
                path=f"wilson[{i}]",
                actual=None,
                reason=no_list,
                expected=want,
                tolerance=1e-9,
            )
            for i, want in enumerate((0.1, 0.2, 0.3))
        ),
        Mismatch(
            id=name, path="jeffreys", actual=None, reason="missing", expected=0.5, tolerance=1e-9
        ),
    )


def test_error_is_a_miss_and_no_crash(tamper: Callable[..., None]) -> None:
    tamper("unpaired.wilson 7/10", inputs={"x": 11, "n": 10, "conf": 0.95})
    (family,) = nstar.selfcheck(["unpaired"]).families
    assert len(family.mismatches) == 4
    assert str(family.mismatches[0].reason).startswith("ParameterError: ")


def test_reads_back_equal(everything: nstar.Selfcheck, tamper: Callable[..., None]) -> None:
    tamper("unpaired.wilson 7/10", inputs={"x": 11, "n": 10, "conf": 0.95})
    tamper("unpaired.n1_given_n2 0.75,0.7,500", value=12.0)
    wrong = nstar.selfcheck(["unpaired"])
    for result in (everything, wrong):
        assert nstar.Selfcheck.from_json(result.to_json()) == result
    assert everything != wrong
    assert json.loads(wrong.to_json())["passed"] is False


def test_value_that_nobody_computes_is_a_miss(tamper: Callable[..., None]) -> None:
    tamper("lemma.C p=0.5 rho=0", id="lemma.unheard_of")
    (family,) = nstar.selfcheck(["lemma"]).families
    assert [miss.reason for miss in family.mismatches] == ["no function computes this value"]


def test_family_without_exact_numbers_has_no_digits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inputs = {"p": 0.5, "rho": 0.0}
    item = {"id": "lemma.C", "inputs": inputs, "value": 0.33, "tol": 0.01}
    monkeypatch.setattr(run, "reference", lambda: json.dumps({"items": [item]}).encode())
    (family,) = nstar.selfcheck().families
    assert (family.n_exact, family.n_approximate, family.n_agree) == (0, 1, 1)
    assert family.digits_min is family.digits_median is None


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (1.0, 1.0, True),
        (1.0 + 2e-9, 1.0, False),
        (np.nan, 1.0, False),
        (np.inf, np.inf, True),
        (-np.inf, np.inf, False),
        (np.inf, 1.0, False),
        ("missing", 1.0, False),
    ],
)
def test_agreement(got: float | str, expected: float, same: bool) -> None:
    assert agrees(got, expected, 1e-9) is same


@pytest.mark.parametrize(
    ("got", "expected", "correct"),
    [
        (1.0, 1.0, 15.0),
        (1.001, 1.0, 3.0),
        (1001.0, 1000.0, 3.0),
        (0.001, 0.0, 3.0),
        (5.0, 1.0, 0.0),
        (np.inf, np.inf, 15.0),
        (np.inf, 1.0, 0.0),
        (np.nan, 1.0, 0.0),
        ("missing", 1.0, 0.0),
        (1 + 2.3e-16, 1.0, 15.0),
    ],
)
def test_digits(got: float | str, expected: float, correct: float) -> None:
    assert digits(got, expected) == pytest.approx(correct, abs=1e-9)


def test_leaves_take_numpy_and_null() -> None:
    got = {"a": np.array([1, 2]), "b": np.float64(3), "c": np.inf, "d": True, "e": {"f": None}}
    want = {"a": [1, 2], "b": 3, "c": None, "d": True, "e": {"f": 1}}
    inf = np.inf
    assert list(leaves(got, want)) == [
        ("a[0]", 1.0, 1.0),
        ("a[1]", 2.0, 2.0),
        ("b", 3.0, 3.0),
        ("c", inf, inf),
        ("d", 1.0, 1.0),
        ("e.f", inf, 1.0),
    ]
    assert list(leaves([1.0], 1.0)) == [("", "not a number: list", 1.0)]


def test_scipy_stats_stays_unloaded() -> None:
    code = "import sys, nstar; nstar.selfcheck(['lemma']); assert 'scipy.stats' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603

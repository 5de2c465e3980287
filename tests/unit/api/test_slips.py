"""Slips of the pen: one sentence names the word and the value; never a wrong number."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nstar
from nstar.errors import NstarError

RNG = np.random.default_rng(1)
ITEMS = [f"q{k}" for k in range(120)]
A = (RNG.random(120) < 0.7).astype(int)
B = np.where(RNG.random(120) < 0.8, A, 1 - A)
FRAME = pd.DataFrame(
    {
        "item": ITEMS * 2,
        "model": ["alpha"] * 120 + ["beta"] * 120,
        "score": [*A, *B],
        "g": [k % 7 for k in range(120)] * 2,
    }
)
NAMES: dict[str, Any] = {"a": "alpha", "b": "beta"}
PLAN: dict[str, Any] = {"baseline": 0.7, "delta": 0.01}


verbs: Any = nstar
"""What a type checker would refuse is said here all the same."""


def _compare(**words: Any) -> Any:
    return nstar.compare(FRAME, **NAMES, **words)


SLIPS: dict[str, tuple[Callable[[], Any], str]] = {
    "texts for scores": (
        lambda: nstar.compare(["True", "False"], ["True", "True"]),
        r"Scores must be numbers or booleans; got text \('True'\)",
    ),
    "averages for scores": (
        lambda: nstar.compare([71.4], [70.6]),
        r"For averages over items, use nstar\.claim\(0\.714, 0\.706, items=…\)",
    ),
    "duplicates": (lambda: _compare(duplicates="LAST"), "duplicates must be one of refuse, mean"),
    "errors": (lambda: _compare(errors="x"), "errors must be one of harness, missing, zero"),
    "runs": (lambda: _compare(runs="x"), "runs must be latest or all; got 'x'"),
    "skip_bad": (
        lambda: _compare(skip_bad="5"),
        "skip_bad must be a whole number of at least 0; got '5'",
    ),
    "limits": (lambda: _compare(limits={"row": 5}), "limits must be a mapping from rows, columns"),
    "columns": (
        lambda: _compare(columns="item"),
        'columns must be a mapping such as {"item": "question_id"}',
    ),
    "alternative": (
        lambda: verbs.compare(A, B, alternative="one-sided"),
        "must be one of two-sided, greater, or less; got 'one-sided'",
    ),
    "alpha": (lambda: verbs.compare(A, B, alpha="0.05"), "alpha must be a number; got '0.05'"),
    "no alpha": (lambda: verbs.runs([[1, 0], [0, 1]], alpha=None), "alpha must be in"),
    "plan": (
        lambda: verbs.plan_margin(psi=0.2, margin=0.02, non_inferiority="no"),
        "non_inferiority must be True or False",
    ),
    "gate": (lambda: verbs.gate(A, B, superiority="no"), "superiority must be True or False"),
    "guardrails": (
        lambda: verbs.gate(A, B, margin=0.1, guardrails=0.01),
        'such as {"safety": 0.005}',
    ),
    "history": (
        lambda: verbs.gate_looks(A, B, margin=0.1, history=5),
        "or nstar.types.History; got 5",
    ),
    "execution": (lambda: verbs.audit(FRAME, execution=4), "a nstar.types.Execution; got 4"),
    "items": (lambda: verbs.claim(0.7, 0.6, items="1000"), "items must be a whole number of at l"),
    "accuracy": (lambda: verbs.claim(71.4, 70.6, items=1000), 'Use 0.714 or "71.4%"'),
    "ci": (
        lambda: verbs.claim(0.7, 0.6, items=1000, ci=0.05),
        r"ci must contain two limits in the form LOW,HIGH .*; got 1 value",
    ),
    "watch": (
        lambda: verbs.Watch(items="x"),
        "items must be a whole number of at least 1; got 'x'",
    ),
    "update": (
        lambda: verbs.Watch(items=9).update("1", 0),
        "must be a number or None; got '1'",
    ),
    "model": (
        lambda: verbs.compare(FRAME, a=["alpha"], b="beta"),
        r"a must be text; got \['alpha'\]",
    ),
    "dates": (lambda: verbs.compare(pd.to_datetime(A), B), "a must be numbers.*got Timestamp"),
    "text": (
        lambda: verbs.compare([1, "x"], [1, 0]),
        "must be numbers, with NaN for missing scores; got 'x'",
    ),
    "lazy": (
        lambda: verbs.compare(pl.from_pandas(FRAME).lazy(), **NAMES),
        r"got LazyFrame, which is not computed yet \(call \.collect",
    ),
    "generator": (
        lambda: verbs.compare(x for x in A),
        "must be of two models; got generator. Pass two",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told(slip: str) -> None:
    ask, said = SLIPS[slip]
    with pytest.raises(NstarError, match=said):
        ask()


def test_what_is_masked_is_absent() -> None:
    masked = np.ma.array(A, mask=np.arange(120) < 50)
    missing = np.where(np.arange(120) < 50, np.nan, A)
    assert nstar.compare(masked, B).tasks[0] == nstar.compare(missing, B).tasks[0]
    assert nstar.audit({"x": masked, "y": B}).ranking.n_items.tolist() == [70, 120]


def test_any_column_can_be_declared() -> None:
    labels = FRAME["g"][:120].tolist()
    wanted = nstar.compare(A, B, cluster=labels).tasks[0]
    assert _compare(cluster="g").tasks[0].pvalue == wanted.pvalue
    assert nstar.audit(FRAME, strata="g").design == "strata:g"


def test_models_and_columns_may_be_numbers() -> None:
    assert verbs.compare({1: A, 2: B}, a=1, b=2).models == ("1", "2")
    bare = pd.DataFrame(FRAME[["item", "model", "score"]].to_numpy())
    parts: Any = {"item": 0, "model": 1, "score": 2}
    assert nstar.compare(bare, columns=parts, **NAMES).tasks[0].n_items == 120


def test_scores_by_item_pair_by_their_names() -> None:
    x, y = dict(zip(ITEMS, A, strict=True)), dict(zip(ITEMS[::-1], B[::-1], strict=True))
    found = nstar.compare(x, y)
    assert found.models == ("A", "B")
    assert found.tasks[0].counts == nstar.compare(A, B).tasks[0].counts


def test_an_index_with_a_name_is_the_item() -> None:
    wide = pd.DataFrame({"alpha": A, "beta": B}).rename_axis("item")
    assert nstar.compare(wide, **NAMES).tasks[0].n_items == 120


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, pa.table])
def test_a_frame_of_models_alone_is_a_mapping_of_models(frame: Any) -> None:
    wide = frame({"alpha": A, "beta": B})
    counts = nstar.compare({"alpha": A, "beta": B}, **NAMES).tasks[0].counts
    assert nstar.compare(wide, **NAMES).tasks[0].counts == counts
    assert sorted(nstar.audit(wide).ranking.model) == ["alpha", "beta"]
    with pytest.raises(NstarError, match=r"no model 'C'. Available: alpha, beta"):
        nstar.compare(wide, a="alpha", b="C")


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, pa.table])
def test_columns_of_runs_are_models_unless_they_are_numbered(frame: Any) -> None:
    wide = frame({"alpha": A, "beta": B})
    assert nstar.runs(wide).models == ("alpha", "beta")
    mapping = nstar.plan_runs({"alpha": A, "beta": B}, delta=0.05)
    assert nstar.plan_runs(wide, delta=0.05).to_json() == mapping.to_json()
    assert nstar.runs(frame({"run 1": A, "run 2": B})).models == ("A",)
    assert (
        nstar.runs(wide, wide).model_runs[0].n_runs
        == nstar.runs([[1, 0], [0, 1]]).model_runs[0].n_runs
    )


def test_wide_scores_outside_the_unit_interval_need_a_layout() -> None:
    seconds = pl.DataFrame({"alpha": A * 30.0, "beta": B * 20.0})
    with pytest.raises(
        NstarError, match=r'columns={"layout": "wide"} for one score column per model'
    ):
        nstar.compare(seconds, **NAMES)
    found = nstar.compare(seconds, **NAMES, columns={"layout": "wide"})
    assert found.tasks[0].n_items == 120


def test_codes_of_arrays_can_be_settled() -> None:
    coded = np.where(A == 0, -1, 0.5)
    with pytest.raises(NstarError, match="set errors to missing, zero, or keep"):
        nstar.compare(coded, B)
    assert nstar.compare(coded, B, errors="missing").tasks[0].n_items == A.sum()


def test_an_audit_can_be_copied_and_sent() -> None:
    for found in (
        nstar.audit(FRAME),
        nstar.audit(pd.concat([FRAME.assign(task=t) for t in "xy"])),
    ):
        assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 our own
        assert copy.deepcopy(found) == found


def test_a_watch_takes_plain_pairs() -> None:
    one, many = nstar.Watch(items=120), nstar.Watch(items=120)
    for a, b in zip(A, B, strict=True):
        one.update(a, b)
    many.extend(zip(A, B, strict=True))
    assert (many.n_items, many.decision) == (one.n_items, one.decision)

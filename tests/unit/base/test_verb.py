"""The declaration of a public function: units, rules, and sentences."""

from collections.abc import Callable
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pytest

import nstar
from nstar._base.parameter_types import Boards, Gap, ItemCount, Name, Proportion, TaskNames
from nstar._base.verb import at_least_one, at_most_one, needs, parameters, summary, verb
from nstar.errors import ParameterError, QuestionError


class Words(TypedDict, total=False):
    """How data are read.

    reader
        Log format.
    """

    reader: Name


@verb(
    at_most_one(delta="gap", items="size"),
    at_least_one("delta", "items"),
    needs("flag", "tasks"),
)
def example(
    data: Boards,
    /,
    *,
    delta: Gap | None = None,
    items: ItemCount | None = None,
    tasks: TaskNames | None = None,
    flag: bool = False,
    alpha: Proportion = 0.05,
    kind: Literal["one", "two"] = "one",
    callback: Callable[[], None] | None = None,
    **reading: Unpack[Words],
) -> dict[str, Any]:
    """Return the values.

    They are unchanged.

    Parameters
    ----------
    data : path
        Scores. Any form.
    delta : float, optional
        Gap to
        detect. More words.
    items, tasks : int, str
        Sizes.
    flag : bool
        Whether to wave.

    Other Parameters
    ----------------
    alpha : float
        Level.
    kind : str
        Sort.
    **reading
        How data are read.
    """
    own = {"delta": delta, "items": items, "tasks": tasks, "alpha": alpha, "flag": flag}
    return own | {"data": data, "kind": kind, "callback": callback} | dict(reading)


def test_the_declaration_is_read() -> None:
    declared = {p.name: p for p in parameters(example)}
    assert list(declared) == ["data", "delta", "items", "tasks", "flag", "alpha", "kind", "reader"]
    assert declared["delta"].sentence == "Gap to detect."
    assert declared["tasks"].sentence == "Sizes."
    assert declared["reader"].sentence == "Log format."
    assert [p.section for p in declared.values()] == [*["main"] * 5, "other", "other", "reading"]
    assert declared["data"].is_positional
    assert declared["data"].is_required
    assert declared["kind"].choices == ("one", "two")
    assert declared["alpha"].default == 0.05
    assert summary(example) == "Return the values.\n\nThey are unchanged."


def test_numpy_scalars_are_numbers() -> None:
    call: Callable[..., Any] = example
    result = call([1], delta=np.float32(0.5), flag=np.bool_(False))
    assert (type(result["delta"]), result["delta"], result["flag"]) == (float, 0.5, False)
    assert type(call([1], items=np.int64(3))["items"]) is int
    assert call([1], items=3.0)["items"] == 3
    assert call([1], delta=0.1, tasks="t")["tasks"] == ("t",)
    assert call([1], delta=0.1, tasks=["t", 2])["tasks"] == ("t", "2")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"delta": "2pp"}, "delta must be a number; got '2pp'. Use 0.02."),
        ({"delta": True}, "delta must be a number; got True"),
        ({"items": 2.5}, "items must be a whole number of at least 1; got 2.5"),
        ({"items": float("nan")}, "items must be a whole number of at least 1; got nan"),
        ({"items": 0}, "items must be a whole number of at least 1; got 0"),
        ({"items": 5, "alpha": 5}, "alpha 5 is above 1. Use 0.05."),
        ({"items": 5, "kind": "three"}, "kind must be one or two; got 'three'"),
        ({"items": 5, "flag": "no"}, "flag must be True or False; got 'no'"),
        ({"items": 5, "tasks": {"t": 1}}, "tasks must be one name or several; got {'t': 1}"),
    ],
)
def test_a_value_of_another_unit_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        example([1], **values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "Set delta or items."),
        (
            {"delta": 0.1, "items": 5},
            "Use either delta (gap) or items (size), not both.",
        ),
        ({"delta": 0.1, "flag": True}, "flag also needs tasks."),
    ],
)
def test_a_broken_rule_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(QuestionError) as caught:
        example([1], **values)
    assert str(caught.value) == message


def test_an_unknown_parameter_is_a_type_error() -> None:
    call: Callable[..., Any] = example
    with pytest.raises(
        TypeError, match=r"example\(\) has no parameter itemz. Did you mean items\?"
    ):
        call([1], itemz=5)
    with pytest.raises(TypeError, match=r"elo\. Use it with nstar\.plan_votes\(\)\.$"):
        nstar.plan(elo=20)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"baseline\. Use it with nstar\.plan\(\)\.$"):
        nstar.plan_votes(baseline=0.7)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no parameter data"):
        call([1], data=5)

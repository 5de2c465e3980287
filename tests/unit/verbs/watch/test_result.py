"""What a watch has found, in all its forms, goes to JSON and comes back equal."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from helpers.nasty import check_html
from helpers.schemas import validate
from nstar._verbs.watch import Watch, WatchResult
from nstar._verbs.watch.ledger import ItemPair

RNG = np.random.default_rng(6)
COINS = [(float(u < 0.3), float(0.3 <= u < 0.35)) for u in RNG.random(120)]
GRADES = [(float(x), float(y)) for x, y in RNG.random((80, 2))]


def fed(pairs: Iterable[tuple[float | None, float | None]], **question: Any) -> Watch:
    watch = Watch(**{"items": 200} | question)
    for a, b in pairs:
        watch.update(a, b)
    return watch


def sorted_by_group() -> Watch:
    watch = Watch(items=200)
    for k, (a, b) in enumerate(COINS):
        watch.update(a, b, item=f"q{k}", group=f"g{k // 40}", cost=0.5)
    return watch


def at_once() -> Watch:
    watch = Watch(items=200)
    watch.extend(
        ItemPair(item=f"q{k}", a=a, b=b, group=None, cost=None) for k, (a, b) in enumerate(COINS)
    )
    return watch


FORMS: Mapping[str, Any] = {
    "no item": lambda: fed([]),
    "no score": lambda: fed([(1.0, None), (None, 0.0)]),
    "one item": lambda: fed(COINS[:1]),
    "open": lambda: fed([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] * 8, margin=0.02),
    "better": lambda: fed(COINS),
    "worse": lambda: fed([(b, a) for a, b in COINS]),
    "noninferior": lambda: fed([(1.0, 1.0)] * 150, margin=0.05),
    "equivalent": lambda: fed([(1.0, 1.0)] * 150, margin=0.05, equivalence=True),
    "all in, undecided": lambda: fed([(1.0, 0.0), (0.0, 1.0)] * 10, items=20),
    "nothing detectable": lambda: fed(COINS[:2], items=2),
    "lower is better": lambda: fed(COINS, lower_is_better=True, margin=0.05),
    "graded": lambda: fed(GRADES, scale="graded", margin=0.05),
    "a limit, too early": lambda: fed(GRADES[:20], scale="graded", asymptotic=True),
    "a limit": lambda: fed(GRADES, scale="graded", asymptotic=True, margin=0.1),
    "scores without limits": lambda: fed(
        [(9 * a, 7 * b - 3) for a, b in GRADES], scale="graded", asymptotic=True
    ),
    "sorted by group": sorted_by_group,
    "many at once": at_once,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", FORMS)
def test_a_watch_shows_its_result_which_reads_back_equal(form: str) -> None:
    watch = FORMS[form]()
    result = watch.result
    said, text = str(result), result.to_json()
    again = WatchResult.from_json(text)
    assert again == result
    assert again.to_dict() == result.to_dict()
    validate(json.loads(text), WatchResult.schema())
    assert str(again) == said
    assert str(watch) == said
    assert repr(watch).replace("<Watch: ", "<WatchResult: ") == repr(result)
    check_html(watch._repr_html_())


def test_a_result_does_not_change_with_its_watch() -> None:
    watch = fed(COINS[:20])
    before = watch.result
    kept, text = before.to_dict(), str(before)
    for a, b in COINS[20:]:
        watch.update(a, b)
    assert (before.to_dict(), str(before)) == (kept, text)
    assert watch.result != before


def test_what_is_said_is_the_decision() -> None:
    watch = sorted_by_group()
    result, decision = watch.result, watch.decision
    for name in decision.__slots__:
        assert getattr(result, name) == getattr(decision, name)
    assert (result.order.sorted_by, result.order.n_groups, result.order.n_blocks) == (
        "groups",
        3,
        3,
    )
    assert result.moments == watch.moments
    assert result.mde == watch.mde


def test_before_the_first_item_there_is_no_gap() -> None:
    result = fed([]).result
    assert math.isnan(result.gap)
    assert result.to_dict()["gap"] is None
    assert result.moments == ()

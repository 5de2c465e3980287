"""Watch: words against the kernel and by hand, stopping, saving, refusals."""

import itertools
import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import nstar
from nstar._base.types import Interval
from nstar._verbs.watch import Watch, WatchQuestion
from nstar._verbs.watch.ledger import ItemPair
from nstar._verbs.watch.look import look
from nstar._verbs.watch.result import detectable_gap
from nstar._verbs.watch.state import WatchState
from nstar._verbs.watch.state_checks import opened, sealed
from nstar.errors import DataError, ParameterError
from nstar.stats import (
    Bets,
    asymptotic_sequence,
    betting_log_e,
    betting_sequence,
    gap_log_e,
    gap_sequence,
    mcnemar_log_e,
)

KINDS: list[dict[str, Any]] = [
    {},
    {"margin": 0.05},
    {"margin": 0.05, "equivalence": True},
    {"scale": "graded", "asymptotic": True},
    {"scale": "graded", "margin": 0.03},
    {"scale": "graded", "lower_is_better": True},
]


def fed(differences: Iterable[float], **question: Any) -> Watch:
    """A watch after differences in {-1, 0, 1}, or graded ones around ½."""
    watch = Watch(**{"items": 1000} | question)
    for k, d in enumerate(differences):
        watch.update(0.5 + d / 2, 0.5 - d / 2, item=k) if d % 1 else watch.update(d > 0, d < 0, k)
    return watch


def coins(n: int, up: float, down: float, seed: int = 5) -> list[int]:
    u = np.random.default_rng(seed).random(n)
    return np.where(u < up, 1, np.where(u < up + down, -1, 0)).tolist()


def saved(watch: Watch) -> Any:
    return json.loads(json.dumps(watch.to_dict(), allow_nan=False))


def test_evidence_is_the_kernels() -> None:
    d = coins(300, 0.12, 0.1)
    watch = fed(d, margin=0.05)
    b, c, a = d.count(1), d.count(-1), watch.question.mixture
    decision = watch.decision
    assert decision.gap == pytest.approx((b - c) / 300)
    assert decision.log_e_value == pytest.approx(float(mcnemar_log_e(b, c, a=a)))
    above = float(gap_log_e(b, c, 300, null=-0.05, a=a, tail="above"))
    assert decision.log_e_value_margin == pytest.approx(above)
    counts = [(d[: k + 1].count(1), d[: k + 1].count(-1)) for k in range(300)]
    peak = max(float(mcnemar_log_e(*pair, a=a)) for pair in counts)
    assert decision.pvalue == pytest.approx(math.exp(-max(peak, 0)))


def test_sequence_is_the_kernels() -> None:
    d = coins(200, 0.12, 0.1)
    watch = fed(d)
    want = gap_sequence(d.count(1), d.count(-1), 200, a=watch.question.mixture)
    assert watch.decision.confidence_sequence == pytest.approx([float(v) for v in want])


def test_graded_sequence_is_the_kernels() -> None:
    d = np.random.default_rng(1).normal(0.01, 0.2, 200).clip(-1, 1)
    watch = fed(d.tolist(), scale="graded", asymptotic=True)
    want = asymptotic_sequence(d.mean(), d.std(ddof=1), 200, tuned_at=1000)
    assert watch.decision.confidence_sequence == pytest.approx([float(v) for v in want])


def test_bets_are_the_kernels_on_a_coarser_grid() -> None:
    d = np.random.default_rng(1).normal(0.02, 0.2, 200).clip(-1, 1)
    watch = fed(d.tolist(), scale="graded")
    assert watch.decision.log_e_value == pytest.approx(float(betting_log_e(d)[-1]))
    low, high = (float(v) for v in betting_sequence(d))
    got = watch.decision.confidence_sequence
    assert low - 0.0051 <= got.low <= low + 0.0011
    assert high - 0.0011 <= got.high <= high + 0.0051


def test_word_comes_with_the_first_crossing() -> None:
    d = coins(1000, 0.16, 0.06)
    watch = fed(d)
    limit, a = math.log(20), watch.question.mixture
    crossed = [
        k
        for k in range(1, 1001)
        if float(mcnemar_log_e(d[:k].count(1), d[:k].count(-1), a=a)) >= limit
    ]
    assert watch.decision.verdict == "better"
    assert watch.decision.decided_at == crossed[0]
    assert fed([-x for x in d]).decision.verdict == "worse"


def test_word_and_sequence_agree_after_later_items() -> None:
    watch = fed([1] * 20 + [-1] * 30)
    assert watch.verdict == "better"
    assert watch.decision.log_e_value < math.log(20)
    assert watch.decision.confidence_sequence.low > 0


@pytest.mark.parametrize(("equivalence", "word"), [(False, "noninferior"), (True, "equivalent")])
def test_margin_words(equivalence: bool, word: str) -> None:
    watch = Watch(items=400, margin=0.1, equivalence=equivalence)
    for k in watch.stream(range(400)):
        watch.update(k % 20 != 0, k % 20 != 10)
    assert watch.verdict == word
    assert watch.decision.pvalue_margin is not None
    assert watch.decision.pvalue_margin <= 0.05


def test_not_worse_may_become_better_and_nothing_else_changes() -> None:
    watch = fed([0] * 60 + [1] * 40, margin=0.1)
    assert watch.verdict == "better"
    first = fed([0] * 60 + [1] * 40 + [-1] * 300, margin=0.1)
    assert first.verdict == "better"


def test_stream_stops_by_itself() -> None:
    watch = Watch(items=500)
    used = []
    for k in watch.stream(range(500)):
        used.append(k)
        watch.update(1, 0)
    assert len(used) == watch.n_items == watch.decision.decided_at
    assert watch.n_items < 15
    assert watch.decision.n_items_saved == 500 - watch.n_items


def test_futile_is_said_and_costs_nothing() -> None:
    d = [0, 1, 0, -1, 0, 0, 0, 0, 0, 0] * 40
    watch = Watch(items=500)
    for x in watch.stream(d):
        watch.update(x > 0, x < 0)
    before = watch.decision
    assert before.verdict == "futile"
    assert 50 <= before.n_items < 400
    assert before.decided_at is None
    for _ in range(60):
        watch.update(1, 0)
    assert watch.verdict == "better"


def test_chance_by_end_is_that_of_simulated_futures() -> None:
    d = ([1] * 13 + [0] * 40 + [-1] * 9 + [0] * 38) * 5
    watch = fed(d)
    decision = watch.decision
    assert decision.verdict == "open"
    rng = np.random.default_rng(3)
    b, c, n = d.count(1), d.count(-1), 500
    shares = rng.dirichlet([b + 1 / 3, c + 1 / 3, n - b - c + 1 / 3], 20_000)
    more = np.array([rng.multinomial(500, p) for p in shares])
    final = mcnemar_log_e(b + more[:, 0], c + more[:, 1], a=watch.question.mixture)
    assert decision.decision_probability == pytest.approx(
        float(np.mean(final >= math.log(20))), abs=0.03
    )


def test_chance_is_told_for_the_gap_seen_and_for_none() -> None:
    """Futures of a known gap, by simulation; without one, how often a decision comes by luck."""
    d = ([1] * 13 + [0] * 40 + [-1] * 9 + [0] * 38) * 5
    watch = fed(d)
    found, a = watch.decision, watch.question.mixture
    b, c, rng = d.count(1), d.count(-1), np.random.default_rng(4)
    seen = rng.multinomial(500, [0.13, 0.09, 0.78], 20_000)
    final = mcnemar_log_e(b + seen[:, 0], c + seen[:, 1], a=a)
    want = float(np.mean(final >= math.log(20)))
    assert found.decision_probability_at_gap == pytest.approx(want, abs=0.03)
    steps = rng.choice([1, -1, 0], (4000, 500), p=[0.11, 0.11, 0.78])
    wins, losses = (np.cumsum(steps == sign, axis=1) for sign in (1, -1))
    luck = (mcnemar_log_e(b + wins, c + losses, a=a) >= math.log(20)).any(axis=1).mean()
    assert found.decision_probability_at_zero is not None
    assert found.decision_probability_at_gap is not None
    assert luck <= found.decision_probability_at_zero + 0.01
    assert found.decision_probability_at_zero == pytest.approx(math.exp(found.log_e_value) / 20)
    assert found.decision_probability_at_gap is not None
    assert found.decision_probability_at_zero < found.decision_probability_at_gap
    at_gap = f"{100 * found.decision_probability_at_gap:.0f}%"
    said = f"{at_gap} if the true gap is +4.0 pp, and at most"
    assert said in " ".join(str(watch).split())


def test_chance_without_a_gap_counts_the_margin() -> None:
    watch = fed([-1, 1, *[0] * 7] * 30, margin=0.04)
    assert watch.verdict == "open"
    assert watch.decision.decision_probability_at_zero is not None
    assert watch.decision.decision_probability_at_zero > 0.3  # to be shown not worse, not by luck
    assert "if the true gap is 0.0 pp, and 44% if there is none" in " ".join(str(watch).split())


def test_items_more_is_when_the_same_rate_would_decide() -> None:
    watch = fed(([1] * 6 + [-1] * 4 + [0] * 40) * 4)
    more = watch.decision.more_items
    assert more is not None
    a = watch.question.mixture

    def log_e(n: float) -> float:
        return float(mcnemar_log_e(round(0.12 * n), round(0.08 * n), a=a))

    assert log_e(0.9 * (200 + more)) < math.log(20) < log_e(1.1 * (200 + more))


def test_no_end_in_sight_without_a_gap() -> None:
    assert fed([1, -1, 0, 0] * 20).decision.more_items is None


def test_all_items_in_and_undecided() -> None:
    watch = fed([1, -1] * 10, items=20)
    assert watch.verdict == "futile"
    assert "Inconclusive after all 20 items " in str(watch)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
def test_moments_are_what_was_told_on_the_way(kind: dict[str, Any]) -> None:
    d, told = coins(150, 0.25, 0.05), {}
    watch = Watch(items=1000, **kind)
    for k, x in enumerate(d, start=1):
        watch.update(x > 0, x < 0)
        if k % 30 == 0:
            told[k] = watch.decision
    told[150] = watch.decision
    if watch.decision.decided_at is not None:
        assert watch.decision.decided_at in [m.n_items for m in watch.moments]
    moments = {m.n_items: m for m in watch.moments}
    assert sorted(moments) == [m.n_items for m in watch.moments]
    assert 32 <= len(moments) <= 66
    for k in set(told) & set(moments):
        then, now = told[k], moments[k]
        assert now.gap == pytest.approx(then.gap)
        assert now.log_e_value == pytest.approx(then.log_e_value)
        assert now.log_e_value_margin == pytest.approx(then.log_e_value_margin)
        if then.decided_at in (None, watch.decision.decided_at):
            assert (now.low, now.high) == pytest.approx(then.confidence_sequence)
    assert Watch(items=20).moments == ()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_saved_in_the_middle_goes_on_the_same(kind: dict[str, Any]) -> None:
    d = coins(120, 0.15, 0.1)
    whole, half = fed(d, **kind), fed(d[:70], **kind)
    again = Watch.from_dict(saved(half), question=half.question)
    for k, x in enumerate(d[70:], start=70):
        again.update(x > 0, x < 0, item=k)
    assert saved(again) == saved(whole)
    assert again.decision == whole.decision


@pytest.mark.parametrize(
    "other",
    [{"alpha": 0.01}, {"margin": 0.02}, {"items": 900}, {"psi": 0.3}, {"models": ("x", "y")}],
)
def test_another_question_is_refused(other: dict[str, Any]) -> None:
    state = saved(fed([1, 0]))
    with pytest.raises(ParameterError, match=f"a different question: {next(iter(other))} was"):
        Watch.from_dict(state, question=WatchQuestion(**{"items": 1000} | other))


@pytest.mark.parametrize("part", ["question", "evidence", "standing", "order", "path", "items"])
def test_damaged_states_are_refused(part: str) -> None:
    state = saved(fed([1, 0]))
    with pytest.raises(ParameterError):
        Watch.from_dict({k: v for k, v in state.items() if k != part})
    with pytest.raises(ParameterError):
        Watch.from_dict(state | {part: None})


def forged(watch: Watch, part: str, name: str, value: Any) -> dict[str, Any]:
    """A state with one value changed and a checksum that fits."""
    body = opened(saved(watch))
    body[part][name] = value
    return sealed(body)


def test_a_state_with_another_mixture_is_refused() -> None:
    with pytest.raises(ParameterError, match="saved a"):
        Watch.from_dict(forged(fed([1, 0]), "evidence", "a", 50.0))
    with pytest.raises(ParameterError, match="schema of the saved state must be"):
        Watch.from_dict({"schema": "other"})


def test_items_without_scores_are_left_out_and_counted() -> None:
    watch = Watch(items=10)
    watch.update(None, 1, item=1)
    watch.update(math.nan, 1, item=2)
    watch.update(1, 1, item=3)
    assert (watch.n_items, watch.n_items_unscored) == (1, 2)
    assert "Excluded: 2 items without scores from both models" in str(watch)


def test_refusals() -> None:
    watch = Watch(items=10)
    watch.update(1, 0, item="q")
    with pytest.raises(DataError, match="'q' was already counted"):
        watch.update(1, 0, item="q")
    with pytest.raises(DataError, match=r"must be 0 or 1; got 0\.5"):
        watch.update(0.5, 0, item="r")
    assert "r" not in watch
    with pytest.raises(ParameterError, match="equivalence also needs margin"):
        Watch(items=10, equivalence=True)
    with pytest.raises(ParameterError, match="items must be at least 2"):
        Watch(items=1)
    with pytest.raises(ParameterError, match="margin"):
        Watch(items=10, margin=1.5)


def test_money_saved() -> None:
    watch = Watch(items=100)
    for _ in watch.stream(range(100)):
        watch.update(1, 0, cost=0.25)
    assert watch.decision.cost_saved == pytest.approx(0.25 * watch.decision.n_items_saved)
    assert fed([1]).decision.cost_saved is None


def test_public_names() -> None:
    assert nstar.Watch is Watch
    assert isinstance(nstar.Watch(items=10).decision, nstar.types.Decision)


def test_detectable_gap_has_the_wanted_power() -> None:
    watch = Watch(items=600, psi=0.3)
    gap = watch.mde
    assert gap is not None
    rng = np.random.default_rng(8)
    a, found = watch.question.mixture, 0
    for _ in range(400):
        u = rng.random(600)
        b = np.cumsum(u < (0.3 + gap) / 2)
        c = np.cumsum((u >= (0.3 + gap) / 2) & (u < 0.3))
        found += bool((mcnemar_log_e(b, c, a=a) >= math.log(20)).any())
    assert found / 400 == pytest.approx(0.8, abs=0.06)
    assert Watch(items=10, psi=0.2).mde is None


JUNK: list[Any] = ["x", None, -1, 10**30, 1e308, [], {}, True, ["a", "b"], "better", [[1]]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", [{"margin": 0.05}, {"scale": "graded"}])
def test_no_saved_value_ends_in_anything_but_a_refusal(kind: dict[str, Any]) -> None:
    """Every field with every piece of junk, under a checksum that fits and under one that not."""
    watch = fed(coins(20, 0.2, 0.1), **kind)
    state = saved(watch)
    for part in ("question", "evidence", "standing", "order", "path"):
        for name, junk in itertools.product(state[part], JUNK):
            if state[part][name] == junk:
                continue
            with pytest.raises(ParameterError, match="checksum"):
                Watch.from_dict(state | {part: state[part] | {name: junk}})
            try:
                again = Watch.from_dict(forged(watch, part, name, junk))
            except ParameterError:
                continue
            assert again.verdict in ("open", "futile")
            again.to_dict()


@pytest.mark.parametrize("word", ["better", "worse", "noninferior", "equivalent", "banana"])
def test_a_word_that_was_not_shown_is_not_believed(word: str) -> None:
    body = opened(saved(fed([1, 0, 0])))
    body["standing"] |= {"word": word, "decided_at": 2, "decided_in": [0.1, 0.4]}
    with pytest.raises(ParameterError, match="saved word"):
        Watch.from_dict(sealed(body))


def test_bets_are_the_default_for_graded_scores() -> None:
    assert WatchQuestion(items=500, scale="graded").method == "bets"
    assert WatchQuestion(items=500, scale="graded", asymptotic=True).method == "asymptotic"
    with pytest.raises(ParameterError, match="asymptotic needs at least 30 items"):
        WatchQuestion(items=20, scale="graded", asymptotic=True)
    with pytest.raises(ParameterError, match="asymptotic needs scale="):
        WatchQuestion(items=200, asymptotic=True)
    with pytest.raises(DataError, match=r"must be in \[0, 1\]; got 7"):
        Watch(items=50, scale="graded").update(7, 1, item="q")


@pytest.mark.slow
def test_rare_large_losses_do_not_look_harmless() -> None:
    """Noise, and a loss of nearly everything on 3% of items: the gap is the margin itself.

    The asymptotic sequence calls about half of these runs not worse, and so promises nothing.
    """
    rng, false = np.random.default_rng(12), 0
    for _ in range(25):
        watch = Watch(items=120, scale="graded", margin=0.0285)
        a = np.where(rng.random(120) < 0.03, 0.0, np.clip(rng.normal(0.95, 0.02, 120), 0, 1))
        for score in watch.stream(a.tolist()):
            watch.update(score, 0.95)
        false += watch.verdict in ("noninferior", "better")
    assert false <= 2
    told = str(Watch(items=150, scale="graded", asymptotic=True))
    assert "unreliable if large losses or wins are rare" in told
    assert "at most" not in told


def test_bets_on_short_runs_are_not_called_futile_too_soon() -> None:
    for horizon in (16, 20, 28):
        watch = Watch(items=horizon, scale="graded")
        for k in watch.stream(range(horizon)):
            watch.update(0.95 - 0.01 * (k % 3), 0.35)
        assert watch.verdict == "better", horizon
    watch = Watch(items=28, scale="graded")
    for k in range(8):
        watch.update(0.75 + 0.01 * (k % 3), 0.5)
    assert watch.decision.more_items is not None


def test_chance_of_bets_is_that_of_simulated_futures() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.06, 0.3, 100).clip(-1, 1)
    watch = fed(d.tolist(), scale="graded", items=400)
    assert watch.verdict == "open"
    at = int(np.argmin(np.abs(saved(watch)["evidence"]["nulls"])))
    start = {
        k: v[at : at + 1] if isinstance(v, list) else v
        for k, v in watch._evidence.to_dict().items()
    }
    hits = 0
    for _ in range(150):
        bets = Bets.from_dict(start)
        mean = d.mean() + d.std() / 10 * rng.standard_normal()
        for x in rng.normal(mean, d.std(), 300).clip(-1, 1):
            bets = bets.update(float(x))
            if bets.log_e[0] >= math.log(20):
                hits += 1
                break
    assert watch.decision.decision_probability == pytest.approx(hits / 150, abs=0.12)


def test_sequence_of_bets_never_has_width_zero() -> None:
    watch = fed([1.0] * 400 + [-0.999] * 400, scale="graded", items=800)
    low, high = watch._evidence.sequence()
    assert high - low >= 0.0099
    low, high = watch.decision.confidence_sequence
    assert low < high


def test_better_is_read_off_the_bets_and_not_off_the_mean() -> None:
    """Early losses won the bets; the mean has turned since, and is no evidence of a gain."""
    watch = fed([-0.9] * 40 + [0.6] * 61, scale="graded", margin=0.3)
    evidence = watch._evidence
    assert evidence.gap > 0
    assert evidence.log_differs() >= math.log(20)
    assert evidence.log_below(0.0) > evidence.log_above(0.0)
    standing = WatchState(word="noninferior", decided_at=1, decided_in=Interval(-0.2, 0.2))
    look(evidence, watch.question, standing)
    assert standing.word == "noninferior"


@pytest.mark.parametrize("kind", [{}, {"scale": "graded"}])
def test_less_is_better(kind: dict[str, Any]) -> None:
    watch = Watch(items=200, lower_is_better=True, **kind)
    for k in watch.stream(range(200)):
        watch.update(0, k % 3 > 0)
    assert watch.verdict == "better"
    assert watch.decision.gap < 0
    assert watch.decision.confidence_sequence.high < 0
    assert watch.score_range == (0.0, 1.0)
    assert "A lower score is better." in str(watch)


def test_an_interrupt_leaves_the_item_uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = fed([1, 0, -1])
    before = saved(watch)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("nstar._verbs.watch.watch.look", interrupted)
        with pytest.raises(KeyboardInterrupt):
            watch.update(1, 0, item="new", cost=1.0)
    assert saved(watch) == before
    with pytest.raises(ParameterError, match="cost"):
        watch.update(1, 0, item="new", cost=-1.0)
    assert saved(watch) == before
    watch.update(1, 0, item="new")
    assert watch.n_items == 4


def drawn_pairs(n: int, gap: float, *, graded: bool, seed: int) -> list[ItemPair]:
    """Items in random order, some without a score, with groups and costs."""
    rng = np.random.default_rng(seed)
    pairs = []
    for i in rng.permutation(n).tolist():
        u = rng.random()
        a, b = (float(x) for x in rng.normal([0.5 + gap / 2, 0.5], 0.2).clip(0, 1))
        if not graded:
            a, b = (1.0, 0.0) if u < 0.1 + gap / 2 else (0.0, 1.0) if u < 0.2 else (1.0, 1.0)
        score = None if seed % 3 and rng.random() < 0.03 else a
        group, cost = "xyz"[i % 3] if seed % 2 else None, None if i % 4 else 0.1 + u
        pairs.append(ItemPair(item=f"q{i}", a=score, b=b, group=group, cost=cost))
    return pairs


def one_by_one(watch: Watch, pairs: Iterable[ItemPair]) -> Watch:
    for p in pairs:
        watch.update(p.a, p.b, item=p.item, group=p.group, cost=p.cost)
    return watch


def alike(first: Any, second: Any) -> bool:
    """Equal, numbers to rounding."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(alike(first[k], second[k]) for k in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(alike, first, second))
    return bool(first == (pytest.approx(second, rel=1e-12) if type(second) is float else second))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", [*KINDS, {"margin": 0.1, "lower_is_better": True}])
@pytest.mark.parametrize(
    ("n", "horizon", "gap"),
    [(40, 150, 0.0), (120, 120, 0.03), (180, 150, -0.1), (100, 1000, 0.2)],
)
def test_many_at_once_are_the_same_as_one_by_one(
    kind: dict[str, Any], n: int, horizon: int, gap: float
) -> None:
    pairs = drawn_pairs(n, gap, graded=kind.get("scale") == "graded", seed=n)
    one = one_by_one(Watch(items=horizon, **kind), pairs)
    many, parts = Watch(items=horizon, **kind), np.random.default_rng(n)
    rest = iter(pairs)
    while some := list(itertools.islice(rest, int(parts.integers(1, 80)))):
        many.extend(some)
    first, second = opened(one.to_dict()), opened(many.to_dict())
    assert alike(json.loads(json.dumps(first)), json.loads(json.dumps(second)))
    assert one.verdict == many.verdict


def test_a_word_in_the_middle_of_many_items_has_its_moment() -> None:
    pairs = [ItemPair(item=f"q{k}", a=1, b=k % 3 > 0, group=None, cost=None) for k in range(200)]
    watch = Watch(items=200, margin=0.05)
    watch.extend(pairs)
    assert (
        watch.decision.decided_at
        == one_by_one(Watch(items=200, margin=0.05), pairs[:60]).decision.decided_at
    )
    assert watch.n_items == 200


def test_many_at_once_refuse_what_one_would() -> None:
    pairs = [ItemPair(item=f"q{k}", a=k % 2, b=1, group=None, cost=None) for k in range(20)]
    for bad in (
        ItemPair(item="q3", a=1, b=1, group=None, cost=None),
        ItemPair(item="new", a=0.5, b=1, group=None, cost=None),
    ):
        watch = Watch(items=200)
        with pytest.raises(DataError):
            watch.extend([*pairs, bad, ItemPair(item="late", a=1, b=1, group=None, cost=None)])
        assert watch.n_items == 20
        assert "late" not in watch
    with pytest.raises(ParameterError, match="cost"):
        Watch(items=200).extend([ItemPair(item="q", a=1, b=1, group=None, cost=-1.0)])


def test_counted_scores_are_kept_and_compared() -> None:
    watch = Watch(items=10)
    watch.update(1, 0, item=1)
    watch.update(None, 0, item=2)
    again = Watch.from_dict(saved(watch))
    assert list(again.items) == ["1", "2"]
    again.check_again(1, 1.0, 0.0)
    again.check_again(2, 1.0, 0.0)
    for item, a, b in ((1, 0.0, 0.0), (1, None, 0.0), (2, None, 1.0)):
        with pytest.raises(DataError, match="a different run"):
            again.check_again(item, a, b)


def test_an_item_that_was_run_without_a_score_was_run() -> None:
    watch = Watch(items=20)
    for k in range(16):
        watch.update(1, 0, item=k)
    watch.update(None, 0, item="broken")
    assert (watch.verdict, watch.decision.n_items_saved, watch.decision.n_items_left) == (
        "better",
        3,
        3,
    )
    told = str(watch)
    assert "Saved: 3 of 20 planned items" in told
    assert "Excluded: 1 item without scores from both models" in told


def test_a_run_ends_with_its_last_item_scored_or_not() -> None:
    watch = fed([1, -1] * 10, items=21)
    assert "Futile: the chance of a decision by item 21 is" in str(watch)
    watch.update(1, None, item="broken")
    assert "Inconclusive after all 21 items " in str(watch)


def test_detectable_gap_of_a_long_run_is_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million items have more discordant ones than can be followed exactly."""
    exact = Watch(items=40_000).mde
    assert exact is not None
    monkeypatch.setattr("nstar._verbs.watch.result._FOLLOWED", 2_000)
    scaled = detectable_gap(WatchQuestion(items=40_000, psi=0.2))
    assert scaled == pytest.approx(exact, rel=0.03)
    monkeypatch.undo()
    gap = Watch(items=1_000_000).mde
    assert gap == pytest.approx(exact / 5, rel=0.05)
    assert "with 80% power" in Watch(items=1_000_000).result.render(level="full")

"""``battles --since``: every change has its step, and the votes of both sets are counted."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.ballots import ballots, columns
from helpers.commands import Command
from nstar import report
from nstar._data.votes import VoteGrouping, Votes, n_differing
from nstar._verbs.battles import contrasts
from nstar.errors import DataError

OPTIONS: dict[str, Any] = {"draws": 999}


def battles(votes: Any, **options: Any) -> nstar.Battles:
    return nstar.battles(votes, **OPTIONS, **options)


def changes(new: Any, old: Any, **options: Any) -> Any:
    return battles(new, since=old, **options).changes


def without(votes: Votes, *models: str) -> Votes:
    is_kept = ~np.isin(votes.models, models)
    return votes.select(is_kept[votes.first] & is_kept[votes.second])


def part(votes: Votes, n: int) -> Votes:
    return votes.select(np.arange(len(votes)) < n)


VOTES = ballots(votes=1500)


def text_of(result: nstar.Battles) -> str:
    return " ".join(report.render(result, "text", level="full").split())


def test_same_votes_have_no_changes() -> None:
    order = np.random.default_rng(1).permutation(len(VOTES))
    data = columns(votes=1500)
    shuffled = Votes.of(
        *(np.array(data[key])[order].tolist() for key in ("first", "second", "score")),
        groups={name: np.array(v)[order].tolist() for name, v in data["groups"].items()},
    )
    result = battles(VOTES, since=shuffled)
    c: Any = result.changes
    assert (c.n_added, c.n_removed, c.rank_changes, c.verdict_changes) == (0, 0, (), ())
    assert [b.step for b in c.boards] == [None]
    assert result.headline.startswith(
        "Since the older results: the same models and votes. No rank range changed."
    )


def test_new_votes_and_newly_rated_models() -> None:
    c = changes(VOTES, part(without(VOTES, "m2"), 300))
    steps = [(b.step, b.n_models) for b in c.boards]
    assert steps == [(None, 4), ("votes", 4), ("new_models", 5)]
    assert c.boards[1].n_units == len(without(VOTES, "m2"))
    assert (c.models_added, c.models_removed) == (("m2",), ())
    assert (c.n_added, c.n_removed) == (1200, 0)
    assert c.rank_changes
    assert all(set(r.reasons) <= {"votes", "new_models"} for r in c.rank_changes)
    assert all(v.reason in {"votes", "new_models"} for v in c.verdict_changes)


def test_each_board_is_the_rating_of_its_votes() -> None:
    c = changes(VOTES, part(without(VOTES, "m2"), 300))
    old, between, now = (
        battles(v) for v in (part(without(VOTES, "m2"), 300), without(VOTES, "m2"), VOTES)
    )
    assert [b.critical_value for b in c.boards] == [b.critical_value for b in (old, between, now)]
    ranges = [
        {m: (low, high) for m, low, high in zip(b.ratings.model, *ends, strict=True)}
        for b in (old, between, now)
        for ends in [(b.ratings.rank_low.tolist(), b.ratings.rank_high.tolist())]
    ]
    shared = set(ranges[0]) & set(ranges[2])
    assert {r.model for r in c.rank_changes} == {m for m in shared if ranges[0][m] != ranges[2][m]}
    for r in c.rank_changes:
        path = [x[r.model] for x in ranges]
        assert (r.old_low, r.old_high) == path[0]
        assert (r.low, r.high) == path[2]
        assert ("votes" in r.reasons) is (path[1] != path[0])
        assert ("new_models" in r.reasons) is (path[2] != path[1])


def test_gaps_and_verdicts_are_those_of_both_results() -> None:
    few = part(VOTES, 300)
    c, old, now = changes(VOTES, few), battles(few), battles(VOTES)
    known = {
        (a, b): (elo, low, high, verdict)
        for t in (now.adjacent,)
        for a, b, elo, low, high, verdict in zip(
            *(t.model_a, t.model_b, t.elo, t.ci_adjusted_low, t.ci_adjusted_high, t.verdict),
            strict=True,
        )
    }
    assert c.verdict_changes
    for v in c.verdict_changes:
        if (v.model_a, v.model_b) in known:
            elo, low, high, verdict = known[v.model_a, v.model_b]
            assert (v.gap, *v.ci) == pytest.approx((elo, low, high))
            assert v.verdict == verdict
        rating = dict(zip(old.ratings.model, old.ratings.rating.tolist(), strict=True))
        assert v.old_gap == pytest.approx(rating[v.model_a] - rating[v.model_b])
        assert {v.old_verdict, v.verdict} == {"significant", "inconclusive"}
    counts = [x.verdict_counts["significant"] for x in (old, now)]
    assert abs(counts[1] - counts[0]) <= c.n_verdict_changes


def test_removed_models_and_votes() -> None:
    c = changes(part(without(VOTES, "m4"), 500), VOTES)
    assert [b.step for b in c.boards] == [None, "removed_models", "votes"]
    assert (c.models_removed, c.n_added, c.n_removed) == (("m4",), 0, 1000)
    text = text_of(battles(part(without(VOTES, "m4"), 500), since=VOTES))
    assert "1 model without a rating now (m4) and 1,000 removed votes." in text


def test_model_without_a_rating_before_is_newly_rated() -> None:
    wins = Votes.of(["z"] * 10, [f"m{k % 5}" for k in range(10)], [1.0] * 10)
    old, new = joined(VOTES, wins), joined(VOTES, wins, Votes.of(["m0"] * 5, ["z"] * 5, [1.0] * 5))
    assert [u.model for u in battles(old).unrated] == ["z"]
    c = changes(new, old)
    assert (c.models_added, c.n_added) == (("z",), 5)
    assert [b.step for b in c.boards] == [None, "new_models"]
    assert "1 newly rated model (z) and 5 new votes." in battles(new, since=old).headline


def joined(*parts: Votes) -> Votes:
    names = [np.array(v.models, object) for v in parts]
    return Votes.of(
        np.concatenate([n[v.first] for n, v in zip(names, parts, strict=True)]).tolist(),
        np.concatenate([n[v.second] for n, v in zip(names, parts, strict=True)]).tolist(),
        np.concatenate([v.score for v in parts]),
    )


def test_models_that_only_new_models_connect_have_no_reasons() -> None:
    """Without the votes on x, no path leads from a and b to c and d."""
    left, right = ballots((0.3, 0.0), 80), ballots((0.5, 0.0), 80, seed=4)
    right = replace(right, models=("m2", "m3"))
    bridge = Votes.of(["m0", "m2"] * 20, ["m2", "m1"] * 20, [1, 1, 0, 0] * 10)
    star = Votes.of(["x"] * 80, ["m0", "m1", "m2", "m3"] * 20, [1, 0, 0.5, 1, 0] * 16)
    result = battles(joined(left, right, star), since=joined(left, right, bridge))
    c: Any = result.changes
    assert not c.has_reasons
    assert c.n_models_compared == 4
    assert c.boards == ()
    assert all(r.reasons == () for r in c.rank_changes)
    assert "cannot rate all of them, so the report cannot give reasons" in text_of(result)


def test_older_result_has_no_votes(tmp_path: Path) -> None:
    few = part(VOTES, 300)
    path = tmp_path / "old.json"
    path.write_text(battles(few).to_json(), encoding="utf-8")
    result, full = battles(VOTES, since=path), changes(VOTES, few)
    c: Any = result.changes
    assert (c.has_reasons, c.n_added, c.n_units_old, c.n_units) == (False, None, 300, 1500)
    assert [(r.model, r.old_low, r.old_high, r.low, r.high) for r in c.rank_changes] == [
        (r.model, r.old_low, r.old_high, r.low, r.high) for r in full.rank_changes
    ]
    assert "old.json has no votes, so the report cannot give reasons." in text_of(result)
    assert nstar.Battles.from_json(result.to_json()).changes == c
    for option, values in (("ties", "half; now drop"), ("alpha", "0.05; now 0.01")):
        with pytest.raises(DataError, match=rf"another {option} \({values}\)"):
            battles(VOTES, since=path, **{option: "drop" if option == "ties" else 0.01})


def test_both_sets_use_holm_if_the_newer_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    old = without(VOTES, "m2")
    assert changes(VOTES, old).old_method == "maxt"
    assert changes(VOTES, old, adjust="holm").old_method == "holm"
    monkeypatch.setattr(contrasts, "MOST_MODELS", 4)
    result = battles(VOTES, since=old)
    c: Any = result.changes
    assert (c.old_method, c.method) == ("maxt", "holm")
    assert c.boards[0].critical_value == battles(old, adjust="holm").critical_value
    assert "Both snapshots are compared with Holm's method." in text_of(result)
    result = battles(old, since=VOTES)
    c = result.changes
    assert (c.old_method, c.method) == ("holm", "maxt")
    assert "which alone can change rank ranges and verdicts." in result.headline


def test_options_that_need_all_models_do_not_stop_the_replay() -> None:
    c = changes(VOTES, part(without(VOTES, "m2"), 400), anchor=("m2", 1000.0), next=50, top=2)
    assert [b.step for b in c.boards] == [None, "votes", "new_models"]
    assert changes(VOTES, part(VOTES, 900), cluster="prompt").rank_changes is not None
    assert changes(VOTES, part(VOTES, 900), control="length", planned=5000).n_added == 600


def test_votes_are_matched_by_content() -> None:
    def votes(*rows: tuple[str, str, float, Any], **fields: Any) -> Votes:
        first, second, score, prompt = zip(*rows, strict=True)
        return Votes.of(first, second, score, groups={"prompt": prompt}, **fields)

    old = votes(("x", "y", 1, "p"), ("x", "y", 1, "p"), ("y", "x", 0, None), ("y", "z", 0.5, "s"))
    assert n_differing(old, old) == (0, 0)
    assert n_differing(old, old.select(np.arange(4) > 0)) == (1, 0)
    other = votes(
        ("x", "y", 1, "p"), ("x", "y", 1, "q"), ("y", "x", 1, None), ("z", "y", 0.5, "s")
    )
    assert n_differing(old, other) == (3, 3)
    assert n_differing(old, replace(other, ordered=False)) == (2, 2)
    assert n_differing(old, replace(other, groups={})) == (2, 2)
    numbers, texts = (
        replace(old, groups={"prompt": VoteGrouping.of(ids)})
        for ids in ([7, 8, 9, 7], list("7897"))
    )
    assert n_differing(numbers, texts) == (0, 0)
    weighted = replace(old, weight=np.array([1.0, 2, 1, 1]))
    assert n_differing(old, weighted) == (1, 1)


def test_number_of_differing_votes_is_that_of_multisets() -> None:
    rng = np.random.default_rng(8)

    def random_votes(n: int, models: str, prompts: int) -> tuple[Votes, Counter[Any]]:
        first = rng.choice(list(models), n).tolist()
        second = [rng.choice([m for m in models if m != name]) for name in first]
        score = rng.choice([0, 0.5, 1], n).tolist()
        prompt = [f"p{k}" if k else None for k in rng.integers(0, prompts, n)]
        votes = Votes.of(first, second, score, groups={"prompt": prompt, "judge": prompt})
        return votes, Counter(zip(first, second, score, prompt, strict=True))

    for seed in range(20):
        (old, a), (new, b) = random_votes(60, "abc", 3), random_votes(90, "bcd", 2 + seed % 4)
        assert n_differing(old, new) == ((a - b).total(), (b - a).total())


def test_command(tmp_path: Path) -> None:
    lines = ["model_a,model_b,winner", *["x,y,model_a"] * 60, *["x,y,model_b"] * 20]
    new, old = tmp_path / "new.csv", tmp_path / "old.csv"
    new.write_text("\n".join(lines), encoding="utf-8")
    old.write_text("\n".join([*lines[:20], lines[-1]]), encoding="utf-8")
    run = Command("battles").run(str(new), "--since", str(old), "--html", str(tmp_path / "p.html"))
    assert run.exit_code == 0
    assert run.stdout.startswith("Since old.csv: 60 new votes.")
    assert ">What changed</h2>" in (tmp_path / "p.html").read_text(encoding="utf-8")
    run = Command("battles").run(str(new), "--since", str(old), "--format", "json")
    assert json.loads(run.stdout)["changes"]["n_added"] == 60
    run = Command("battles").run(str(new), "--since", str(tmp_path / "absent.csv"))
    assert run.exit_code == 3
    assert "--since: " in run.stderr

"""Every number about items, against plain numpy."""

import numpy as np
import pytest

import nstar
from nstar._base.types import Array
from nstar._verbs.items.scan import ROWS
from nstar.errors import DataError, NstarError
from nstar.report.page import page


def made(models: int = 20, items: int = 203, *, absent: float = 0.0, seed: int = 0) -> Array:
    """0/1 scores with difficulty, some items dead."""
    rng = np.random.default_rng(seed)
    ability, hard = rng.normal(0, 0.7, models), rng.normal(0, 2.0, items)
    x = (rng.random((models, items)) < 1 / (1 + np.exp(hard - ability[:, None]))).astype(float)
    x[rng.random(x.shape) < absent] = np.nan
    return x


def ask(x: Array, **asked: object) -> nstar.Items:
    names = [f"m{k:04}" for k in range(len(x))]
    return nstar.items(nstar.ScoreMatrix.from_arrays(x, models=names), **asked)  # type: ignore[arg-type]


def best_first(x: Array) -> Array:
    return x[np.argsort(-np.nanmean(x, axis=1), kind="stable")]


@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_dead_items(absent: float) -> None:
    x = made(absent=absent)
    found, rows = ask(x, top=5), best_first(x)
    for cohort, some in ((found.item_counts, rows), (found.item_counts_top, rows[:5])):
        low, high = np.nanmin(some, axis=0), np.nanmax(some, axis=0)
        assert cohort.n_all_correct == np.count_nonzero(low == 1)
        assert cohort.n_all_wrong == np.count_nonzero(high == 0)
        assert cohort.n_discriminating == np.count_nonzero(low != high)
        assert (
            cohort.n_non_discriminating + cohort.n_discriminating == cohort.n_items == x.shape[1]
        )
        assert cohort.n_all_equal == 0


@pytest.mark.parametrize("absent", [0.0, 0.1])
@pytest.mark.parametrize("graded", [False, True])
def test_item_rest_and_means(absent: float, graded: bool) -> None:
    x = made(absent=absent)
    if graded:
        x = x * np.random.default_rng(1).random(x.shape)
    found = ask(x)
    expected = nstar.stats.item_rest(x)
    np.testing.assert_allclose(found.table.r, expected, atol=1e-11)
    np.testing.assert_allclose(found.table.mean, np.nanmean(x, axis=0), atol=1e-12)
    r = found.table.r
    assert found.negative_share == pytest.approx(np.mean(r < 0))
    assert found.median_r == pytest.approx(np.nanmedian(r))
    order = np.argsort(np.where(r < 0, r, 9), kind="stable")[: np.count_nonzero(r < 0)]
    assert found.table.suspicion_rank[order].tolist() == list(range(1, len(order) + 1))


def test_leading_pairs_are_those_of_compare() -> None:
    x = made()
    found, rows = ask(x, top=4), best_first(x)
    for k in range(3):
        one = nstar.compare(rows[k], rows[k + 1]).tasks[0]
        assert found.pairs.gap[k] == pytest.approx(one.gap)
        assert one.counts is not None
        assert found.pairs.n_discordant[k] == one.counts.n10 + one.counts.n01
        assert found.pairs.psi[k] == pytest.approx(one.counts.psi)
        assert found.pairs.mde[k] == pytest.approx(one.mde)


def test_revival_leaves_each_model_out() -> None:
    x = made(models=9)
    found = ask(x).revival
    assert found is not None
    shares: dict[str, list[float]] = {"wrong": [], "right": []}
    for k in range(len(x)):
        others = np.delete(x, k, axis=0)
        dead = others.sum(axis=0) == 0, others.sum(axis=0) == len(x) - 1
        shares["wrong"].append(x[k, dead[0]].mean())
        shares["right"].append(1 - x[k, dead[1]].mean())
    assert found.all_wrong_share == pytest.approx(np.mean(shares["wrong"]))
    assert found.all_correct_share == pytest.approx(np.mean(shares["right"]))
    assert found.all_wrong_share_max == pytest.approx(max(shares["wrong"]))
    assert found.all_correct_share_max == pytest.approx(max(shares["right"]))


def test_reliability_is_of_items_that_all_have() -> None:
    x = made(absent=0.02)
    found = ask(x, top=6).reliability
    assert found is not None
    whole = best_first(x)[:, ~np.isnan(x).any(axis=0)]
    for value, some in ((found.cronbach_alpha, whole), (found.cronbach_alpha_top, whole[:6])):
        n = some.shape[1]
        alpha = n / (n - 1) * (1 - some.var(axis=0).sum() / some.sum(axis=1).var())
        assert value == pytest.approx(alpha)
    assert found.n_items == whole.shape[1]


def test_less_is_better_turns_everything_round() -> None:
    x = made(models=6)
    names = [f"m{k}" for k in range(6)]
    up = nstar.items(nstar.ScoreMatrix.from_arrays(x, models=names))
    turned = nstar.ScoreMatrix.from_arrays(1 - x, models=names)
    object.__setattr__(turned, "lower_is_better", True)
    down = nstar.items(turned)
    assert down.models == up.models
    assert (down.item_counts.n_all_correct, down.item_counts.n_all_wrong) == (
        up.item_counts.n_all_correct,
        up.item_counts.n_all_wrong,
    )
    assert down.revival == up.revival
    for one, other in zip(down.heatmap_rows, up.heatmap_rows, strict=True):
        np.testing.assert_allclose(one.shares, other.shares)


def test_scores_of_0_and_100_are_right_and_wrong() -> None:
    x = made(models=6)
    one, hundred = ask(x), ask(100 * x)
    assert hundred.is_binary
    assert hundred.item_counts == one.item_counts
    np.testing.assert_allclose(hundred.table.r, one.table.r)


def test_graded_scores_that_are_all_alike() -> None:
    x = np.array([[1, 0, 0.5, 0.2], [1, 0, 0.5, 0.4], [1, 0, 0.5, 0.9]])
    found = ask(x)
    assert found.table.status == ("all right", "all wrong", "all alike", "live")
    assert found.revival is None
    assert found.pairs.n_discordant.tolist() == [1, 1]


def test_near_the_ceiling() -> None:
    rng = np.random.default_rng(2)
    x = (rng.random((3, 500)) < [[0.99], [0.98], [0.7]]).astype(float)
    found = ask(x).ceiling
    assert found is not None
    first, second = np.sort(x.mean(axis=1))[::-1][:2]
    assert found.max_psi == pytest.approx(2 - first - second)
    assert found.max_gap == pytest.approx(1 - first)
    best = nstar.stats.McNemarTest().mde_unopposed(500)
    assert found.mde == pytest.approx(float(best))
    assert "which these items cannot detect" in ask(x).render(level="full")


def test_items_on_either_side_of_a_day() -> None:
    x = made(models=4, items=60)
    days = ["2024-01-0" + str(1 + k % 9) for k in range(30)] + ["2025-06-30T10:00"] * 30
    matrix = nstar.ScoreMatrix.from_arrays(x, models=list("abcd"), groups={"released": days})
    found = nstar.items(matrix, split="released", after="2025-01-01").split
    assert found is not None
    assert found.n_items == (30, 30)
    assert found.labels == ("before 2025-01-01", "since 2025-01-01")
    rows = best_first(x)
    d = rows[0] - rows[1]
    pair = found.pairs[0]
    assert (pair.gap_first, pair.gap_second) == pytest.approx((d[:30].mean(), d[30:].mean()))
    assert pair.gap_change == pytest.approx(d[:30].mean() - d[30:].mean())
    assert pair.gap_change_ci is not None
    assert float(pair.gap_change_ci.low) < pair.gap_change < float(pair.gap_change_ci.high)


def test_a_split_that_cannot_be_meant() -> None:
    x = made(models=3, items=30)
    groups = {"kind": ["a", "b", "c"] * 10, "day": ["2024-01-01", "soon", "2025-01-01"] * 10}
    matrix = nstar.ScoreMatrix.from_arrays(x, models=list("abc"), groups=groups)
    for asked, said in (
        ({"split": "kind"}, r"two kinds of items; found 3 \(a, b, c\)"),
        ({"split": "nothing"}, "No group column 'nothing'. Available: kind, day"),
        ({"split": "day", "after": "2024-06-01"}, "every day of the items must be a date.*'soon'"),
        ({"split": "day", "after": "June"}, "must be a date such as 2024-06-01; got 'June'"),
        ({"after": "2024-06-01"}, "after also needs split"),
        ({"top": 1}, "top must be a whole number of at least 2; got 1"),
        ({"label_errors": 0.5}, "a share of wrong keys of at least 0 and less than 0.5; got 0.5"),
        ({"items": "some"}, "items must be"),
    ):
        with pytest.raises(NstarError, match=said):
            nstar.items(matrix, **asked)


def test_many_models_share_rows_of_the_picture() -> None:
    x = made(models=150, items=400, seed=8)
    found = ask(x)
    assert len(found.heatmap_rows) == ROWS
    assert sum(row.n_models for row in found.heatmap_rows) == 150
    assert sum(b.n_items for b in found.heatmap_bins) == 400
    rows = best_first(x)
    assert found.heatmap_rows[0].mean == pytest.approx(
        rows[: found.heatmap_rows[0].n_models].mean()
    )
    whole = (
        sum(
            s * b.n_items
            for s, b in zip(found.heatmap_rows[0].shares, found.heatmap_bins, strict=True)
        )
        / 400
    )
    assert whole == pytest.approx(found.heatmap_rows[0].mean)


def test_common_items_only() -> None:
    x = made(models=5, items=50)
    x[0, :7] = np.nan
    found = ask(x, items="common")
    assert (found.n_items, found.n_items_left_out, found.is_complete) == (43, 7, True)
    assert ask(x).n_items == 50
    assert ask(x).revival is None


def test_one_task_and_two_models_at_least() -> None:
    one = nstar.ScoreMatrix.from_arrays(made(3, 20), models=list("abc"), task="s")
    other = nstar.ScoreMatrix.from_arrays(made(3, 20), models=list("abc"), task="t")
    with pytest.raises(DataError, match=r"one task at a time. Set tasks to one of them: 's', 't'"):
        nstar.items([one, other])
    assert nstar.items([one, other], tasks="t").task == "t"
    with pytest.raises(NstarError):
        nstar.items({"a": [1, 0, 1]})
    said = {"model": [*"aaabbb"], "item": [1, 2, 3] * 2, "x": [1, 0, 1, 0, 1, 1]}
    said["people"] = said["x"]
    with pytest.raises(NstarError, match="scores as they are"):
        nstar.items(said, columns={"judge": "x", "label": "people"})


def test_a_gap_that_changes_with_the_kind_of_item_opens_the_answer() -> None:
    scores = np.ones((3, 200))
    scores[1, :80] = 0  # a leads b by much on old items, and not at all on new ones
    scores[2] = 0
    board = nstar.ScoreMatrix.from_arrays(
        scores, models=list("abc"), groups={"age": ["old"] * 100 + ["new"] * 100}
    )
    said = str(nstar.items(board, split="age"))
    assert said.startswith("The gap between a and b differs by age: ")
    assert "+80 pp (old)" in " ".join(said.split())
    assert "1 of 2 neighbors" not in said or "neighbors in rank is" in said


def test_the_longest_name_is_not_cut() -> None:
    name = "<img src=x onerror=alert(1)>"
    found = nstar.items({name: [1, 1, 0, 1], "b": [1, 0, 0, 1], "c": [0, 0, 0, 1]})
    assert "&lt;img src=x onerror=alert(1)&gt;</text>" in found.figure().svg
    text = page(found)
    assert '<th scope="col">next</th>' in text  # a column of names stands left


def test_two_models_and_identical_ones() -> None:
    two = nstar.items({"a": [1, 1, 0, 1], "b": [1, 0, 0, 1]})
    assert two.reliability is None
    assert "both models are right (2) or wrong (1)" in str(two)
    same = nstar.items({"a": [1, 1, 0, 1], "b": [1, 1, 0, 1], "c": [1, 1, 0, 1]})
    assert same.item_counts.n_discriminating == 0
    assert "The top two models, a and b, do not differ on any item." in " ".join(str(same).split())
    for text in (two.render("json"), same.render("json")):
        nstar.Items.from_json(text)
    assert nstar.Items.from_json(two.to_json()) == two


def test_it_goes_to_json_and_back_with_missing_numbers() -> None:
    found = ask(made(absent=0.1), label_errors=0.05)
    assert nstar.Items.from_json(found.to_json()) == found


@pytest.mark.parametrize("models", [6, 20])
def test_chance_alone_flags_as_many_items_as_the_rasch_model_has(models: int) -> None:
    """Items without a wrong key: those that are flagged are flagged by chance."""
    seeds = range(8)
    every = [ask(made(models=models, items=600, seed=seed)) for seed in seeds]
    for flagged, expected in (
        ("negative_share", "negative_share_by_chance"),
        ("low_share", "low_share_by_chance"),
    ):
        share = float(np.mean([getattr(x, flagged) for x in every]))
        by_chance = float(np.mean([getattr(x, expected) for x in every]))
        error = np.sqrt(share * (1 - share) / (600 * len(every)))
        assert by_chance == pytest.approx(share, abs=4 * error + 0.005)
    assert (
        every[0].negative_share_by_chance
        == ask(made(models=models, items=600)).negative_share_by_chance
    )
    text = every[0].render(level="full")
    assert "chance alone puts about" in " ".join(text.split())


def test_chance_is_not_estimated_without_a_model_of_it() -> None:
    graded = made() * np.random.default_rng(1).random((20, 203))
    for x in (made(absent=0.1), graded, made(models=4)):
        found = ask(x)
        assert found.negative_share_by_chance is found.low_share_by_chance is None
        assert "chance alone puts" not in found.render(level="full")

"""Too many models to hold: the same answers tile by tile, with any workers and any tile."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.boards import board, scores, subjects
from nstar import Audit, ScoreMatrix, audit
from nstar._engine.gram import gram
from nstar._engine.pairs import panel
from nstar._engine.work import Execution
from nstar._verbs.audit.family import ExactFamily, HistogramFamily
from nstar._verbs.audit.tally import BinnedMedian, BinScale
from nstar._verbs.audit.tiles import counted_tile
from nstar.stats import McNemarTest, mcnemar_pvalue
from nstar.stats._midp import BOUND, REACH

DESIGNS: dict[str, dict[str, Any]] = {
    "items": {},
    "strata": {"strata": "s"},
    "cluster": {"cluster": "s"},
}
pytestmark = pytest.mark.usefixtures("few_draws")
WIDTH = np.exp(46.0 / (1 << 14))
"""Of a bin of p-values: 0.3%."""


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """From five models on, tiles of a few models."""
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.MOST_MODELS", 4)
    monkeypatch.setattr("nstar._verbs.audit.tiles.TILE", 7)
    return monkeypatch


def plain(found: Audit) -> dict[str, Any]:
    """Everything that is counted over all pairs, as plain values."""
    return {
        "verdict_counts": found.verdict_counts,
        "ranking": {k: list(v) for k, v in found.ranking.columns().items()},
        "gap_bins": [asdict(b) for b in found.gap_bins],
        "sensitivity": [asdict(s) for s in found.sensitivity],
        "spreads": [None if s is None else asdict(s) for s in (found.rho, found.pairing_gain)],
        "adjacent": {k: list(v) for k, v in found.adjacent.columns().items()},
        "critical_value": found.critical_value,
        "pairs": found.n_pairs,
    }


def leaderboard(*, graded: bool, missing: float, models: int = 22) -> ScoreMatrix:
    x = scores(12, models=models, items=260, graded=graded, missing=missing, spread=2.5)
    return board(x, labels=subjects(12, 260, groups=12))


def assert_alike(found: Any, wanted: Any, where: str = "") -> None:
    """The same, numbers to 0.3%."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            assert_alike(found[key], value, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_alike(one, other, f"{where}[{k}]")
    elif isinstance(wanted, float | np.floating):
        assert found == pytest.approx(wanted, rel=0.003, abs=1e-12, nan_ok=True), where
    else:
        assert found == wanted, where


@pytest.mark.sampled(5)
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("kind", DESIGNS)
def test_held_and_streamed_agree(
    kind: str, graded: bool, missing: float, streamed: pytest.MonkeyPatch
) -> None:
    matrix = leaderboard(graded=graded, missing=missing)
    adjust = "bh" if graded == (missing > 0) else "holm"  # each with each of the others
    options: dict[str, Any] = {"adjust": adjust, "margin": 0.1, "pairs": "top:4", **DESIGNS[kind]}
    tiles = plain(audit(matrix, **options))
    streamed.setattr("nstar._verbs.audit.pair_analysis.MOST_HELD", 1000)
    streamed.setattr("nstar._verbs.audit.run.MOST_HELD", 1000)
    held = plain(audit(matrix, **options))
    counted = {(s["assumption"], s["family"]): s for s in tiles.pop("sensitivity")}
    for row in held.pop("sensitivity"):
        one = counted[row["assumption"], row["family"]]
        if one["reason"] and "unless declared" in one["reason"]:
            continue
        if missing and row["family"] == "all":  # degrees of freedom differ from pair to pair
            for key in ("critical_value", "t_resolved"):
                assert (one.pop(key) is None) == (row.pop(key) is None)
        assert_alike(one, row, str(row))
    if missing:
        tiles.pop("critical_value")
        held.pop("critical_value")
    assert_alike(tiles, held)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize(("graded", "missing"), [(False, 0.0), (True, 0.2)])
def test_tiles_and_workers_change_nothing(
    graded: bool, missing: float, kind: str, streamed: pytest.MonkeyPatch
) -> None:
    matrix = leaderboard(graded=graded, missing=missing)
    once: dict[str, Any] = {}
    for tile, workers in ((256, 1), (3, 2), (21, 3)):
        streamed.setattr("nstar._verbs.audit.tiles.TILE", tile)
        found = plain(
            audit(matrix, execution=Execution(workers=workers), margin=0.1, **DESIGNS[kind])
        )
        once = once or found
        assert found["verdict_counts"] == once["verdict_counts"], (tile, workers)
        assert found["ranking"] == once["ranking"], (tile, workers)
        assert_alike(found, once, str((tile, workers)))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("kind", "graded", "missing"),
    [
        ("items", False, 0.0),
        ("items", True, 0.15),
        ("strata", False, 0.15),
        ("strata", True, 0.0),
        ("cluster", False, 0.0),
        ("cluster", True, 0.15),
    ],
)
def test_what_is_kept_between_passes_does_not_change_a_bit(
    kind: str, graded: bool, missing: float, streamed: pytest.MonkeyPatch
) -> None:
    matrix = leaderboard(graded=graded, missing=missing)
    found = [
        str(plain(audit(matrix, execution=Execution(memory=m, workers=2), **DESIGNS[kind])))
        for m in (0, 1000, None)
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_both_engines_count_alike(missing: float, streamed: pytest.MonkeyPatch) -> None:
    matrix = leaderboard(graded=False, missing=missing, models=50)
    ours = str(plain(audit(matrix)))
    streamed.setattr("nstar._engine.gram.popcount._numkong", lambda: None)
    for memory in (0, None):
        assert str(plain(audit(matrix, execution=Execution(memory=memory)))) == ours


@pytest.mark.parametrize("missing", [0.0, 0.02])
@pytest.mark.parametrize("rule", [{}, {"power": 0.9999999}, {"alpha": 1e-8}])
def test_pairs_too_far_apart_to_be_in_doubt(
    rule: dict[str, float], missing: float, streamed: pytest.MonkeyPatch
) -> None:
    x = scores(5, models=24, items=3000, missing=missing, spread=4)
    matrix = board(x)
    options: dict[str, Any] = {"adjust": "holm", "margin": 0.1, **rule}
    tiles = plain(audit(matrix, **options))
    streamed.setattr("nstar._verbs.audit.pair_analysis.MOST_HELD", 1000)
    streamed.setattr("nstar._verbs.audit.run.MOST_HELD", 1000)
    held = plain(audit(matrix, **options))
    for found in (tiles, held):
        del found["sensitivity"], found["critical_value"]
    assert_alike(tiles, held)
    assert tiles["verdict_counts"]["significant"] > 100


def test_far_pairs_are_those_that_every_ruler_settles() -> None:
    x = scores(5, models=24, items=3000, spread=4)
    models = panel(board(x), range(24), np.arange(3000))
    tile = counted_tile(gram(models.data, models.data), models, models, (0, 0))
    far = tile.far(REACH)
    assert 50 < far.sum() < far.size - 50
    g = tile.gram
    p = mcnemar_pvalue(*g.discordant)
    assert p[far].max() < BOUND
    assert (McNemarTest(alpha=1e-9).n_star(g.gap[far] / g.n, psi=g.gap2[far] / g.n) <= g.n).all()


def test_workers_do_not_change_a_bit(streamed: pytest.MonkeyPatch) -> None:
    matrix = leaderboard(graded=True, missing=0.2)
    one, many = (plain(audit(matrix, execution=Execution(workers=w), cluster="s")) for w in (1, 4))
    assert str(one) == str(many)


def test_a_last_tile_of_one_model(streamed: pytest.MonkeyPatch) -> None:
    """Its own tile has no pair."""
    matrix = leaderboard(graded=True, missing=0.2, models=15)
    for declared in DESIGNS.values():
        found = audit(matrix, **declared)
        assert found.n_pairs == sum(found.verdict_counts.values()) == 105


def test_progress_reaches_its_end_and_never_goes_back(streamed: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []
    audit(
        leaderboard(graded=False, missing=0),
        execution=Execution(progress=lambda done, total: calls.append((done, total))),
    )
    done, totals = zip(*calls, strict=True)
    assert set(totals) == {2 * 231}
    assert list(done) == sorted(done)
    assert done[-1] == 2 * 231


def test_a_worker_that_fails_is_heard(streamed: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    streamed.setattr("nstar._verbs.audit.pair_analysis.PairTally.of_counts", fail)
    with pytest.raises(ZeroDivisionError):
        audit(leaderboard(graded=False, missing=0), execution=Execution(workers=3))


# --- a histogram of p-values --------------------------------------------------------------

many_p = hnp.arrays(
    np.float64,
    st.integers(1, 400),
    elements=st.one_of(
        st.floats(1e-30, 1, exclude_min=True), st.sampled_from([1e-4, 1.3e-4, 0.01, 0.05, 1.0])
    ),
)


@given(many_p, st.sampled_from([0.01, 0.05, 0.2]))
def test_thresholds_err_on_the_safe_side_by_the_width_of_a_bin(p: Any, alpha: float) -> None:
    exact, rough = ExactFamily(np.sort(p)), HistogramFamily.of(p)
    slack = 1 + 1e-9
    assert rough.size == exact.size == p.size
    for policy in ("holm", "bh"):
        low, high = (getattr(rough, policy)(a) for a in (alpha, alpha * WIDTH))
        assert low <= getattr(exact, policy)(alpha) * slack
        assert getattr(exact, policy)(alpha) <= high * slack


@given(many_p)
def test_adjusted_p_values_err_on_the_safe_side_by_the_width_of_a_bin(p: Any) -> None:
    p = np.maximum(p, 1e-19)
    exact, rough = ExactFamily(np.sort(p)), HistogramFamily.of(p)
    for policy in ("none", "bonferroni", "holm", "bh"):
        wanted, found = exact.adjusted(p, policy), rough.adjusted(p, policy)
        assert (found >= wanted * (1 - 1e-9)).all(), policy
        assert (found <= wanted * WIDTH * (1 + 1e-9)).all(), policy
        assert (found <= 1).all()


@given(many_p, many_p)
def test_histograms_add(p: Any, q: Any) -> None:
    total = HistogramFamily.of(p)
    total += HistogramFamily.of(q)
    assert (total.counts == HistogramFamily.of(np.concatenate([p, q])).counts).all()


# --- medians ------------------------------------------------------------------------------


@given(hnp.arrays(np.float64, st.integers(1, 200), elements=st.floats(0.2, 5000)))
def test_medians_on_a_scale(values: Any) -> None:
    scale = BinScale(low=0.1, high=1e4, bins=2000, log=True)
    half = len(values) // 2
    found = BinnedMedian.of(scale, np.append(values[:half], [np.nan, np.inf]))
    found += BinnedMedian.of(scale, values[half:])
    spread = found.spread()
    assert spread is not None
    assert (spread.low, spread.high) == (values.min(), values.max())
    low, high = np.quantile(values, 0.5, method="lower"), np.quantile(values, 0.5, method="higher")
    assert low * 0.99 <= spread.median <= high * 1.01


def test_no_values_have_no_median() -> None:
    scale = BinScale(low=-1.0, high=1.0, bins=10)
    assert BinnedMedian.of(scale, np.array([np.nan])).spread() is None

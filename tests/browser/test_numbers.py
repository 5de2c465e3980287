"""A page tells what the audit says: all numbers of all pairs, by every choice of rules."""

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nstar
from helpers.boards import board, scores, subjects
from helpers.page_names import ATTRIBUTES
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.verdict import PAIR_STATES
from nstar.errors import DataError
from nstar.report import document
from nstar.report.page._document import embedded
from nstar.report.page._ranking_data import deck

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIELDS = (
    *("n", "mean_a", "mean_b", "delta", "se", "t", "p", "p_adjusted"),
    *("ci_adjusted_low", "ci_adjusted_high", "ci_unadjusted_low", "ci_unadjusted_high"),
    *("n11", "n10", "n01", "n00", "psi", "rho", "mde", "mde_adjusted", "q", "q_low", "q_high"),
    *("n_star", "n_star_low", "n_star_high", "q_adjusted", "q_delta0", "p_equivalent"),
)

JUDGE = """async ({ deck, wanted }) => {
  const { unpackAll, makeBoard, judgeBoard, pairNumbers } = nstar;
  const board = makeBoard(await unpackAll(deck));
  return wanted.map(({ settings, pairs }) => {
    const view = judgeBoard(board, settings);
    const { used, rankLo, rankHi, tier, next, headline } = view;
    const numbers = pairs.map(([i, j]) => pairNumbers(board, view, i, j));
    const lists = [rankLo, rankHi, tier, next].map((x) => Array.from(x));
    return { used, lists, headline, numbers };
  });
}"""

GROUPS = """async ({ deck, settings }) => {
  const { unpackAll, makeBoard, judgeBoard, groupNumbers } = nstar;
  const board = makeBoard(await unpackAll(deck));
  const view = judgeBoard(board, settings);
  const rows = [];
  for (let i = 0; i < board.models; i += 1) {
    for (let j = i + 1; j < board.models; j += 1) {
      rows.push(board.deck.groups.map((_, g) => groupNumbers(board, view, g, i, j)));
    }
  }
  return rows;
}"""

DRAWS = 2000


def lopsided() -> nstar.ScoreMatrix:
    """Models that agree, are opposites, share no item, always win or always lose."""
    x = scores(5, models=8, items=120)
    x[1] = x[0]
    x[2], x[3] = 1.0, 0.0
    x[4] = 1 - x[0]
    x[5, :60] = x[6, 60:] = np.nan
    x[7, 1:] = np.nan
    return board(x, labels=subjects(5, 120))


def far_apart() -> nstar.ScoreMatrix:
    """So many items that p-values run from 1 to beyond what a double holds."""
    rng = np.random.default_rng(8)
    return board(rng.random((6, 9000)) < np.array([0.9, 0.7, 0.69, 0.6, 0.597, 0.1])[:, None])


def in_steps(seed: int, **options: Any) -> nstar.ScoreMatrix:
    """Graded scores 0 … 3 of models, two of which always differ by one step."""
    x = np.rint(3 * scores(seed, models=5, items=90, graded=True))
    x[1] = np.where(x[0] > 0, x[0] - 1, 0)
    x[3], x[4] = 2.0, 1.0
    return board(x, labels=subjects(seed, 90, 5), **options)


def one_item() -> nstar.ScoreMatrix:
    """Two models of which no error can be measured."""
    x = np.array([[1, 0, 1, 1, *[np.nan] * 3], [*[np.nan] * 3, 0, 1, 0, 0]])
    return board(x, labels=list("aabbccc"))


BOARDS: dict[str, tuple[nstar.ScoreMatrix, dict[str, Any]]] = {
    "binary": (board(scores(1), labels=subjects(1, 240)), {}),
    "binary, some absent": (board(scores(2, missing=0.3), labels=subjects(2, 240)), {}),
    "binary, few items": (board(scores(3, items=40)), {}),
    "binary, many items": (far_apart(), {}),
    "one item in common": (one_item(), {"strata": "s"}),
    "lopsided": (lopsided(), {}),
    "lopsided strata": (lopsided(), {"strata": "s"}),
    "lopsided clusters": (lopsided(), {"cluster": "s"}),
    "graded": (board(scores(4, graded=True), labels=subjects(4, 240)), {}),
    "graded, less is better": (
        board(scores(6, graded=True, missing=0.2), labels=subjects(6, 240), lower_is_better=True),
        {},
    ),
    "graded steps": (in_steps(7), {}),
    "graded strata": (in_steps(8, lower_is_better=True), {"strata": "s"}),
    "graded clusters": (in_steps(9), {"cluster": "s"}),
    "graded clusters, some absent": (
        board(scores(10, graded=True, missing=0.5), labels=subjects(10, 240, 20)),
        {"cluster": "s"},
    ),
    "strata": (board(scores(11), labels=subjects(11, 240)), {"strata": "s"}),
    "strata, some absent": (
        board(scores(12, missing=0.3), labels=subjects(12, 240)),
        {"strata": "s"},
    ),
    "clusters": (board(scores(13), labels=subjects(13, 240)), {"cluster": "s"}),
}


COMMON = (
    *("binary, some absent", "one item in common", "lopsided", "lopsided clusters"),
    *("graded, less is better", "graded strata", "graded clusters, some absent", "strata"),
)
"""Boards of the default run: each kind of score with each design, and the strangest ones."""


def boards(names: Iterable[str]) -> list[Any]:
    """Make cases of board names; mark those outside the default run as slow."""
    return [pytest.param(n, marks=() if n in COMMON else pytest.mark.slow) for n in names]


def settings(made: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Every seventh choice of rules that a page offers: all boards together have them all.

    Seven has no factor in common with the numbers of levels, powers and policies, so that a
    board is judged at each level, with each power and by each policy.
    """
    rules = made["rules"]
    every = itertools.product(rules["levels"], rules["powers"], rules["policies"])
    keys = ("alpha", "power", "adjust")
    chosen = [made["settings"] | dict(zip(keys, c, strict=True)) for c in every]
    return chosen[seed % 7 :: 7]


def declared(seed: int) -> dict[str, Any]:
    """A gap of interest and a margin, or neither, as they are declared before looking."""
    rng = np.random.default_rng(seed)
    found = {
        "delta": (None, 0.01, 0.05)[rng.integers(3)],
        "margin": (None, 0.02, 0.1)[rng.integers(3)],
    }
    return found | {"draws": DRAWS}


def packed(result: nstar.Audit) -> dict[str, Any]:
    """A deck as a page holds it."""
    found: dict[str, Any] = json.loads(embedded(deck(result)))
    return found


def same(found: Any, expected: Any, name: str, rel: float, tiny: float) -> None:
    if expected is None:
        assert found is None, name
        return
    if isinstance(expected, float) and math.isnan(expected):
        assert math.isnan(found), f"{name}: {found}"
        return
    assert found == pytest.approx(expected, rel=rel, abs=tiny), name


def precision(name: str, pairs: Any, k: int) -> tuple[float, float]:
    """Relative and absolute."""
    if (
        name == "p_adjusted" and pairs.pvalue[k] < 1e-18
    ):  # an audit looks up its order of magnitude
        return 1e-4, 1e-300
    if name in {"p", "p_adjusted", "p_equivalent"}:
        return 1e-9, 0.0
    if name == "rho" and pairs.n10 is None:
        return 0.0, 6e-5
    return 1e-9, 1e-12


def compare_pairs(pairs: Any, numbers: list[dict[str, Any]]) -> None:
    columns = {name: getattr(pairs, ATTRIBUTES.get(name, name)) for name in FIELDS}
    for k, found in enumerate(numbers):
        for name, column in columns.items():
            expected = None if column is None else float(column[k])
            close = precision(name, pairs, k)
            same(found[name], expected, f"{name} of pair {k}", *close)
        assert found["verdict"] == pairs.states[k]
        more = float(pairs.more_items[k])
        assert found["more_items"] == pytest.approx(more, rel=1e-9)


def held(result: Any) -> Tile:
    """All pairs of an audit."""
    tile: Tile = result.survey.held
    return tile


def compare_views(found: dict[str, Any], result: Any) -> None:
    assert found["used"] == result.adjust
    ranks = result.ranking
    codes = [PAIR_STATES.index(state) for state in result.adjacent.states]
    expected = [ranks.rank_low.tolist(), ranks.rank_high.tolist(), ranks.tier.tolist(), codes]
    assert found["lists"] == expected
    assert found["headline"] == list(document(result).spoken())


def judged(
    script: "Page", made: dict[str, Any], pairs: list[list[int]], seed: int
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Rules as arguments of an audit, and what the page says by them."""
    every = settings(made, seed)
    wanted = [{"settings": chosen, "pairs": pairs} for chosen in every]
    found = script.evaluate(JUDGE, {"deck": made, "wanted": wanted})
    for chosen, told in zip(every, found, strict=True):
        yield {key: chosen[key] for key in ("alpha", "power", "adjust")}, told


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", boards(BOARDS))
def test_all_pairs_as_the_audit_has_them(script: "Page", name: str) -> None:
    matrix, options = BOARDS[name]
    seed = list(BOARDS).index(name)
    options = options | declared(seed)
    made = packed(nstar.audit(matrix, **options))
    every = np.stack(np.triu_indices(len(made["names"]), 1), axis=1).tolist()
    for ask, found in judged(script, made, every, seed):
        result = nstar.audit(matrix, pairs="all", **options, **ask)
        compare_views(found, result)
        compare_pairs(result.pairs, found["numbers"])
        freedom = np.broadcast_to(held(result).pairs.df, len(every))
        np.testing.assert_allclose([x["df"] for x in found["numbers"]], freedom, rtol=1e-10)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("graded", "missing"), [(False, 0.0), (True, 0.2)])
def test_averages_of_tasks(script: "Page", graded: bool, missing: float) -> None:
    tasks = [
        board(scores(k, items=60 * k, graded=graded, missing=missing), task=f"t{k}")
        for k in (2, 3, 4)
    ]
    options = declared(int(graded))
    made = packed(nstar.audit(tasks, **options))
    neighbors = [[i, i + 1] for i in range(5)]
    for ask, found in judged(script, made, neighbors, int(graded)):
        result = nstar.audit(tasks, **options, **ask)
        compare_views(found, result)
        compare_pairs(result.adjacent, found["numbers"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", boards(name for name, (m, _) in BOARDS.items() if m.groups))
def test_groups_as_a_comparison_has_them(script: "Page", name: str) -> None:
    matrix, options = BOARDS[name]
    audit = nstar.audit(matrix, alpha=0.02, **options)
    made = packed(audit)
    found = script.evaluate(GROUPS, {"deck": made, "settings": made["settings"]})
    pairs = zip(itertools.combinations(audit.ranking.model, 2), found, strict=True)
    third = list(BOARDS).index(name) % 3  # boards of one kind follow each other
    for (a, b), columns in itertools.islice(pairs, third, None, 3):
        try:
            breakdowns = audit.compare(a, b).tasks[0].breakdowns
        except DataError:  # nothing in common that could be compared
            breakdowns = ()
        expected = [row for x in breakdowns for row in sorted(x.groups, key=lambda r: r.group)]
        rows = sorted((row for column in columns for row in column), key=lambda r: r["label"])
        assert [r["label"] for r in rows] == [r.group for r in expected]
        for row, want in zip(rows, expected, strict=True):
            for field in ("mean_a", "mean_b"):
                same(row[field], getattr(want, field), field, 1e-9, 1e-10)
            same(row["n"], want.n_items, "n", 1e-9, 1e-10)
            same(row["delta"], want.gap, "delta", 1e-9, 1e-10)
            ci = None if want.ci is None else list(want.ci)
            same(row["ci"], ci, "ci", 1e-9, 1e-10)

"""Items of MMLU-Pro, 28 models on their 12,002 common items: the command against numpy."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.commands import Command

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "mmlu_pro.parquet"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    answer: dict[str, Any] = Command("items").answer(
        str(DATA), "--exclude", "DeepSeek-Coder-V2", "--items", "common"
    )
    return answer


@pytest.fixture(scope="module")
def scores() -> tuple[list[str], list[str], Any]:
    """Models best first, items, and their scores, from the file alone."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pq.read_table(DATA, columns=["model", "item", "score"]).to_pydict()
    names, items = (sorted(set(table[k])) for k in ("model", "item"))
    names.remove("DeepSeek-Coder-V2")
    row, column = ({x: k for k, x in enumerate(every)} for every in (names, items))
    x = np.full((len(names), len(items)), np.nan)
    for model, item, score in zip(table["model"], table["item"], table["score"], strict=True):
        if model in row:
            x[row[model], column[item]] = score
    whole = ~np.isnan(x).any(axis=0)
    x = x[:, whole]
    order = np.argsort(-x.mean(axis=1), kind="stable")
    kept = [str(item) for item, keep in zip(items, whole, strict=True) if keep]
    return [names[k] for k in order], kept, x[order]


def test_published_shares(found: dict[str, Any]) -> None:
    """METHODS-NEXT § E, measured before this command was written."""
    every, top = found["item_counts"], found["item_counts_top"]
    assert (found["n_items"], every["n_models"], top["n_models"]) == (12002, 28, 8)
    assert every["n_all_correct"] / 12002 == pytest.approx(0.020, abs=5e-4)
    assert every["n_all_wrong"] / 12002 == pytest.approx(0.055, abs=5e-4)
    assert top["n_non_discriminating"] / 12002 == pytest.approx(0.33, abs=5e-3)
    assert found["median_r"] == pytest.approx(0.37, abs=5e-3)
    assert found["negative_share"] == pytest.approx(0.105, abs=5e-4)
    assert found["low_share"] == pytest.approx(0.029, abs=5e-4)
    assert found["reliability"]["cronbach_alpha"] == pytest.approx(0.9993, abs=5e-5)
    assert found["reliability"]["cronbach_alpha_at"] == pytest.approx(
        {"100": 0.923, "1000": 0.992}, abs=5e-4
    )
    revival = found["revival"]
    assert (revival["all_wrong_share"], revival["all_correct_share"]) == pytest.approx(
        (0.032, 0.037), abs=5e-4
    )
    largest = revival["all_wrong_share_max"], revival["all_correct_share_max"]
    assert largest == pytest.approx((0.16, 0.26), abs=6e-3)


def test_every_number_by_plain_numpy(found: dict[str, Any], scores: Any) -> None:
    names, items, x = scores
    assert found["models"] == names
    for cohort, some in ((found["item_counts"], x), (found["item_counts_top"], x[:8])):
        assert cohort["n_all_correct"] == np.count_nonzero(some.min(axis=0) == 1)
        assert cohort["n_all_wrong"] == np.count_nonzero(some.max(axis=0) == 0)
    total = x.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = total[:, None] - x
        u, v = x - x.mean(axis=0), rest - rest.mean(axis=0)
        r = (u * v).sum(axis=0) / np.sqrt((u * u).sum(axis=0) * (v * v).sum(axis=0))
    table = {row["item"]: row for row in found["table"]}
    theirs = np.array([np.nan if table[i]["r"] is None else table[i]["r"] for i in items])
    np.testing.assert_allclose(theirs, r, atol=1e-10)
    assert [table[i]["mean"] for i in items] == pytest.approx(x.mean(axis=0).tolist())
    n = len(items)
    for key, some in (("cronbach_alpha", x), ("cronbach_alpha_top", x[:8])):
        alpha = n / (n - 1) * (1 - some.var(axis=0).sum() / some.sum(axis=1).var())
        assert found["reliability"][key] == pytest.approx(alpha, abs=1e-12)
    for k, pair in enumerate(found["pairs"]):
        d = x[k] - x[k + 1]
        assert pair["n_discordant"] == np.count_nonzero(d)
        assert pair["gap"] == pytest.approx(d.mean())


def test_it_is_json() -> None:
    text = Command("items").text(str(DATA), "--format", "json", "--brief")
    assert json.loads(text)["schema"] == "nstar.items/1"

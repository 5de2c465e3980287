"""A site of audits from strangers: refused before anything is written, no name run."""

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.boards import board
from helpers.nasty import NASTY, check_data, check_markup
from helpers.sites import ATTRIBUTES, TAGS, change, copy_audit, files, leaderboard, stamps
from nstar._verbs.verdict import BoardVerdict
from nstar.errors import DataError, ParameterError
from nstar.report.site import build
from nstar.report.site._names import fragment, is_slug, model_ids, slug_of

NEUTRAL = (".git", ".gitattributes", "CNAME", "README.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy_audit(tmp_path / "audit", leaderboard())
    return tmp_path / "audit"


# --- folders of others --------------------------------------------------------------------


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"schema": "nstar.audit/1"}', None])
def test_a_folder_of_others_is_refused(folder: Path, tmp_path: Path, content: str | None) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / ("thesis.txt" if content is None else "index.json")).write_text(content or "mine")
    before = stamps(site)
    with pytest.raises(DataError, match="is not a site of nstar"):
        build([str(folder)], str(site))
    assert stamps(site) == before


def test_a_refusal_names_a_file_that_is_there(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name in (*NEUTRAL, "thesis.txt"):
        (site / name).write_text("mine")
    with pytest.raises(DataError, match=r"\(contains thesis\.txt\)"):
        build([str(folder)], str(site))
    (site / "index.json").write_text('{"schema": 1e400}')
    with pytest.raises(DataError, match=r"contains index\.json"):
        build([str(folder)], str(site))


def test_a_branch_for_pages_is_a_new_folder(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name in NEUTRAL:
        (site / name).write_text("mine")
    (site / ".nojekyll").touch()
    build([str(folder)], str(site))
    assert [(site / name).read_text() for name in NEUTRAL] == ["mine"] * len(NEUTRAL)


@pytest.mark.parametrize("slug", ["../up", "CON", "a/b", "", 5, None])
def test_a_forged_index_leads_nowhere(folder: Path, tmp_path: Path, slug: Any) -> None:
    site = tmp_path / "site"
    site.mkdir()
    forged = {"schema": "nstar.site/1", "title": 5, "benchmarks": [{"slug": slug, "name": ""}, 3]}
    (site / "index.json").write_text(json.dumps(forged))
    build([str(folder)], str(site))
    index = json.loads((site / "index.json").read_text())
    assert [b["slug"] for b in index["benchmarks"]] == ["some-task"]


def test_nothing_is_written_through_links(folder: Path, tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    build([str(folder)], str(site))
    elsewhere.mkdir()
    home = site / "b" / "some-task"
    for page in (home / "m").iterdir():
        page.unlink()
    (home / "m").rmdir()
    (home / "m").symlink_to(elsewhere)
    with pytest.raises(DataError, match="is a link"):
        build([str(folder)], str(site))
    assert list(elsewhere.iterdir()) == []


def test_two_audits_of_one_task(folder: Path, tmp_path: Path) -> None:
    copy_audit(tmp_path / "other", leaderboard(5))
    with pytest.raises(
        DataError, match=r"would both use the folder b/some-task\. Build one.*--name TEXT"
    ):
        build([str(folder), str(tmp_path / "other")], str(tmp_path / "site"))
    build([str(folder)], str(tmp_path / "site"))
    built = build([str(tmp_path / "other")], str(tmp_path / "site"), name="Some task, again")
    assert built.benchmarks == ("some-task-again",)
    with pytest.raises(DataError, match=r"contains another benchmark, 'Some Task'.*--name"):
        build([str(tmp_path / "other")], str(tmp_path / "site"), name="some/task")
    with pytest.raises(ParameterError, match="one benchmark; got 2"):
        build([str(folder)] * 2, str(tmp_path / "site"), name="x")


def test_without_a_task_the_folder_gives_its_name(tmp_path: Path) -> None:
    site, audits = tmp_path / "site", [tmp_path / "audits" / n for n in ("MMLU pro", "gpqa")]
    for seed, folder in enumerate(audits):
        copy_audit(folder, leaderboard(seed, task=" "))
    built = build(list(map(str, audits)), str(site))
    assert built.benchmarks == ("mmlu-pro", "gpqa")
    entries = json.loads((site / "index.json").read_text())["benchmarks"]
    assert [(e["name"], e["title"], e["task"]) for e in entries] == [
        ("gpqa", "gpqa", " "),
        ("MMLU pro", "MMLU pro", " "),
    ]
    assert build([str(audits[1])], str(site)).removed == 0


@pytest.mark.parametrize("given", [".", "./", "../gpqa", "../gpqa/m/.."])
def test_a_folder_that_is_not_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    copy_audit(tmp_path / "gpqa", leaderboard(task=""))
    (tmp_path / "gpqa" / "m").mkdir()
    monkeypatch.chdir(tmp_path / "gpqa")
    assert build([given], str(tmp_path / "site")).benchmarks == ("gpqa",)


def test_a_folder_never_replaces_a_benchmark_of_another_name(tmp_path: Path) -> None:
    site, first, second = tmp_path / "site", tmp_path / "a b", tmp_path / "a-b"
    for seed, folder in enumerate((first, second)):
        copy_audit(folder, leaderboard(seed, task=""))
    build([str(first)], str(site))
    before = stamps(site)
    with pytest.raises(DataError, match=r"b/a-b contains another benchmark, 'a b'.*--name"):
        build([str(second)], str(site))
    assert stamps(site) == before


# --- audits from strangers ----------------------------------------------------------------

_DEEP = "[" * 100_000


@pytest.mark.parametrize("name", ["audit.json", "manifest.json"])
@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"schema": "x"}', "NaN", _DEEP, "\udcff"]
)
def test_files_that_are_no_audit(folder: Path, tmp_path: Path, name: str, text: str) -> None:
    (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=rf"{name}: .*nstar audit … --out FOLDER"):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"task": 5}, "5 is not text"),
        ({"n_items": -1}, "-1 is not a whole number"),
        ({"n_items": True}, "True is not a whole number"),
        ({"n_items": 3}, "counts more items than it contains"),
        ({"is_complete": "yes"}, "'yes' is not true or false"),
        ({"n_items": 1 << 60}, "is not a whole number"),
        ({"seed": 1.0}, "1.0 is not a whole number"),
        ({"tasks": []}, "contains several tasks"),
        ({"average": "macro"}, "a ranking that differs from that of its task"),
        ({"weights": {"other": 1.0}}, "a ranking that differs from that of its task"),
        ({"adjust": "magic"}, "is not one of maxt"),
        ({"ranking": []}, "fewer than two models"),
        ({"ranking": {}}, "is not a list"),
        ({"ranking": ["a", "b"]}, "'a' is not an object"),
        ({"ranking": [{"model": "a"}] * 2}, r"ranking\[0\]: 'mean' is missing"),
        ({"adjacent": []}, "does not contain the pairs"),
        ({"n_pairs": 20}, "does not contain the pairs"),
        ({"criteria": {"alpha": 2, "power": 0.8, "alternative": "two-sided"}}, "alpha"),
        ({"criteria": {"alpha": 0.05, "power": 0.8, "alternative": {}}}, "alternative"),
        ({"score_range": [1.0, 0.0]}, "impossible score limits"),
        ({"score_range": [0.0, 1e308]}, "impossible score limits"),
        ({"score_range": [0.0, None]}, "impossible score limits"),
        ({"score_range": [0.9, 1.0]}, "means outside the score limits"),
        ({"score_range": [0.0]}, "is not a list of 2"),
        ({"confidence_level": 1.0}, "invalid confidence level 1"),
        ({"confidence_level": None}, "invalid confidence level nan"),
        ({"interval_alpha": 0.5}, "adjusted intervals at the invalid level 0.5"),
        ({"critical_value": None}, "has no critical value"),
        ({"critical_value": 1e300}, r"the invalid critical value 1e\+300"),
        ({"delta": -0.1}, "an impossible delta"),
        ({"verdict_counts": {}}, "'significant' is missing"),
        ({"nstar": 1}, "1 is not a version of nstar"),
        ({"n_groups": {"s": -1}}, "-1 is not a whole number"),
        (
            {"verdict_counts": dict.fromkeys(get_args(BoardVerdict), 1)},
            "has numbers of verdicts that do not match its pairs",
        ),
        ({"seed": 7}, "differ in seed"),
        ({"findings": [{"level": "grave", "code": "x", "text": "y"}]}, "'grave' is not one of"),
    ],
)
def test_an_audit_that_cannot_be(
    folder: Path, tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    change(folder, **values)
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "place", ["extra", "mde", "confidence_level", "high", "delta", "critical_value"]
)
def test_numbers_beyond_every_number(folder: Path, tmp_path: Path, place: str) -> None:
    path = folder / "audit.json"
    text = path.read_text().replace("{", '{"extra": 0,', 1)
    path.write_text(re.sub(rf'"{place}": ?[^,}}\]\s]+', f'"{place}": 1e400', text, count=1))
    with pytest.raises(
        DataError, match=r"audit\.json: is not valid JSON: the number 1e400 is too large"
    ):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def test_lists_too_deep_to_be_written_again(folder: Path, tmp_path: Path) -> None:
    path, deep = folder / "audit.json", "[" * 200_000 + "]" * 200_000  # 3.14 can do 20,000
    path.write_text(path.read_text().replace("{", f'{{"extra": {deep},', 1))
    with pytest.raises(DataError, match=r"audit\.json: .*(recursion|Stack overflow)"):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("tier", [0, 2, 9_007_199_254_740_981])
def test_tiers_start_at_one(folder: Path, tmp_path: Path, tier: int) -> None:
    ranks = json.loads((folder / "audit.json").read_text())["ranking"]
    change(folder, ranking=[m | {"tier": tier} for m in ranks])
    with pytest.raises(DataError, match="tiers in the wrong order"):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def test_gaps_are_those_of_the_means(folder: Path, tmp_path: Path) -> None:
    adjacent = json.loads((folder / "audit.json").read_text())["adjacent"]
    change(folder, adjacent=[adjacent[0] | {"gap": None}, *adjacent[1:]])
    with pytest.raises(DataError, match="gaps that do not match the means"):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def _changed(folder: Path, key: str, at: int, **values: Any) -> None:
    """Other values in one row of a list of audit.json."""
    rows = json.loads((folder / "audit.json").read_text())[key]
    rows[at] |= values
    change(folder, **{key: rows})


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"verdict": "significant"}, "verdict"),
        ({"pvalue": 0.001}, "p-value"),
        ({"pvalue_adjusted": 0.001}, "adjusted p-value"),
        ({"n_items": 149}, "items"),
    ],
)
def test_neighbors_are_told_as_the_pairs_are(
    folder: Path, tmp_path: Path, values: dict[str, Any], what: str
) -> None:
    adjacent = json.loads((folder / "audit.json").read_text())["adjacent"]
    at = next(k for k, row in enumerate(adjacent) if row["verdict"] == "inconclusive")
    _changed(folder, "adjacent", at, **values)
    a, b = adjacent[at]["model_a"], adjacent[at]["model_b"]
    said = (
        rf"audit\.json: differs from part-00000\.parquet in the {what} of '{a}' and '{b}', .*nstar"
    )
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site/b").exists()


def test_a_gap_of_neighbors_is_that_of_their_pair(tmp_path: Path) -> None:
    copy_audit(tmp_path / "audit", leaderboard(missing=0.2))
    _changed(tmp_path / "audit", "adjacent", 2, gap=0.3)
    with pytest.raises(DataError, match=r"differs from .* in the gap of 'm.' and 'm.'"):
        build([str(tmp_path / "audit")], str(tmp_path / "site"))


@pytest.mark.parametrize(
    ("at", "values", "said"),
    [
        (0, {"rank": 2}, "ranks that do not match the means"),
        (3, {"rank_low": 5, "rank_high": 7}, "ranks outside their rank ranges"),
        (3, {"rank_low": 4, "rank_high": 4}, "differs from pairs in the rank set of 'm.'"),
        (6, {"tier": 2}, "tiers that its rank ranges do not separate"),
    ],
)
def test_ranks_follow_from_means_and_verdicts(
    folder: Path, tmp_path: Path, at: int, values: dict[str, Any], said: str
) -> None:
    _changed(folder, "ranking", at, **values)
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))


def test_a_tier_that_is_left_out(tmp_path: Path) -> None:
    x = np.zeros((3, 400))
    x[0], x[1, :200], x[2, :20] = 1.0, 1.0, 1.0
    copy_audit(tmp_path / "audit", board(x, models=list("abc"), task="t"))
    _changed(tmp_path / "audit", "ranking", 2, tier=2)
    with pytest.raises(DataError, match="differs from pairs in the tier of 'c'"):
        build([str(tmp_path / "audit")], str(tmp_path / "site"))


def test_the_answer_is_made_anew(folder: Path, tmp_path: Path) -> None:
    good = json.loads((folder / "audit.json").read_text())
    words: dict[str, Any] = dict.fromkeys(("headline", "paragraph", "extra"), "All is well.")
    words |= {key: ["All is well.", {"a": None}] for key in ("notes", "assumptions")}
    change(folder, **words, n_tiers=7, pairs=good["adjacent"], pairs_requested="top:2")
    build([str(folder)], str(tmp_path / "site"))
    assert not any(b"All is well" in content for content in files(tmp_path / "site").values())
    home = tmp_path / "site/b/some-task"
    assert json.loads((home / "audit.json").read_text()) == good
    page = (home / "index.html").read_text()
    assert good["headline"] in page
    assert "Paragraph to paste" in page
    assert good["paragraph"] in page


@pytest.mark.parametrize("name", [[], ["m0", "m1"], None, 5])
def test_neighbors_are_two(folder: Path, tmp_path: Path, name: Any) -> None:
    _changed(folder, "adjacent", 0, model_b=name)
    with pytest.raises(DataError, match=r"audit\.json: .*is not text. Write the audit again"):
        build([str(folder)], str(tmp_path / "site"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n10": -1}, "-1 is not a whole number"),
        ({"n10": None}, "None is not a whole number"),
        ({"verdict": "fine"}, "'fine' is not one of significant, equivalent"),
        ({"gap": "0.1"}, "'0.1' is not a number"),
        ({"pvalue": True}, "True is not a number"),
    ],
)
def test_cells_that_cannot_be(
    folder: Path, tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    _changed(folder, "adjacent", 0, **values)
    with pytest.raises(DataError, match=rf"audit\.json: .*{said}.*. Write the audit again"):
        build([str(folder)], str(tmp_path / "site"))


def test_columns_are_whole(folder: Path, tmp_path: Path) -> None:
    rows = json.loads((folder / "audit.json").read_text())["adjacent"]
    change(folder, adjacent=[{k: v for k, v in rows[0].items() if k != "n10"}, *rows[1:]])
    with pytest.raises(DataError, match=r"adjacent\[0\]: 'n10' is missing. Write the audit again"):
        build([str(folder)], str(tmp_path / "site"))


def test_an_audit_by_an_earlier_version(folder: Path, tmp_path: Path) -> None:
    path = folder / "audit.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps({"ranks": data.pop("ranking"), **data}))
    said = r"audit\.json: \$: 'ranking' is missing. Write the audit again .* --out FOLDER$"
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))


def test_scores_without_a_name(folder: Path, tmp_path: Path) -> None:
    change(folder, "manifest.json", scores=None)
    with pytest.raises(DataError, match=r"manifest\.json: does not contain 'scores'"):
        build([str(folder)], str(tmp_path / "site"))


def test_several_tasks_are_told_apart(folder: Path, tmp_path: Path) -> None:
    tasks = json.loads((folder / "audit.json").read_text())["tasks"]
    change(folder, tasks=tasks * 2)
    with pytest.raises(DataError, match=r"contains several tasks, .*--task TASK --out FOLDER"):
        build([str(folder)], str(tmp_path / "site"))


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a folder or file"):
        build([str(tmp_path / "none")], str(tmp_path / "site"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"does not contain manifest\.json\. Pass a folder written by"
    ):
        build([str(tmp_path / "empty")], str(tmp_path / "site"))


def test_files_that_are_too_large(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.report.site._source._AUDIT", ("audit.json", 100))
    with pytest.raises(DataError, match="larger than 0 MB, the limit for a result"):
        build([str(folder)], str(tmp_path / "site"))


def _part(folder: Path) -> Path:
    return next((folder / "pairs").glob("part-*.parquet"))


def _rewrite(folder: Path, change_table: Callable[[pa.Table], pa.Table]) -> None:
    table = pq.read_table(_part(folder))
    pq.write_table(change_table(table), _part(folder))


def _with(name: str, change_values: Callable[[list[Any]], list[Any]]) -> Any:
    def changed(table: pa.Table) -> pa.Table:
        k = table.schema.get_field_index(name)
        values = change_values(table.column(k).to_pylist())
        kind = table.schema.field(k).type
        return table.set_column(k, name, pa.array(values, kind))

    return changed


_FORGERIES: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "two pairs less": (lambda t: t.slice(2), "do not continue the previous file"),
    "a pair twice": (
        lambda t: pa.concat_tables([t.slice(0, 1), t.slice(0, t.num_rows - 1)]),
        "has missing or repeated pairs",
    ),
    "no column": (lambda t: t.drop_columns(["n10"]), "must have exactly one column n10"),
    "another type": (
        lambda t: t.set_column(2, "n_items", t.column(2).cast(pa.int64())),
        "column n_items has the wrong type int64",
    ),
    "a stranger": (_with("model_a", lambda v: ["me", *v[1:]]), "'me' is not in audit.json"),
    "the wrong way round": (
        lambda t: t.rename_columns(["model_b", "model_a", *t.schema.names[2:]]),
        "contains pairs in the wrong order",
    ),
    "gaps": (_with("pvalue", lambda v: [None, *v[1:]]), "column pvalue has missing values"),
    "other power": (_with("is_underpowered", lambda v: [False] * len(v)), "different audits"),
    "no verdict": (_with("verdict", lambda v: ["fine", *v[1:]]), "'fine' is not in audit.json"),
    "counts below 0": (_with("n10", lambda v: [-1, *v[1:]]), "do not add up"),
    "other items": (
        _with("n_items", lambda v: [v[0] - 1, *v[1:]]),
        "number of items that differs",
    ),
    "no p-value": (_with("pvalue", lambda v: [7.0, *v[1:]]), "impossible p-values"),
    "another gap": (_with("gap", lambda v: [v[0] + 0.1, *v[1:]]), "to different audits"),
    "do not match its pairs": (
        _with("verdict", lambda v: ["inconclusive"] * len(v)),
        "underpowered pairs that are not significant",
    ),
}


@pytest.mark.parametrize("forgery", _FORGERIES)
def test_pairs_that_are_not_those_of_the_audit(folder: Path, tmp_path: Path, forgery: str) -> None:
    forge, said = _FORGERIES[forgery]
    _rewrite(folder, forge)
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))


def test_parts_that_are_missing_or_no_parquet(folder: Path, tmp_path: Path) -> None:
    _part(folder).write_bytes(b"PAR1 is not all it takes PAR1")
    with pytest.raises(DataError, match="cannot be read as pairs"):
        build([str(folder)], str(tmp_path / "site"))
    _part(folder).unlink()
    with pytest.raises(DataError, match="contains the pairs of only 0 of 6 models"):
        build([str(folder)], str(tmp_path / "site"))
    (folder / "pairs").rmdir()
    with pytest.raises(DataError, match=r"Cannot read .*pairs: "):
        build([str(folder)], str(tmp_path / "site"))


def test_too_many_models(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.report.site._source._MOST_MODELS", 3)
    with pytest.raises(DataError, match="at most 3 models; found 7"):
        build([str(folder)], str(tmp_path / "site"))


# --- names --------------------------------------------------------------------------------

HOSTILE = {**NASTY, "device": "CON", "dots only": "..", "300": "é" * 300}


def test_addresses_are_safe_everywhere() -> None:
    ids = model_ids(tuple(HOSTILE.values()))
    assert len({i.lower() for i in ids}) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,60}", i) for i in ids)
    assert model_ids(["x", *HOSTILE.values()])[1:] == ids, "others do not matter"
    slugs = [slug_of(name) for name in HOSTILE.values()]
    assert all(map(is_slug, slugs))


def test_addresses_of_names_with_one_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "nstar.report.site._names._digest",
        lambda name, size: "0" if size == 4 else name.encode().hex(),
    )
    assert len(set(model_ids(["a b", "a-b", "c"]))) == 3


def test_names_in_links() -> None:
    assert fragment("a b&c=d#e", "id") == "a%20b%26c%3Dd%23e"
    assert fragment("x\ud800", "id") == fragment("x" * 201, "id") == "id"


@pytest.fixture(scope="module")
def nasty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nasty")
    names = list(HOSTILE.values())
    matrix = leaderboard(models=len(names), names=names, task=NASTY["image"])
    copy_audit(root / "audit", matrix)
    build([str(root / "audit")], str(root / "site"), title=NASTY["script"])
    return root / "site"


def test_no_name_is_markup(nasty_site: Path) -> None:
    pages = [*nasty_site.rglob("*.html"), *nasty_site.rglob("*.svg")]
    assert len(pages) == len(HOSTILE) + 7
    for path in pages:
        text = path.read_text("utf-8").replace("<!DOCTYPE html>\n", "", 1)
        more = {"style"} if path.suffix == ".svg" else set()
        check_markup(text, tags=TAGS | more, attributes=ATTRIBUTES)
        assert text.count("<script") <= 2


def test_every_name_is_shown(nasty_site: Path) -> None:
    home = next((nasty_site / "b").iterdir())
    text = (home / "index.html").read_text("utf-8")
    shown = check_markup(text.partition("\n")[2], tags=TAGS, attributes=ATTRIBUTES)
    assert NASTY["image"] in shown
    assert "a?[31mb" not in shown


def test_data_files_hold_names_as_they_are(nasty_site: Path) -> None:
    home = next((nasty_site / "b").iterdir())
    check_data((home / "models.json").read_text(), *HOSTILE.values())
    check_data((nasty_site / "index.json").read_text(), NASTY["image"])
    raw = zlib.decompress(next(home.glob("models-*.bin")).read_bytes())
    length = int.from_bytes(raw[:4], "little")
    mixed = json.loads(raw[4 : 4 + length])
    assert set(mixed[::2]) == set(HOSTILE.values())


def test_files_stay_inside(nasty_site: Path) -> None:
    assert sorted(p.name for p in nasty_site.parent.iterdir()) == ["audit", "site"]


def test_surrogates_that_look_alike_are_refused(tmp_path: Path) -> None:
    matrix = leaderboard(models=3, names=["a\ud800", "a\ud801", "b"])
    copy_audit(tmp_path / "audit", matrix)
    with pytest.raises(DataError, match="the names of two models differ only in characters"):
        build([str(tmp_path / "audit")], str(tmp_path / "site"))

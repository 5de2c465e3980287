"""A site of audits: the same bytes for the same audits, nobody else's files, no name run."""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from boards import board, scores, subjects
from nasty import NASTY, check_json, check_markup
from nstar import Audit, Criteria, ScoreMatrix
from nstar.errors import DataError, ParameterError
from nstar.export import _files
from nstar.report.site import build
from nstar.report.site._bands import bands
from nstar.report.site._frame import POLICY
from nstar.report.site._names import fragment, is_slug, model_ids, slug_of
from nstar.report.site._rows import Rows, fields_of
from nstar.report.site._source import read_source
from sites import audited, change

TAGS = {"a", "blockquote", "body", "button", "caption", "circle", "cite", "clippath", "code", "dd"}
TAGS |= {"desc", "details", "div", "dl", "dt", "figcaption", "figure", "footer", "g", "h1", "h2"}
TAGS |= {"head", "header", "html", "img", "li", "link", "main", "meta", "nav", "noscript", "ol"}
TAGS |= {"p", "path", "pre", "rect", "script", "section", "span", "summary", "svg", "table"}
TAGS |= {"tbody", "td", "text", "th", "thead", "title", "tr", "ul"}
ATTRIBUTES = {
    "alt",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "clip-path",
}
ATTRIBUTES |= {"content", "cx", "cy", "d", "data-address", "data-find", "data-first", "data-page"}
ATTRIBUTES |= {
    "defer",
    "fill",
    "font-family",
    "font-size",
    "height",
    "hidden",
    "href",
    "http-equiv",
}
ATTRIBUTES |= {"id", "lang", "loading", "name", "preserveaspectratio", "r", "rel", "role", "rx"}
ATTRIBUTES |= {"scope", "src", "tabindex", "target", "text-anchor", "textlength", "type"}
ATTRIBUTES |= {"stroke", "stroke-linecap", "stroke-width", "viewbox", "width", "x", "xmlns", "y"}


def leaderboard(seed: int = 3, models: int = 7, **options: Any) -> ScoreMatrix:
    task = options.pop("task", "Some Task")
    names = options.pop("names", [f"m{i}" for i in range(models)])
    lower = options.pop("lower_is_better", False)
    x = scores(seed, models=models, items=150, **options)
    labels = subjects(seed, 150)
    return board(x, labels=labels, models=names, task=task, lower_is_better=lower)


def files(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    every = (p for p in root.rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): (p.stat().st_ino, p.stat().st_mtime_ns) for p in every}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    audited(tmp_path / "audit", leaderboard())
    return tmp_path / "audit"


# --- what is written ----------------------------------------------------------------------


def test_every_kind_of_file(folder: Path, tmp_path: Path) -> None:
    built = build([str(folder)], str(tmp_path / "site"))
    there = files(tmp_path / "site")
    assert built.benchmarks == ("some-task",)
    assert (built.written, built.kept, built.removed) == (len(there), 0, 0)
    digest = read_source(str(folder)).digest()
    ids = model_ids([f"m{i}" for i in range(7)])
    home = "b/some-task"
    expected = {"index.html", "index.json", "nstar.css", "nstar.js", "nstar.svg", ".nojekyll"}
    names = ("index.html", "compare.html", "embed.html", "badge.svg", "audit.json", "models.json")
    expected |= {f"{home}/{name}" for name in (*names, f"models-{digest}.bin")}
    expected |= {f"{home}/m/{id_}.html" for id_ in ids}
    last = json.loads(there[f"{home}/models.json"])["id"][-1]
    expected |= {f"{home}/rows-{digest}/{id_}.bin" for id_ in ids if id_ != last}
    assert set(there) == expected


def test_the_index_tells_what_each_benchmark_resolves(folder: Path, tmp_path: Path) -> None:
    found = audited(tmp_path / "other", leaderboard(5, 4, task="other"))
    build([str(folder), str(tmp_path / "other")], str(tmp_path / "site"), title="My <boards>")
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    assert index["schema"] == "nstar.site/1"
    assert index["title"] == "My <boards>"
    assert [b["slug"] for b in index["benchmarks"]] == ["other", "some-task"]
    one = index["benchmarks"][0]
    assert (one["models"], one["items"], one["neighbours"]) == (4, found.n, 3)
    assert one["resolved"] == int(found.adjacent.resolved.sum())
    assert one["share"] == one["resolved"] / 3
    assert one["tiers"] == int(found.ranks.tier[-1])
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<h1>My &lt;boards&gt;</h1>" in page
    assert 'href="b/other/index.html"' in page


def test_the_api_is_the_audit(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    home = tmp_path / "site" / "b" / "some-task"
    assert (home / "audit.json").read_bytes() == (folder / "audit.json").read_bytes()
    said = json.loads((folder / "audit.json").read_text())["models"]
    columns = json.loads((home / "models.json").read_text())
    assert columns["name"] == [m["name"] for m in said]
    for key in ("mean", "n", "rank", "rank_lo", "rank_hi", "tier"):
        assert columns[key] == [m[key] for m in said]


def test_what_the_reader_noted_stays_at_home(folder: Path, tmp_path: Path) -> None:
    said = json.loads((folder / "audit.json").read_text())
    said["findings"].append({"level": "note", "code": "reader", "text": "/home/me/x.csv: odd"})
    said["notes"].append("note [reader]: /home/me/x.csv: odd")
    (folder / "audit.json").write_text(json.dumps(said))
    build([str(folder)], str(tmp_path / "site"))
    written = [p.read_bytes() for p in (tmp_path / "site").rglob("*") if p.is_file()]
    assert not [text for text in written if b"/home/me" in text]


def test_a_long_ranking_comes_in_parts(tmp_path: Path) -> None:
    found = audited(tmp_path / "audit", leaderboard(models=230))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    home = tmp_path / "site" / "b" / "some-task"
    page = (home / "index.html").read_text()
    assert page.count('<a href="m/') == 100
    assert "nf" not in re.findall(r'<svg[^>]*class="(\w+)', page), "no ladder of so many models"
    parts = [json.loads(p.read_text()) for p in sorted(home.glob("ranks-*/*.json"))]
    assert [len(p["rows"]) for p in parts] == [100, 30]
    assert [row[1] for p in parts for row in p["rows"]] == list(found.ranks.name[100:])
    assert parts[0]["next"][1] == found.ranks.name[200]
    assert parts[1]["next"] is None


def test_few_models_are_drawn(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    assert 'class="nf"' in (tmp_path / "site/b/some-task/index.html").read_text()


def test_a_badge(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    text = (tmp_path / "site/b/some-task/badge.svg").read_text()
    shown = check_markup(text, tags=TAGS, attributes=ATTRIBUTES)
    source = read_source(str(folder))
    share = source.audit.adjacent.resolved.mean()
    assert f"resolves {100 * share:.0f} % of adjacent pairs" in shown
    assert "<title>nstar: resolves" in text


@pytest.mark.parametrize("page", ["index.html", "b/some-task/compare.html"])
def test_pages_load_nothing_from_elsewhere(folder: Path, tmp_path: Path, page: str) -> None:
    build([str(folder)], str(tmp_path / "site"))
    text = (tmp_path / "site" / page).read_text()
    assert f'content="{POLICY}"' in text
    assert not re.search(r'(?:src|href)="(?:\w+:|//)', text.replace("https://github.com", "#"))
    assert not re.search(r"\sstyle=|\son\w+=", text)


# --- pairs --------------------------------------------------------------------------------

_KINDS = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f8": "<f8"}


def column(raw: bytes, kind: str, size: int) -> Any:
    """One column of a row file, from its planes."""
    if kind == "f6":
        bytes_ = np.zeros((size, 8), dtype=np.uint8)
        bytes_[:, 2:] = np.frombuffer(raw, np.uint8).reshape(6, size).T
        return bytes_.view("<f8").reshape(-1)
    width = np.dtype(_KINDS[kind]).itemsize
    planes = np.frombuffer(raw, np.uint8).reshape(width, size).T
    return np.ascontiguousarray(planes).view(_KINDS[kind]).reshape(-1)


def decoded(content: bytes, fields: Any, size: int) -> dict[str, Any]:
    raw, at, out = zlib.decompress(content), 0, {}
    for name, kind in fields:
        width = size * int(kind[1])
        out[name] = column(raw[at : at + width], kind, size)
        at += width
    assert at == len(raw)
    return out


DESIGNS: list[dict[str, Any]] = [{}, {"strata": "s"}, {"cluster": "s"}]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", DESIGNS)
def test_rows_hold_every_pair(
    tmp_path: Path, declared: dict[str, Any], graded: bool, missing: float
) -> None:
    found = audited(tmp_path, leaderboard(graded=graded, missing=missing), **declared)
    source = read_source(str(tmp_path))
    rows, m, k = Rows(source=source), len(found), 0
    for band in bands(source):
        for i, content in rows.files(band):
            row = decoded(content, fields_of(source), m - 1 - i)
            part = slice(k, k + m - 1 - i)
            for name, values in row.items():
                if name in ("df", "clusters"):
                    continue
                if name == "gap2":
                    expected = found.pairs.n10[part] + found.pairs.n01[part]  # type: ignore[index]
                else:
                    expected = getattr(found.pairs, name)[part]
                assert values == pytest.approx(expected, rel=1e-10, nan_ok=True), name
            k = part.stop
    assert k == found.all_pairs
    low, high = rows.threshold.low, rows.threshold.high
    assert low <= rows.finish() <= high


@pytest.mark.parametrize("adjust", ["maxt", "holm", "bonferroni", "bh", "none"])
@pytest.mark.parametrize("declared", DESIGNS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_threshold_gives_back_every_verdict(
    tmp_path: Path, adjust: str, declared: dict[str, Any], missing: float
) -> None:
    found = audited(tmp_path, leaderboard(8, 9, missing=missing), adjust=adjust, **declared)
    source = read_source(str(tmp_path))
    rows = Rows(source=source)
    for band in bands(source):
        assert len(list(rows.files(band))) == 8
    threshold = rows.finish()
    significant = found.pairs.p <= threshold
    said = np.isin(found.pairs.verdict, ("resolved", "significant only"))
    assert (significant == said).all()


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_who_beats_whom(tmp_path: Path, lower_is_better: bool) -> None:
    matrix = leaderboard(graded=True, lower_is_better=lower_is_better)
    found = audited(tmp_path, matrix, adjust="none")
    source = read_source(str(tmp_path))
    rows = Rows(source=source)
    for band in bands(source):
        list(rows.files(band))
    p, sign = found.pairs, -1 if lower_is_better else 1
    told = [v in ("resolved", "significant only") for v in p.verdict]
    for k, name in enumerate(found.ranks.name):
        wins = sum(
            t and ((a == name and sign * d > 0) or (b == name and sign * d < 0))
            for t, a, b, d in zip(told, p.a, p.b, p.delta, strict=True)
        )
        assert rows.beats[k] == wins
    assert rows.beats.sum() == rows.beaten.sum() == sum(told)


def test_parts_of_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(tmp_path / "one", leaderboard(models=23))
    for module in ("tiles", "writing", "survey"):
        monkeypatch.setattr(f"nstar._audit.{module}.TILE", 6)
    audited(tmp_path / "four", leaderboard(models=23))
    assert len(list((tmp_path / "four" / "pairs").iterdir())) == 4
    for name in ("one", "four"):
        build([str(tmp_path / name)], str(tmp_path / f"{name}-site"))
    assert files(tmp_path / "one-site") == files(tmp_path / "four-site")


# --- the same again -----------------------------------------------------------------------


def test_the_same_audit_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build([str(folder)], str(tmp_path / name))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert not any(
        str(tmp_path).encode() in content for content in files(tmp_path / "one").values()
    )


def test_what_did_not_change_is_not_touched(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build([str(folder)], str(site))
    before = stamps(site)
    built = build([str(folder)], str(site))
    assert (built.written, built.removed) == (0, 0)
    assert stamps(site) == before


def test_one_benchmark_is_built_again_without_the_others(folder: Path, tmp_path: Path) -> None:
    site, other = tmp_path / "site", tmp_path / "other"
    audited(other, leaderboard(5, task="other"))
    build([str(folder), str(other)], str(site), title="Mine")
    before = stamps(site)
    audited(tmp_path / "new", leaderboard(6, task="other"))
    built = build([str(tmp_path / "new")], str(site))
    after = stamps(site)
    changed = {p for p in before if after.get(p) != before[p]}
    assert all(p.startswith("b/other/") or p in ("index.html", "index.json") for p in changed)
    assert built.removed > 0
    assert "Mine" in (site / "index.html").read_text()
    fresh = tmp_path / "fresh"
    build([str(folder), str(tmp_path / "new")], str(fresh), title="Mine")
    assert files(site) == files(fresh)


def test_models_that_are_gone_leave_no_page(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build([str(folder)], str(site))
    audited(tmp_path / "few", leaderboard(3, 4))
    build([str(tmp_path / "few")], str(site))
    home = site / "b" / "some-task"
    assert len(list((home / "m").iterdir())) == 4
    assert len(list(home.glob("rows-*"))) == 1
    assert len(list(home.glob("models-*"))) == 1


def test_files_of_others_stay(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build([str(folder)], str(site))
    for place in ("CNAME", "b/some-task/notes.txt", "b/some-task/m/me.txt"):
        (site / place).write_text("mine")
    (site / "b/some-task/m/.nstar-0123456789abcdef").write_text("left of a build")
    build([str(folder)], str(site))
    for place in ("CNAME", "b/some-task/notes.txt", "b/some-task/m/me.txt"):
        assert (site / place).read_text() == "mine"
    assert not (site / "b/some-task/m/.nstar-0123456789abcdef").exists()


def test_a_benchmark_whose_folder_is_gone_leaves_the_index(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    audited(tmp_path / "other", leaderboard(5, task="other"))
    build([str(folder), str(tmp_path / "other")], str(site))
    (site / "b/other/index.html").unlink()
    build([str(folder)], str(site))
    slugs = [b["slug"] for b in json.loads((site / "index.json").read_text())["benchmarks"]]
    assert slugs == ["some-task"]


def test_other_versions_are_told(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    audited(tmp_path / "other", leaderboard(5, task="other"))
    build([str(folder), str(tmp_path / "other")], str(site))
    path = site / "index.json"
    path.write_text(path.read_text().replace('"nstar": "', '"nstar": "0.'))
    assert build([str(folder)], str(site)).outdated == ("other",)


def test_progress_counts_pairs(folder: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    build([str(folder)], str(tmp_path / "site"), progress=lambda *call: calls.append(call))
    assert calls == [(21, 21)]


# --- stopped, refused ---------------------------------------------------------------------


def test_a_build_that_was_stopped_goes_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, write, calls = tmp_path / "site", _files.NewFile.write, []

    def stop(self: Any, data: bytes) -> None:
        calls.append(1)
        if len(calls) > 12:
            (site / "b/some-task" / f".nstar-{'0' * 16}").write_text("just opened")
            raise KeyboardInterrupt
        write(self, data)

    monkeypatch.setattr(_files.NewFile, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        build([str(folder)], str(site))
    assert not list(site.rglob(".nstar-*"))
    monkeypatch.setattr(_files.NewFile, "write", write)
    build([str(folder)], str(site))
    build([str(folder)], str(tmp_path / "whole"))
    assert files(site) == files(tmp_path / "whole")


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"schema": "nstar.audit/1"}', None])
def test_a_folder_of_others_is_refused(folder: Path, tmp_path: Path, content: str | None) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / ("thesis.txt" if content is None else "index.json")).write_text(content or "mine")
    before = stamps(site)
    with pytest.raises(DataError, match="holds no site of nstar; give a new folder"):
        build([str(folder)], str(site))
    assert stamps(site) == before


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
    audited(tmp_path / "other", leaderboard(5))
    with pytest.raises(DataError, match=r"would both be b/some-task; build one.*--name TEXT"):
        build([str(folder), str(tmp_path / "other")], str(tmp_path / "site"))
    build([str(folder)], str(tmp_path / "site"))
    built = build([str(tmp_path / "other")], str(tmp_path / "site"), name="Some task, again")
    assert built.benchmarks == ("some-task-again",)
    with pytest.raises(DataError, match=r"holds another benchmark, 'Some Task'; build .*--name"):
        build([str(tmp_path / "other")], str(tmp_path / "site"), name="some/task")
    with pytest.raises(ParameterError, match="one audit; got 2"):
        build([str(folder)] * 2, str(tmp_path / "site"), name="x")


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
        ({"task": 5}, "5 is no text"),
        ({"notes": {"a": 1}}, "is no list"),
        ({"n": -1}, "-1 is no count"),
        ({"n": True}, "True is no count"),
        ({"n": 3}, "counts more items than there are"),
        ({"complete": "yes"}, "neither true nor false"),
        ({"adjust": "magic"}, "is none of maxt"),
        ({"models": []}, "fewer than two models"),
        ({"models": [{"name": "a"}] * 2}, "lacks 'mean'"),
        ({"adjacent": []}, "does not hold the pairs"),
        ({"all_pairs": 20}, "does not hold the pairs"),
        ({"criteria": {"alpha": 2, "power": 0.8, "sides": 2}}, "alpha"),
        ({"limits": {"low": 1.0, "high": 0.0}}, "counts more items"),
        ({"words": {}}, "lacks 'resolved'"),
        ({"seed": 7}, "differ in seed"),
        ({"paragraph": None}, "is no text"),
    ],
)
def test_an_audit_that_cannot_be(
    folder: Path, tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    change(folder, **values)
    with pytest.raises(DataError, match=said):
        build([str(folder)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def test_several_tasks_are_told_apart(folder: Path, tmp_path: Path) -> None:
    change(folder, schema="nstar.leaderboard/1")
    with pytest.raises(DataError, match=r"holds several tasks; .*--task TASK --out FOLDER"):
        build([str(folder)], str(tmp_path / "site"))


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no folder"):
        build([str(tmp_path / "none")], str(tmp_path / "site"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"has no manifest\.json; give a folder written by"):
        build([str(tmp_path / "empty")], str(tmp_path / "site"))


def test_files_that_are_too_large(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.report.site._source._AUDIT", ("audit.json", 100))
    with pytest.raises(DataError, match="larger than 0 MB, which no audit is"):
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
    "two pairs less": (lambda t: t.slice(2), "do not follow those before it"),
    "a pair twice": (
        lambda t: pa.concat_tables([t.slice(0, 1), t.slice(0, t.num_rows - 1)]),
        "lacks pairs, or holds some twice",
    ),
    "no column": (lambda t: t.drop_columns(["n10"]), "has no column n10"),
    "another type": (
        lambda t: t.set_column(2, "n", t.column(2).cast(pa.int64())),
        "column n is of type int64",
    ),
    "a stranger": (_with("a", lambda v: ["me", *v[1:]]), "'me' is not in audit.json"),
    "the wrong way round": (
        lambda t: t.rename_columns(["b", "a", *t.schema.names[2:]]),
        "holds pairs out of order",
    ),
    "gaps": (_with("p", lambda v: [None, *v[1:]]), "column p has gaps"),
    "no verdict": (_with("verdict", lambda v: ["fine", *v[1:]]), "'fine' is not in audit.json"),
    "counts below 0": (_with("n10", lambda v: [-1, *v[1:]]), "do not add up"),
    "other items": (_with("n", lambda v: [v[0] - 1, *v[1:]]), "counts other items"),
    "no p-value": (_with("p", lambda v: [7.0, *v[1:]]), "p-values that are none"),
    "another gap": (_with("delta", lambda v: [v[0] + 0.1, *v[1:]]), "of different audits"),
    "other verdicts": (_with("verdict", lambda v: ["unresolved"] * len(v)), "different audits"),
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
    with pytest.raises(DataError, match="holds the pairs of 0 of 6 models"):
        build([str(folder)], str(tmp_path / "site"))
    (folder / "pairs").rmdir()
    with pytest.raises(DataError, match="pairs: cannot be read"):
        build([str(folder)], str(tmp_path / "site"))


def test_too_many_models(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.report.site._source._MOST_MODELS", 3)
    with pytest.raises(DataError, match="up to 3 models, here are 7; choose some"):
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
    audited(root / "audit", matrix)
    build([str(root / "audit")], str(root / "site"), title=NASTY["script"])
    return root / "site"


def test_no_name_is_markup(nasty_site: Path) -> None:
    pages = [*nasty_site.rglob("*.html"), *nasty_site.rglob("*.svg")]
    assert len(pages) == len(HOSTILE) + 6
    for path in pages:
        text = path.read_text("utf-8").replace("<!DOCTYPE html>\n", "", 1)
        check_markup(text, tags=TAGS, attributes=ATTRIBUTES)
        assert text.count("<script") <= 2


def test_every_name_is_shown(nasty_site: Path) -> None:
    home = next((nasty_site / "b").iterdir())
    text = (home / "index.html").read_text("utf-8")
    shown = check_markup(text.partition("\n")[2], tags=TAGS, attributes=ATTRIBUTES)
    assert NASTY["image"] in shown
    assert "a?[31mb" not in shown


def test_data_files_hold_names_as_they_are(nasty_site: Path) -> None:
    home = next((nasty_site / "b").iterdir())
    check_json((home / "models.json").read_text(), *HOSTILE.values())
    check_json((nasty_site / "index.json").read_text(), NASTY["image"])
    raw = zlib.decompress(next(home.glob("models-*.bin")).read_bytes())
    length = int.from_bytes(raw[:4], "little")
    mixed = json.loads(raw[4 : 4 + length])
    assert set(mixed[::2]) == set(HOSTILE.values())


def test_files_stay_inside(nasty_site: Path) -> None:
    assert sorted(p.name for p in nasty_site.parent.iterdir()) == ["audit", "site"]


def test_surrogates_that_look_alike_are_refused(tmp_path: Path) -> None:
    matrix = leaderboard(models=3, names=["a\ud800", "a\ud801", "b"])
    audited(tmp_path / "audit", matrix)
    with pytest.raises(DataError, match="two models have the same name but for signs"):
        build([str(tmp_path / "audit")], str(tmp_path / "site"))


def test_notes_of_readers_stay_private(folder: Path, tmp_path: Path) -> None:
    change(folder, notes=["note [reader]: /home/me/x.csv: ignored", "Something else."])
    build([str(folder)], str(tmp_path / "site"))
    page = (tmp_path / "site/b/some-task/index.html").read_text()
    assert "Something else." in page
    assert "/home/me" not in page


def _pages(found: Audit, site: Path) -> Iterator[tuple[int, str]]:
    home = next((site / "b").iterdir())
    for k, id_ in enumerate(model_ids(found.ranks.name)):
        yield k, (home / "m" / f"{id_}.html").read_text()


def test_model_pages_tell_rank_set_and_neighbours(tmp_path: Path) -> None:
    rule = Criteria(alpha=0.1)
    found = audited(tmp_path / "audit", leaderboard(models=5), criteria=rule, delta=0.02)
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    r, names = found.ranks, found.ranks.name
    for k, page in _pages(found, tmp_path / "site"):
        text = check_markup(page.partition("\n")[2], tags=TAGS, attributes=ATTRIBUTES)
        low, high = int(r.rank_lo[k]), int(r.rank_hi[k])
        open_ = f"{low}" if low == high else f"{low} to {high}"
        assert f"{names[k]} ranks {r.rank[k]} of 5; with 90 % confidence" in text
        assert f"its rank is {open_}." in text
        assert "α = 0.1" in text
        beside = [names[j] for j in (k - 1, k + 1) if 0 <= j < 5]
        assert re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page) == beside

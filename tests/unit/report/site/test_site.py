"""A site of audits: the same bytes for the same audits, and what each file tells."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.boards import board, scores
from helpers.nasty import check_markup
from helpers.sites import ATTRIBUTES, TAGS, audited, copy_audit, files, leaderboard, stamps
from nstar import Audit
from nstar._data.export import files as _files
from nstar._verbs.data_summary.cells import cell_findings
from nstar.errors import DataError
from nstar.report.site import build
from nstar.report.site._frame import POLICY
from nstar.report.site._names import model_ids
from nstar.report.site._pair_bands import bands
from nstar.report.site._rows import PairRows, fields_of
from nstar.report.site._source import read_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy_audit(tmp_path / "audit", leaderboard())
    return tmp_path / "audit"


@pytest.fixture(autouse=True)
def _fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794000000")


# --- what is written ----------------------------------------------------------------------


def test_every_kind_of_file(folder: Path, tmp_path: Path) -> None:
    built = build([str(folder)], str(tmp_path / "site"))
    there = files(tmp_path / "site")
    assert built.benchmarks == ("some-task",)
    assert (built.written, built.kept, built.removed) == (len(there), 0, 0)
    source = read_source(str(folder))
    pairs, told = source.pairs_key(), source.audit_key()
    ids = model_ids([f"m{i}" for i in range(7)])
    home = "b/some-task"
    expected = {"index.html", "index.json", "nstar.css", "nstar.svg", ".nojekyll"}
    expected |= {"nstar.js", "nstar-pair.js", "nstar-votes.js"}
    names = ("index.html", "compare.html", "embed.html", "audit.json", "models.json")
    kept = ("history.json", "feed.xml")
    drawn = ("badge.svg", "ladder-small.svg")
    expected |= {f"{home}/{name}" for name in (*names, *kept, *drawn, f"models-{told}.bin")}
    expected |= {f"{home}/m/{id_}.html" for id_ in ids}
    last = json.loads(there[f"{home}/models.json"])["id"][-1]
    expected |= {f"{home}/rows-{pairs}/{id_}.bin" for id_ in ids if id_ != last}
    assert set(there) == expected


def test_the_index_tells_what_each_benchmark_resolves(folder: Path, tmp_path: Path) -> None:
    found = copy_audit(tmp_path / "other", leaderboard(5, 4, task="other"))
    build([str(folder), str(tmp_path / "other")], str(tmp_path / "site"), title="My <boards>")
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    assert index["schema"] == "nstar.site/1"
    assert index["title"] == "My <boards>"
    assert [b["slug"] for b in index["benchmarks"]] == ["other", "some-task"]
    one = index["benchmarks"][0]
    assert (one["models"], one["items"], one["neighbors"]) == (4, found.n_items, 3)
    assert one["resolved"] == int(found.adjacent.is_resolved.sum())
    assert one["share"] == one["resolved"] / 3
    assert one["tiers"] == int(found.ranking.tier[-1])
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<b>My &lt;boards&gt;</b> · 2 boards" in page
    both = [b["inconclusive"] for b in index["benchmarks"]]
    assert both[0] == found.adjacent.states.count("inconclusive")
    assert f"{sum(both)} of 9 adjacent ranks on these boards " in page
    assert 'href="b/other/index.html"' in page
    assert 'src="b/other/ladder-small.svg"' in page
    assert found.resolvable_gap is not None
    assert one["resolvable_gap"]["median"] == found.resolvable_gap.median
    assert f"MDE <b>{one['gap']}</b>" in page
    assert one["finding"] in page


def test_the_api_is_the_audit(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    home = tmp_path / "site" / "b" / "some-task"
    assert (home / "audit.json").read_bytes() == (folder / "audit.json").read_bytes()
    said = json.loads((folder / "audit.json").read_text())["ranking"]
    columns = json.loads((home / "models.json").read_text())
    assert columns["model"] == [m["model"] for m in said]
    for key in ("mean", "n_items", "rank", "rank_low", "rank_high", "tier"):
        assert columns[key] == [m[key] for m in said]


def test_the_rest_of_a_long_ranking_is_one_file(tmp_path: Path) -> None:
    found = copy_audit(tmp_path / "audit", leaderboard(models=130))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    home = tmp_path / "site" / "b" / "some-task"
    page = (home / "index.html").read_text()
    assert page.count('<th scope="row" class="wrap"><a href="m/') == 100
    (file,) = home.glob("ranks-*.bin")
    rows = json.loads(zlib.decompress(file.read_bytes()))
    assert [row[1] for row in rows] == list(found.ranking.model[100:])
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize(("models", "drawn"), [(7, 7), (130, 60)])
def test_every_ranking_is_drawn(tmp_path: Path, models: int, drawn: int) -> None:
    copy_audit(tmp_path / "audit", leaderboard(models=models))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page = (tmp_path / "site/b/some-task/index.html").read_text()
    assert page.count("data-row=") == 2 * drawn, "wide and narrow"


def test_a_small_ladder_shows_all_models(tmp_path: Path) -> None:
    found = copy_audit(tmp_path / "audit", leaderboard(models=12))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    text = (tmp_path / "site/b/some-task/ladder-small.svg").read_text()
    shown = check_markup(text, tags=TAGS | {"style"}, attributes=ATTRIBUTES)
    assert text.count("M") == len(found)
    assert "all 12 models" in shown


def test_a_site_of_one_board_says_so(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"), title="Mine")
    page = (tmp_path / "site/index.html").read_text()
    assert "<b>Mine</b> · 1 board<" in page
    assert " adjacent ranks on this board " in page
    assert 'id="search"' not in page


def test_a_model_with_fewer_items_is_marked(tmp_path: Path) -> None:
    found = copy_audit(tmp_path / "audit", leaderboard(missing=0.2))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page = (tmp_path / "site/b/some-task/index.html").read_text()
    marked = [n for n in found.ranking.n_items.tolist() if n < 0.98 * found.ranking.n_items.max()]
    expected = [f"mean over {n} of {found.n_items} items" for n in marked]
    assert re.findall(r'<small class="flag">([^<]+)</small>', page) == expected
    assert expected


def test_a_model_that_looks_like_an_artifact_is_marked(tmp_path: Path) -> None:
    x = scores(4, models=6, items=150)
    x[1], x[3] = 1.0, x[2]
    matrix = board(x, models=[f"m{i}" for i in range(6)], task="Some Task")
    copy_audit(tmp_path / "audit", matrix, findings=tuple(cell_findings(matrix)))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    home = tmp_path / "site/b/some-task"
    page = (home / "index.html").read_text()
    marks = dict(re.findall(r'>(m\d)</a><small class="flag">([^<]+)</small>', page))
    same = "same scores as another model"
    assert marks == {"m1": "same score on every item", "m2": same, "m3": same}
    (own,) = home.glob("m/m1-*.html")
    assert "m1 scores 1 on every item (150)" in own.read_text()


def test_names_in_the_table_are_escaped(tmp_path: Path) -> None:
    x = np.zeros((3, 400))
    x[0], x[1, :200], x[2, :20] = 1.0, 1.0, 1.0
    copy_audit(tmp_path / "audit", board(x, models=["a <b>", "b", "c"], task="t"))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page = (tmp_path / "site/b/t/index.html").read_text()
    assert "a &lt;b&gt;" in page
    assert "a <b>" not in page


def test_a_badge(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    text = (tmp_path / "site/b/some-task/badge.svg").read_text()
    shown = check_markup(text, tags=TAGS, attributes=ATTRIBUTES)
    source = read_source(str(folder))
    told = source.audit.resolvable_gap
    assert told is not None
    assert f"detects {100 * told.median:.1f} pp gaps" in shown
    assert "<title>nstar: detects" in text


def test_a_badge_of_a_benchmark_that_tells_nothing(tmp_path: Path) -> None:
    x = np.zeros((3, 40))
    copy_audit(tmp_path / "audit", board(x, models=["a <b>", "b", "c"], task="t"))
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    assert "detectable gap: unknown" in (tmp_path / "site/b/t/badge.svg").read_text()
    (entry,) = json.loads((tmp_path / "site/index.json").read_text())["benchmarks"]
    assert entry["resolvable_gap"] is None


def test_pages_load_nothing_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    build([str(folder)], str(tmp_path / "site"))
    for page in ("index.html", "b/some-task/compare.html"):
        text = (tmp_path / "site" / page).read_text()
        assert f'content="{POLICY}"' in text, page
        assert not re.search(r'(?:src|href)="(?:\w+:|//)', text.replace("https://github.com", "#"))
        assert not re.search(r"\sstyle=|\son\w+=", text), page


def _pages(found: Audit, site: Path) -> Iterator[tuple[int, str]]:
    home = next((site / "b").iterdir())
    for k, id_ in enumerate(model_ids(found.ranking.model)):
        yield k, (home / "m" / f"{id_}.html").read_text()


def test_model_pages_tell_rank_set_and_neighbors(tmp_path: Path) -> None:
    found = copy_audit(tmp_path / "audit", leaderboard(models=5), alpha=0.1, delta=0.02)
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    r, names = found.ranking, found.ranking.model
    for k, page in _pages(found, tmp_path / "site"):
        text = check_markup(page.partition("\n")[2], tags=TAGS, attributes=ATTRIBUTES)
        low, high = int(r.rank_low[k]), int(r.rank_high[k])
        open_ = f"{low}" if low == high else f"{low}–{high}"
        assert f"{names[k]} ranks {r.rank[k]} of 5" in text
        assert f"The 90% rank range is {open_}, simultaneously for all models." in text
        assert "familywise error rate is 0.1" in text
        near = re.findall(r'<th scope="row" class="wrap"><a href="[^"]+">([^<]+)</a>', page)
        assert near == list(names)
        assert page.count('class="asked"') + page.count('line asked"') == 1


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
    found = copy_audit(tmp_path, leaderboard(graded=graded, missing=missing), **declared)
    source = read_source(str(tmp_path))
    rows, m, k = PairRows(source=source), len(found), 0
    for band in bands(source):
        for i, content in rows.files(band):
            row = decoded(content, fields_of(source), m - 1 - i)
            part = slice(k, k + m - 1 - i)
            for name, values in row.items():
                if name in ("df", "n_clusters"):
                    continue
                if name == "gap2":
                    expected = found.pairs.n10[part] + found.pairs.n01[part]  # type: ignore[index]
                else:
                    expected = getattr(found.pairs, name)[part]
                assert values == pytest.approx(expected, rel=1e-10, nan_ok=True), name
            k = part.stop
    assert k == found.n_pairs
    low, high = rows.threshold.low, rows.threshold.high
    assert low <= rows.finish() <= high


ADJUSTED = [
    pytest.param(
        *(adjust, declared, missing),
        marks=() if (i + j + k) % 2 == 0 else pytest.mark.slow,
    )
    for i, adjust in enumerate(("maxt", "holm", "bonferroni", "bh", "none"))
    for j, declared in enumerate(DESIGNS)
    for k, missing in enumerate((0.0, 0.3))
]
"""Half of them in the default run: any two of the three choices meet there."""


@pytest.mark.parametrize(("adjust", "declared", "missing"), ADJUSTED)
def test_the_threshold_gives_back_every_verdict(
    tmp_path: Path, adjust: str, declared: dict[str, Any], missing: float
) -> None:
    found = copy_audit(tmp_path, leaderboard(8, 9, missing=missing), adjust=adjust, **declared)
    source = read_source(str(tmp_path))
    rows = PairRows(source=source)
    for band in bands(source):
        assert len(list(rows.files(band))) == 8
    threshold = rows.finish()
    significant = found.pairs.pvalue <= threshold
    said = np.isin(found.pairs.verdict, ("significant",))
    assert (significant == said).all()


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_who_beats_whom(tmp_path: Path, lower_is_better: bool) -> None:
    matrix = leaderboard(graded=True, lower_is_better=lower_is_better)
    found = copy_audit(tmp_path, matrix, adjust="none")
    source = read_source(str(tmp_path))
    rows = PairRows(source=source)
    for band in bands(source):
        list(rows.files(band))
    p, sign = found.pairs, -1 if lower_is_better else 1
    told = [v == "significant" for v in p.verdict]
    for k, name in enumerate(found.ranking.model):
        wins = sum(
            t and ((a == name and sign * d > 0) or (b == name and sign * d < 0))
            for t, a, b, d in zip(told, p.model_a, p.model_b, p.gap, strict=True)
        )
        assert rows.beats[k] == wins
    assert rows.beats.sum() == rows.beaten.sum() == sum(told)


def test_parts_of_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(tmp_path / "one", leaderboard(models=23))
    for module in ("tiles", "pair_analysis"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.TILE", 6)
    audited(tmp_path / "four", leaderboard(models=23))
    assert len(list((tmp_path / "four" / "pairs").iterdir())) == 4
    for name in ("one", "four"):
        build([str(tmp_path / name)], str(tmp_path / f"{name}-site"))
    assert files(tmp_path / "one-site") == files(tmp_path / "four-site")


# --- the same again -----------------------------------------------------------------------


def test_the_same_audit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        audited(tmp_path / f"audit-{name}", leaderboard())
        build([str(tmp_path / f"audit-{name}")], str(tmp_path / name))
    assert files(tmp_path / "audit-one") == files(tmp_path / "audit-two"), "copy_audit needs it"
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert not any(
        str(tmp_path).encode() in content for content in files(tmp_path / "one").values()
    )


def _keys(home: Path, kind: str) -> set[str]:
    return {p.name for p in home.glob(f"{kind}-*")}


def test_a_cache_cannot_show_verdicts_of_another_level(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for level in (0.05, 0.2):
        copy_audit(
            tmp_path / f"{level}",
            leaderboard(models=40),
            alpha=level,
            adjust="holm",
        )
        build([str(tmp_path / f"{level}")], str(site), name=str(level))
    one, two = site / "b/0-05", site / "b/0-2"
    assert _keys(one, "rows") == _keys(two, "rows")
    for kind in ("models", "ranks"):
        assert not _keys(one, kind) & _keys(two, kind)


def test_another_version_writes_other_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_source(str(folder))
    old = before.pairs_key(), before.audit_key()
    monkeypatch.setattr("nstar.report.site._source.__version__", "9.9")
    after = read_source(str(folder))
    assert after.pairs_key() == old[0]
    assert after.audit_key() != old[1]
    monkeypatch.setattr("nstar.report.site._source._FORMAT", b"2")
    assert after.pairs_key() != old[0]


def test_what_did_not_change_is_not_touched(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build([str(folder)], str(site))
    before = stamps(site)
    built = build([str(folder)], str(site))
    assert (built.written, built.removed) == (0, 0)
    assert stamps(site) == before


def test_one_benchmark_is_built_again_without_the_others(folder: Path, tmp_path: Path) -> None:
    site, other = tmp_path / "site", tmp_path / "other"
    copy_audit(other, leaderboard(5, task="other"))
    build([str(folder), str(other)], str(site), title="Mine")
    before = stamps(site)
    copy_audit(tmp_path / "new", leaderboard(6, task="other"))
    built = build([str(tmp_path / "new")], str(site))
    after = stamps(site)
    changed = {p for p in before if after.get(p) != before[p]}
    assert all(p.startswith("b/other/") or p in ("index.html", "index.json") for p in changed)
    assert built.removed > 0
    assert "Mine" in (site / "index.html").read_text()
    fresh = tmp_path / "fresh"
    build([str(folder), str(tmp_path / "new")], str(fresh), title="Mine")
    kept, new = files(site), files(fresh)
    pages = [f"b/other/{name}" for name in ("index.html", "history.json", "feed.xml")]
    histories = [pages_of.pop(pages[1]) for pages_of in (kept, new) if pages_of.pop(pages[0])]
    assert [len(json.loads(history)["snapshots"]) for history in histories] == [2, 1]
    assert kept.pop(pages[2]) != new.pop(pages[2])
    assert kept == new


def test_models_that_are_gone_leave_no_page(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build([str(folder)], str(site))
    copy_audit(tmp_path / "few", leaderboard(3, 4))
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


def test_a_build_killed_at_its_first_file_can_be_repeated(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    left = site / ".nstar-0123456789abcdef"
    left.write_text("half")
    build([str(folder)], str(site))
    assert not left.exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / ".nstar-notes").write_text("mine")
    with pytest.raises(DataError, match=r"is not empty \(contains \.nstar-notes\)"):
        build([str(folder)], str(other))


def test_a_benchmark_whose_folder_is_gone_leaves_the_index(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    copy_audit(tmp_path / "other", leaderboard(5, task="other"))
    build([str(folder), str(tmp_path / "other")], str(site))
    (site / "b/other/index.html").unlink()
    build([str(folder)], str(site))
    slugs = [b["slug"] for b in json.loads((site / "index.json").read_text())["benchmarks"]]
    assert slugs == ["some-task"]


def test_other_versions_are_told(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    copy_audit(tmp_path / "other", leaderboard(5, task="other"))
    build([str(folder), str(tmp_path / "other")], str(site))
    path = site / "index.json"
    path.write_text(path.read_text().replace('"nstar": "', '"nstar": "0.'))
    assert build([str(folder)], str(site)).outdated == ("other",)


def test_progress_counts_pairs(folder: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    build([str(folder)], str(tmp_path / "site"), progress=lambda *call: calls.append(call))
    assert calls == [(21, 21)]


def test_a_build_that_was_stopped_goes_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, write, calls = tmp_path / "site", _files.NewFile.write, []

    def stop(self: Any, data: bytes) -> None:
        calls.append(1)
        if len(calls) > 13:
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

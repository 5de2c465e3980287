"""A site of ratings from votes beside audits: what it tells, and what it refuses to tell."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from helpers.battles import battles, renamed
from helpers.nasty import NASTY, check_data, check_markup
from helpers.sites import ATTRIBUTES, TAGS, copy_audit, files, leaderboard, stamps
from nstar._data.findings import find
from nstar._verbs.battles import Battles
from nstar.errors import DataError, NstarError
from nstar.report.charts import Figure
from nstar.report.site import build
from nstar.report.site._frame import POLICY


@pytest.fixture(scope="module")
def result() -> Battles:
    return battles(10, 1500, groups=20)


@pytest.fixture
def file(result: Battles, tmp_path: Path) -> Path:
    return saved(result, tmp_path / "arena.json")


def saved(result: Battles, path: Path) -> Path:
    """What ``nstar battles --format json`` prints."""
    path.write_text(result.to_json(), encoding="utf-8")
    return path


def built(path: Path, **options: Any) -> Path:
    """The folder of the only board of a new site."""
    site = path.parent / "site"
    (slug,) = build([str(path)], str(site), **options).benchmarks
    return site / "b" / slug


# --- what is written ----------------------------------------------------------------------


def test_every_kind_of_file(file: Path) -> None:
    home = built(file)
    drawn = {"badge.svg", "ladder-small.svg"}
    there = {p.name for p in home.iterdir()} - {"share.png"}
    assert home.name == "arena"
    kept = {"history.json", "feed.xml"}
    assert there == {"index.html", "embed.html", "battles.json"} | kept | drawn


def test_the_data_are_the_ratings(result: Battles, file: Path) -> None:
    shown = (built(file) / "battles.json").read_text()
    assert Battles.from_json(shown) == result
    assert shown == result.render("json", paragraph=True)


def test_votes_stand_beside_audits(result: Battles, file: Path, tmp_path: Path) -> None:
    copy_audit(tmp_path / "audit", leaderboard(), adjust="holm")
    site = tmp_path / "site"
    done = build([str(tmp_path / "audit"), str(file)], str(site))
    assert done.benchmarks == ("some-task", "arena")
    votes, audit = json.loads((site / "index.json").read_text())["benchmarks"]
    assert (votes["kind"], audit["kind"]) == ("votes", "audit")
    assert (votes["models"], votes["rated"], votes["votes"]) == (10, 10, 1500)
    assert votes["n_could_be_best"] == result.n_could_be_best
    assert votes["neighbors"] == 9
    assert result.resolvable_gap is not None
    assert votes["resolvable_gap"]["median"] == result.resolvable_gap.median
    page = (site / "index.html").read_text()
    assert votes["finding"] in page
    assert "10 models · 1,500 votes" in page
    assert f"MDE <b>{votes['gap']}</b>" in page
    assert re.fullmatch(r"\d+ Elo", votes["gap"])
    assert 'src="b/arena/ladder-small.svg"' in page


def test_the_page_is_that_of_the_report(result: Battles, file: Path) -> None:
    page = (built(file) / "index.html").read_text()
    assert f'content="{POLICY}"' in page
    assert "<b>arena</b> · 10 models · 1,500 votes" in page
    words = re.sub(r"<[^>]+>", " ", page)
    for name, rating in zip(result.ratings.model, result.ratings.rating, strict=True):
        assert name in words
        assert f"{round(float(rating)):,}" in words
    for kind in ("ranking", "readings", "notes", "assumptions", "share", "files", "cite"):
        assert f' id="{kind}"' in page
    assert not re.search(r"\sstyle=|\son\w+=", page)
    assert not re.search(r'(?:src|href)="(?:\w+:|//)', page.replace("https://github.com", "#"))
    assert not re.search(r'(?:href|src|srcset)="(?:m/|compare|models)', page), "there are none"


def test_every_link_leads_somewhere(file: Path) -> None:
    home = built(file)
    for page in (home / "index.html", home / "embed.html", home.parents[1] / "index.html"):
        for link in re.findall(r'(?:href|src|srcset)="([^"#][^"]*)"', page.read_text()):
            if not link.startswith("https://github.com"):
                assert (page.parent / link.partition("?")[0]).is_file(), link


def test_pictures_are_of_ratings(result: Battles, file: Path) -> None:
    home = built(file)
    small = (home / "ladder-small.svg").read_text()
    said = check_markup(small, tags=TAGS | {"style"}, attributes=ATTRIBUTES)
    assert "Rank ranges of all 10 models" in said
    assert result.resolvable_gap is not None
    badge = (home / "badge.svg").read_text()
    assert f"detects {result.resolvable_gap.median:.0f} Elo gaps" in badge


def test_a_frame_holds_the_first_models(tmp_path: Path) -> None:
    found = battles(12, 60, prior=1.0)
    page = (built(saved(found, tmp_path / "few.json")) / "embed.html").read_text()
    assert page.count('<th scope="row">') == 10
    few = [f"rated from {k} votes" for k in found.ratings.n_votes[:10].tolist() if k < 10]
    assert re.findall(r'<small class="flag">([^<]+)</small>', page) == few
    assert few


def test_a_picture_to_share(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Figure, "render", lambda _, suffix: suffix.encode())
    home = built(file, url="https://example.org")
    page = (home / "index.html").read_text()
    assert 'property="og:image" content="https://example.org/b/arena/share.png"' in page
    assert (home / "share.png").read_bytes() == b".png"


def test_without_a_painter_there_is_none(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render = Figure.render

    def refuse(figure: Figure, suffix: str) -> bytes:
        if suffix == ".png":
            msg = "no"
            raise NstarError(msg)
        return render(figure, suffix)

    monkeypatch.setattr(Figure, "render", refuse)
    assert not (built(file) / "share.png").exists()


def test_what_a_reader_noted_is_not_told(result: Battles, tmp_path: Path) -> None:
    noted = replace(find("repeated-votes", "in /home/me/votes.csv"), code="reader")
    path = saved(replace(result, findings=(noted,)), tmp_path / "arena.json")
    built(path)
    assert not [p for p, c in files(tmp_path / "site").items() if b"/home/me" in c]


# --- names, and the same again ------------------------------------------------------------


def test_the_same_again_writes_nothing(file: Path, tmp_path: Path) -> None:
    built(file)
    before = stamps(tmp_path / "site")
    again = build([str(file)], str(tmp_path / "site"))
    assert (again.written, again.removed) == (0, 0)
    assert stamps(tmp_path / "site") == before


def test_votes_are_brought_up_to_date_alone(result: Battles, file: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    copy_audit(tmp_path / "audit", leaderboard(), adjust="holm")
    build([str(tmp_path / "audit"), str(file)], str(site))
    before = stamps(site)
    saved(battles(11, 1500), file)
    build([str(file)], str(site))
    changed = {p for p, stamp in stamps(site).items() if before.get(p) != stamp}
    assert changed
    assert all(p.startswith("b/arena/") or p in ("index.html", "index.json") for p in changed)
    assert "b/some-task/index.html" in stamps(site)


def test_names_of_boards(file: Path, tmp_path: Path) -> None:
    assert built(file, name="The arena").name == "the-arena"
    copy_audit(tmp_path / "arena", leaderboard(task=""), adjust="holm")
    with pytest.raises(DataError, match=r"would both use the folder b/arena\. .*--name TEXT"):
        build([str(tmp_path / "arena"), str(file)], str(tmp_path / "other"))


def test_an_audit_is_not_replaced_by_votes_of_its_name(file: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    copy_audit(tmp_path / "arena", leaderboard(task=""), adjust="holm")
    build([str(tmp_path / "arena")], str(site))
    before = stamps(site)
    with pytest.raises(DataError, match=r"contains another benchmark, 'arena', by 'audit'"):
        build([str(file)], str(site))
    assert stamps(site) == before


@pytest.mark.parametrize("first", ["audit", "votes"])
def test_what_another_kind_left_is_removed(
    file: Path, tmp_path: Path, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose page was deleted is free; files of the other kind are not left to stand."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794000000")  # the history contains the time
    site = tmp_path / "site"
    copy_audit(tmp_path / "arena", leaderboard(task=""), adjust="holm")
    kinds = {"audit": str(tmp_path / "arena"), "votes": str(file)}
    build([kinds.pop(first)], str(site))
    (site / "b/arena/index.html").unlink()
    (other,) = kinds.values()
    build([other], str(site))
    build([other], str(tmp_path / "fresh"))
    assert files(site) == files(tmp_path / "fresh")
    assert (site / "b/arena/m").exists() == (first == "votes")


# --- files from strangers -----------------------------------------------------------------


def _rows(data: dict[str, Any], table: str, at: int, **values: Any) -> None:
    data[table][at].update(values)


def _swap(data: dict[str, Any], table: str) -> None:
    data[table][0], data[table][1] = data[table][1], data[table][0]


OUTSIDE = {
    "name": "position",
    "elo": 2.0,
    "ci_low": 0.0,
    "ci_high": 1.0,
    "pvalue": 0.5,
    "covariate_sd": None,
}
"""An effect beyond its interval."""

Damage = Callable[[dict[str, Any]], object]

FORGED: dict[str, tuple[Damage, str]] = {
    "one model twice": (
        lambda d: _rows(d, "ratings", 1, model=d["ratings"][0]["model"]),
        "or a model twice",
    ),
    "no models": (lambda d: d.update(ratings=[], adjacent=[]), "fewer than two models"),
    "a model less": (lambda d: d.update(n_models=9), "counts 9 models but contains 10"),
    "unrated twice": (
        lambda d: d.update(
            unrated=[{"model": d["ratings"][3]["model"], "n_votes": 1, "reason": "won all"}]
        ),
        "or a model twice",
    ),
    "a pair less": (lambda d: d["adjacent"].pop(), "does not contain the pairs of 10 models"),
    "pairs": (lambda d: d.update(n_pairs=44), "does not contain the pairs of 10 models"),
    "other neighbors": (lambda d: _swap(d, "adjacent"), "as adjacent that are not"),
    "verdicts": (
        lambda d: d["verdict_counts"].update(significant=d["verdict_counts"]["significant"] + 1),
        "do not match its pairs",
    ),
    "verdicts of neighbors": (
        lambda d: d.update(
            verdict_counts=dict.fromkeys(d["verdict_counts"], 0) | {"equivalent": d["n_pairs"]}
        ),
        "fewer verdicts than its adjacent models have",
    ),
    "order": (lambda d: _swap(d, "ratings"), "as adjacent that are not"),
    "a rating": (
        lambda d: _rows(d, "ratings", 4, rating=d["ratings"][3]["rating"] + 1, ci_high=9e3),
        "not sorted by rating",
    ),
    "no rating": (lambda d: _rows(d, "ratings", 4, rating=None), "impossible ratings"),
    "an endless rating": (lambda d: _rows(d, "ratings", 0, ci_high=1e300), "impossible ratings"),
    "interval": (lambda d: _rows(d, "ratings", 4, ci_high=0), "outside their intervals"),
    "rank": (lambda d: _rows(d, "ratings", 4, rank=6), "ranks that do not match the ratings"),
    "rank, better": (lambda d: _rows(d, "ratings", 4, rank=4), "do not match the ratings"),
    "rank set": (lambda d: _rows(d, "ratings", 0, rank_low=2), "outside their rank ranges"),
    "rank beyond": (lambda d: _rows(d, "ratings", 0, rank_high=11), "ranks above 10"),
    "tier": (lambda d: _rows(d, "ratings", 9, tier=99), "tiers in the wrong order"),
    "first tier": (lambda d: _rows(d, "ratings", 0, tier=0), "tiers in the wrong order"),
    "gap": (lambda d: _rows(d, "adjacent", 2, elo=0.0), "gaps that do not match the ratings"),
    "no gap": (lambda d: _rows(d, "adjacent", 2, elo=None), "gaps that do not match"),
    "p": (lambda d: _rows(d, "adjacent", 2, pvalue=2.0), "outside 0 to 1"),
    "no p": (lambda d: _rows(d, "adjacent", 2, pvalue_adjusted=None), "outside 0 to 1"),
    "adjusted p": (
        lambda d: _rows(
            d,
            "adjacent",
            2,
            pvalue_adjusted=0.0 if d["adjacent"][2]["pvalue_adjusted"] > 0.05 else 1.0,
        ),
        "do not match its adjusted p-values",
    ),
    "votes of a model": (
        lambda d: _rows(d, "ratings", 2, n_wins=0),
        "numbers of votes that do not add up",
    ),
    "no votes": (lambda d: d.update(n_votes=0), "numbers of votes that do not add up"),
    "opponents": (lambda d: _rows(d, "ratings", 2, n_opponents=10), "more votes or opponents"),
    "groups": (lambda d: _rows(d, "groupings", 0, n_groups=9999), "more groups than votes"),
    "a group without a name": (lambda d: _rows(d, "groupings", 0, columns=[]), "more groups"),
    "ties": (lambda d: d.update(tie_share=None), "more ties than votes"),
    "misfit": (
        lambda d: d["lack_of_fit"].update(n_significant=1, worst_pairs=[]),
        "but lists none",
    ),
    "level": (lambda d: d.update(confidence_level=None), "invalid confidence level nan"),
    "critical": (lambda d: d.update(critical_value=-1.0), "the invalid critical value -1"),
    "anchor": (lambda d: d.update(anchor=["nobody", 1.0]), "a model that it does not rate"),
    "prior": (lambda d: d.update(prior=None), "the invalid prior nan"),
    "effect": (
        lambda d: d.update(position_effect=OUTSIDE),
        "impossible effects",
    ),
    "controls": (lambda d: d["ratings"][0].update(uncontrolled_rank=1), "is missing"),
    "alpha": (lambda d: d["criteria"].update(alpha=2), "alpha"),
    "a word": (lambda d: _rows(d, "adjacent", 0, verdict="proven"), "is not one of"),
    "a name that is none": (lambda d: _rows(d, "ratings", 0, model=5), "is not text"),
    "a key less": (lambda d: d.pop("lack_of_fit"), "'lack_of_fit' is missing"),
    "no words": (lambda d: d.update(caution=""), "string index out of range"),
    "an endless number": (lambda d: d.update(log_tie=1e300), "math range error"),
    "version": (lambda d: d.update(nstar=5), "5 is not a version of nstar"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_ratings_that_cannot_be(file: Path, tmp_path: Path, kind: str) -> None:
    damage, why = FORGED[kind]
    data = json.loads(file.read_text())
    damage(data)
    file.write_text(json.dumps(data))
    with pytest.raises(DataError, match=rf"^{re.escape(str(file))}: ") as refused:
        build([str(file)], str(tmp_path / "site"))
    assert why in str(refused.value)
    assert str(refused.value).endswith("nstar battles … --format json > FILE.json")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"schema": "x"}',
        "NaN",
        "[" * 100_000,
        "\udcff",
        '{"schema": 1e999}',
    ],
)
def test_files_that_are_no_ratings(file: Path, tmp_path: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=r"arena\.json: .*nstar battles … --format json"):
        build([str(file)], str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def test_an_audit_that_is_given_by_its_file(tmp_path: Path) -> None:
    copy_audit(tmp_path / "audit", leaderboard(), adjust="holm")
    with pytest.raises(DataError, match=r"audit\.json: this file is an audit\. Pass its folder"):
        build([str(tmp_path / "audit/audit.json")], str(tmp_path / "site"))


def test_what_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "votes.json"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="not a regular file"):
        build([str(pipe)], str(tmp_path / "site"))
    with pytest.raises(DataError, match=r"not a folder or file\. .*nstar battles"):
        build([str(tmp_path / "none.json")], str(tmp_path / "site"))


def test_files_and_boards_that_are_too_large(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.report.site._votes._MOST_MODELS", 9)
    with pytest.raises(DataError, match=r"holds at most 9 rated models; found 10. Choose fewer"):
        build([str(file)], str(tmp_path / "site"))
    monkeypatch.setattr("nstar.report.site._votes._MOST_BYTES", 100)
    with pytest.raises(DataError, match="larger than 0 MB"):
        build([str(file)], str(tmp_path / "site"))


@pytest.mark.parametrize(
    "options",
    [
        *({"cluster": ("prompt",)}, {"prior": 1.0}, {"ties": "davidson"}, {"adjust": "holm"}),
        *({"anchor": ("laboratory-0/model-0-instruct", 1e6)}, {"planned": 2000}),
    ],
)
def test_ratings_of_every_kind_are_taken(tmp_path: Path, options: dict[str, Any]) -> None:
    found = battles(5, 800, groups=120, **options)
    built(saved(found, tmp_path / "arena.json"))


def test_models_that_are_alike_are_taken(result: Battles, tmp_path: Path) -> None:
    """Strengths may differ in a digit that ratings lost."""
    r, k = result.ratings, 4
    rating = r.rating.copy()
    rating[k] = rating[k - 1]
    low, high = rating - (r.rating - r.ci_low), rating + (r.ci_high - r.rating)
    gap = -(rating[1:] - rating[:-1])
    same = replace(
        result,
        ratings=replace(r, rating=rating, ci_low=low, ci_high=high),
        adjacent=replace(result.adjacent, elo=gap),
    )
    built(saved(same, tmp_path / "arena.json"))


# --- names of strangers -------------------------------------------------------------------


@pytest.fixture(scope="module")
def nasty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nasty")
    names = cycle(NASTY.values())
    made = renamed(battles(len(NASTY), 70 * len(NASTY)), lambda _: next(names))
    a = made.ratings.model
    made = replace(made, adjacent=replace(made.adjacent, model_a=a[:-1], model_b=a[1:]))
    path = saved(made, root / "x.json")
    build([str(path)], str(root / "site"), name=NASTY["image"], title=NASTY["script"])
    return root / "site"


def _marked_up(site: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".svg"):
            yield path, path.read_text("utf-8")


def test_no_name_is_markup(nasty_site: Path) -> None:
    for path, text in _marked_up(nasty_site):
        tags = TAGS | ({"style"} if path.suffix == ".svg" else set())
        check_markup(text.removeprefix("<!DOCTYPE html>\n"), tags=tags, attributes=ATTRIBUTES)


def test_data_hold_names_as_they_are(nasty_site: Path) -> None:
    (path,) = nasty_site.rglob("battles.json")
    check_data(path.read_text(), *NASTY.values())

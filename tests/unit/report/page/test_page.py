"""The page of an audit as text: its policy, its parts, its size, and what it makes of names."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.boards import board, scores, subjects
from helpers.names import MARK, with_name
from helpers.nasty import IN_MARKUP, NASTY
from nstar.report import document
from nstar.report.page import page
from nstar.report.page._document import asset, embedded, script, shell
from nstar.report.page.audit import SCRIPTS
from nstar.report.prose.audit.page_top import MAX_TITLE
from nstar.report.prose.numbers import name

ROOT = Path(__file__).parents[4]
VOID = {"meta", "br", "hr", "img", "input", "link", "rect", "path", "circle", "use", "line"}


@cache
def audited() -> nstar.Audit:
    x = scores(3, models=7, items=400)
    return nstar.audit(board(x, labels=subjects(1, 400, 4), task="Task"))


@cache
def shown(made: Callable[[], Any]) -> str:
    """The page of a result, made once."""
    return page(made())


@cache
def averaged() -> nstar.Audit:
    return nstar.audit([board(scores(k, models=4, items=150), task=f"task {k}") for k in (1, 2)])


class Parsed(HTMLParser):
    """Tags in order, attributes, and the text of elements that have an id."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.words += data

    def all(self, key: str) -> list[str]:
        return [value for _, k, value in self.attributes if k == key]


def _between(text: str, start: str, end: str) -> str:
    return text.split(start, 1)[1].split(end, 1)[0]


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("made", [audited, averaged])
def test_policy_allows_just_the_script_and_the_style_of_the_page(made: Any) -> None:
    text = shown(made)
    rules = _between(text, 'http-equiv="Content-Security-Policy" content="', '"')
    code, looks = _between(text, "<script>", "</script>"), _between(text, "<style>", "</style>")
    assert rules.split("; ") == [
        "default-src 'none'",
        f"script-src {_hash(code)}",
        f"style-src {_hash(looks)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")
    assert text.count("<script") == 2
    assert text.count("<style") == 1


@pytest.mark.parametrize("made", [audited, averaged])
def test_a_page_is_well_formed_and_loads_nothing(made: Any) -> None:
    seen = Parsed(shown(made))
    assert not seen.open
    assert not {"img", "iframe", "object", "embed", "link", "form", "base"} & set(seen.tags)
    assert not [k for _, k, _ in seen.attributes if k.startswith("on") or k in {"style", "src"}]
    assert {h for h in seen.all("href") if not h.startswith("#")} == {
        "https://github.com/nstar-eval/nstar"
    }
    ids = seen.all("id")
    assert not [i for i, n in Counter(ids).items() if n > 1]
    named = {i for value in seen.all("aria-labelledby") for i in value.split()}
    assert named | {h[1:] for h in seen.all("href") if h.startswith("#")} <= set(ids)


def test_headings_and_landmarks_come_in_order() -> None:
    tags = Parsed(shown(audited)).tags
    levels = [int(t[1]) for t in tags if re.fullmatch(r"h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert [t for t in tags if t in {"header", "nav", "main", "footer"}] == [
        *("header", "main", "footer")
    ]
    assert tags.count("table") == tags.count("caption")


@pytest.mark.parametrize("made", [audited, averaged])
def test_all_words_of_the_report_stand_there_without_a_script(made: Any) -> None:
    result = made()
    doc, words = document(result, paragraph=True), Parsed(shown(made)).words
    assert doc.paragraph is not None
    said = [*doc.spoken(), doc.paragraph, *doc.notes, *doc.assumptions, doc.caution]
    said += [text for tile in doc.tiles for text in (tile.number, tile.label, tile.more)]
    ranking, *grids = doc.grids
    left_out = {
        "p",
        "q",
        "adj. p",
        "adj. q",
        "95% CI (score)",
    }  # in the panel of two models, drawn
    kept = [k for k, head in enumerate(ranking.header) if head not in left_out]
    cells = [
        r[k].replace("significant, underpowered", "underpowered")
        for r in ranking.rows
        for k in kept
    ]
    cells += [c for g in grids for c in (g.title, *g.header, *(c for r in g.rows for c in r))]
    assert [s for s in (*said, *cells) if s not in words] == []


def test_data_cannot_end_their_script() -> None:
    said = {key: value for key, value in NASTY.items() if len(value) < 100}
    text = embedded({"names": list(said.values()), "</script>": 1})
    assert not set("<>&\u2028\u2029") & set(text)
    assert text.isascii()
    assert json.loads(text)["names"] == list(said.values())


def test_title_is_text() -> None:
    text = shell(title="</title><script>alert(1)</script>\x1b", body="")
    assert "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;?</title>" in text
    assert "script-src" not in _between(text, "Security-Policy", ">")


def named(said: str) -> nstar.Audit:
    """Three models, a task and a group with this name."""
    labels = [said if k % 2 else "s" for k in range(60)]
    x = scores(5, models=3, items=60)
    return nstar.audit(board(x, labels=labels, models=[said, f"{said}2", "m"], task=said))


def check_names_are_text(said: str, text: str, plain: str) -> None:
    seen, wanted = Parsed(text), Parsed(plain)
    # but for lines of a title, of which a long name takes more
    assert Counter(t for t in seen.tags if t != "text") == Counter(
        t for t in wanted.tags if t != "text"
    )
    assert text.encode()
    assert name(said) in seen.words
    data = json.loads(_between(text, 'id="nstar-data">', "</script>"))
    assert set(data["names"]) == {said, f"{said}2", "m"}


@pytest.fixture(scope="module")
def marked() -> nstar.Audit:
    return named(MARK)


@pytest.fixture(scope="module")
def plain(marked: nstar.Audit) -> str:
    return page(with_name(marked, "n"))


@pytest.mark.usefixtures("own_rules_only")
@pytest.mark.parametrize("said", IN_MARKUP)
def test_names_are_text(said: str, marked: nstar.Audit, plain: str) -> None:
    check_names_are_text(said, page(with_name(marked, said)), plain)


def test_names_are_text_by_every_choice_of_rules(marked: nstar.Audit) -> None:
    """And a name put in later is one from the start."""
    said = NASTY["script"]
    made = named(said)
    assert with_name(marked, said) == made
    check_names_are_text(said, page(made), page(named("n")))


def test_one_scope_one_meaning_of_each_name() -> None:
    top = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
    files = [p.name for p in (ROOT / "src/nstar/report/page/assets").glob("*.js")]
    names = Counter(n for file in files for n in top.findall(asset(file)))
    assert [n for n, count in names.items() if count > 1] == []
    code = script(SCRIPTS)
    for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert banned not in code
    assert "</script" not in code
    assert "<!--" not in code
    assert not re.search(r"\b(fetch|XMLHttpRequest|setTimeout|setInterval)\b", code)


def test_every_color_and_class_of_a_component_has_a_rule() -> None:
    """In light and in dark, and no token that nobody defines."""
    sheet = asset("page.css")
    light, dark = (part.split("}", 1)[0] for part in sheet.split(":root {", 2)[1:])
    colors = {k for k in re.findall(r"--([a-z-]+):", light) if k not in {"sans", "mono"}}
    assert colors == set(re.findall(r"--([a-z-]+):", dark))
    assert set(re.findall(r"var\(--([a-z-]+)\)", sheet)) <= set(re.findall(r"--([a-z-]+):", sheet))


def test_cited_as_the_citation_file_says() -> None:
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    words = Parsed(shown(audited)).words
    for key in ("title", "version", "license"):
        value = re.search(rf'^{key}: "?(.*?)"?$', said, re.MULTILINE)
        assert value is not None
        assert value[1] in words
    assert "doi" not in words.lower()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("models", "most"), [(30, 300_000), (500, 1_500_000)])
def test_pages_are_small(models: int, most: int) -> None:
    names = [f"organization-{k % 7}/model-{k}-instruct" for k in range(models)]
    made = board(scores(1, models=models, items=1500), labels=subjects(1, 1500, 14), models=names)
    assert len(page(nstar.audit(made, draws=999)).encode()) < most


def test_the_model_asked_about_is_marked() -> None:
    text = page(audited(), where="m3")
    assert re.search(r'<tr class="[a-z ]*asked">', text)
    assert 'class="wrap">→ m3</th>' in text
    assert 'class="asked-row"' in text
    assert json.loads(_between(text, 'id="nstar-data">', "</script>"))["where"] == "m3"
    assert "m3 ranks 4 of 7" in text


def test_the_finding_is_the_title_and_the_benchmark_stands_above_it() -> None:
    text = shown(audited)
    first, others = map(escape, document(audited()).spoken())
    assert f"<title>{first} · nstar audit</title>" in text
    assert '<p class="kicker"><b>Task</b> · 7 models' in text
    assert f'<h1 id="headline">{first}</h1>' in text
    assert len(first) <= MAX_TITLE
    assert f'<p class="lead" id="lead">{others}</p>' in text


def test_a_long_benchmark_is_left_out_of_the_title() -> None:
    made = nstar.audit(board(scores(3, models=5, items=100), task="t" * 60))
    title = document(made).title
    assert len(title) <= MAX_TITLE
    assert "ttt" not in title


def test_the_command_stands_at_the_end() -> None:
    text = page(audited(), command="nstar audit '<b>.csv'")
    end = text.index("<footer>")
    assert "<code>nstar audit &#x27;&lt;b&gt;.csv&#x27;</code>" in text[end:]
    assert 'id="command"' not in shown(audited)


def test_a_long_ladder_has_an_outline_and_the_rows_that_are_asked_for() -> None:
    made = nstar.audit(board(scores(3, models=130, items=200)), draws=99)
    where = made.ranking.model[100]
    for text, first in ((page(made), 0), (page(made, where=where), 70)):
        assert text.count(' class="chart overview"') == 1
        assert text.count("data-row=") == 120, "60 models, wide and narrow"
        assert f'data-row="{first}"' in text
        assert text.count('<th scope="row" class="wrap">') == 130


def test_parts_come_in_the_order_in_which_they_are_read() -> None:
    wanted = (
        *("headline", "tiles", "caution", "ladder", "ranking", "pair", "assumptions", "rules"),
        *("pairs", "readings", "notes", "paragraph", "cite"),
    )
    ids = Parsed(shown(audited)).all("id")
    assert [i for i in ids if i in wanted] == list(wanted)


def test_a_script_is_carried_without_its_comments() -> None:
    code = script(SCRIPTS)
    assert "/**" not in code
    assert not re.search(r"^(?: |//|\n)", code, re.MULTILINE)
    assert len(code) < 0.9 * sum(len(asset(name)) for name in SCRIPTS)


def test_a_long_name_ends_its_lines_at_hyphens() -> None:
    long = "laboratory-of-long-names/Model-8x22B-Instruct-with-a-very-long-name-v0.1"
    made = nstar.audit(board(scores(3, models=3, items=100), models=[long, "a", "b"]), draws=99)
    text = page(made).partition('<h2 id="h-ranking">')[0]
    lines = re.findall(r"<text [^>]*>([^<]+)</text>", text)
    parts = [line for line in lines if line in long and len(line) > 3]
    assert "".join(parts).count(long) == 2, "wide and narrow"
    assert all(part.endswith(("-", "/", "v0.1")) for part in parts)

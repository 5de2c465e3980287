"""Markdown for pull requests: short enough for a comment, and it says what was left out."""

import re

from helpers import nasty
from nstar.report.documents import Document, TextTable
from nstar.report.formats.markdown import LIMIT, render_markdown


def grid(rows: int, *, width: int = 40, title: str = "T") -> TextTable:
    cells = tuple((f"m{k}", "x" * width) for k in range(rows))
    return TextTable(title=title, header=("model", "what"), rows=cells, lines=(2, rows - 1))


def test_a_short_report_is_whole() -> None:
    text = render_markdown(Document(headline="H", grids=(grid(30),), notes=("n",)))
    assert "left out" not in text
    assert text.count("\n| m") == 31


def test_a_long_report_is_cut_between_rows_and_says_so() -> None:
    doc = Document(
        headline="H", grids=(grid(5_000), grid(20, title="S")), notes=("n",), assumptions=("a",)
    )
    text = render_markdown(doc)
    nasty.check_markdown(text)
    assert 0.8 * LIMIT < len(text.encode()) <= LIMIT
    gone = re.search(r"… ([\d,]+) of 5,000 rows not shown; `--format json`", text)
    assert gone is not None
    first, second = text.split("\nS\n")
    shown = [line for line in first.splitlines() if line.startswith("| m") and "model" not in line]
    assert len(shown) == 5_000 - int(gone[1].replace(",", ""))
    assert all(line.endswith("x |") for line in shown)
    assert second.count("\n| m") == 21
    assert "- n" in second
    assert "Assumptions: a" in second


def test_notes_and_paragraphs_may_be_too_long_as_well() -> None:
    doc = Document(headline="H", paragraph="word " * 20_000, notes=("note " * 90,) * 900)
    text = render_markdown(doc)
    assert len(text.encode()) <= LIMIT
    assert "1 of 1 paragraphs not shown" in text
    assert re.search(r"of 900 notes not shown", text)


def test_bytes_count_not_signs() -> None:
    cells = (("模" * 50, "型" * 50),) * 400
    wide = TextTable(title="T", header=("a", "b"), rows=cells)
    assert len(render_markdown(Document(headline="H", grids=(wide,))).encode()) <= LIMIT


def test_addresses_and_mentions_are_only_text() -> None:
    text = render_markdown(Document(headline="@me a@b.org https://x.org www.x.org #1 &amp; $x$"))
    assert nasty.check_markdown(text).strip() == (
        "@me a@b.org https://x.org www.x.org #1 &amp; $x$"
    )

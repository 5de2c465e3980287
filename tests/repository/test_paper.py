"""The draft for the Journal of Open Source Software keeps to its rules, and to the docs."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "paper"
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgments",
    "References",
]
# What the paper says, and the page that a script keeps true.
STRATA = "concepts/strata-or-clusters.md"
FACTS = [
    ("43 printed figures are wrong", "published-figures.md", "117 figures: 55 right, 43 wrong"),
    ("2,610 of 2,767 cells meet the stated rate", "validation.md", "2,610 of 2,767 cells meet"),
    (
        "10,467,600 pairs, takes 3.8 seconds",
        "evidence/performance.md",
        "| 4,576 × 21,606 | 10,467,600 | 3.8 |",
    ),
    (
        "at 2.5 times the processor time",
        "evidence/performance.md",
        "| Gram by numpy | 4.34 | 8.24 | 2.64 | 2.54",
    ),
    ("4,576 models on 21,606 items", "evidence/performance.md", "4,576 models × 21,606 items"),
    (
        "the same gap of 6.1 points",
        "concepts/strata-or-clusters.md",
        "by 6.1 pp on 12,002 items. T is 14.4",
    ),
    (
        "a test statistic of 14.4 for other items",
        "concepts/strata-or-clusters.md",
        "T is 14.4 for independent items",
    ),
    (
        "and 2.29 for other subjects",
        "concepts/strata-or-clusters.md",
        "and 2.29 with subjects as clusters",
    ),
    ("12 of 27 adjacent pairs are not", "audit.md", "12 of 27 adjacent pairs are not resolved"),
    ("and 25 are not if subjects count", "audit.md", "and 25 with subjects as clusters"),
    ("28 models to MMLU-Pro", "audit.md", "MMLU-Pro (28 models,"),
    (
        "on 29 models and the 10,326 items",
        "figures/ladder.svg",
        "29 models on MMLU-Pro",
    ),
    ("a factor of two", "published-figures.md", "every size in it is half of what is needed"),
    ("recomputes 500", "../README.md", "recomputes 500 reference values"),
]


def text() -> str:
    return (PAPER / "paper.md").read_text(encoding="utf-8")


def test_sections_are_those_of_the_journal() -> None:
    assert re.findall(r"^# (.+)$", text(), re.M) == SECTIONS


def test_length_is_within_the_limits() -> None:
    body = text().split("---\n", 2)[2]
    plain = re.sub(r"\[@[^\]]*\]|!\[.*?\]\(.*?\)", "", body, flags=re.S)
    assert 750 <= len(re.findall(r"\w[\w'’,.-]*", plain)) <= 1750


def test_citations_and_bibliography_agree() -> None:
    bib = (PAPER / "paper.bib").read_text(encoding="utf-8")
    listed = re.findall(r"^@\w+\{(\w+),", bib, re.M)
    assert len(listed) == len(set(listed))
    assert set(re.findall(r"@(\w+)", text())) == set(listed)
    for entry in re.split(r"^@", bib, flags=re.M)[1:]:
        assert re.search(r"^\s+(doi|url)\s+= \{\S+\}", entry, re.M), entry


def test_figures_exist() -> None:
    for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text()):
        assert (PAPER / target).exists()


@pytest.mark.parametrize(("said", "page", "source"), FACTS)
def test_numbers_are_those_of_the_docs(said: str, page: str, source: str) -> None:
    assert said in re.sub(r"\s+", " ", text())
    shown = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert source in re.sub(r"\s+", " ", shown)


def test_promises_are_counted() -> None:
    claims = json.loads((ROOT / "docs" / "validation.json").read_text("utf-8"))["claims"]
    assert f"compares {len(claims)} promises" in text()

"""Three lengths of every report: the answer, one screen, everything."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import nstar
from helpers.boards import board, scores
from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import ParameterError, spelling
from nstar.report import document, render
from nstar.report.documents import Document, TextTable, at_level, cleaned

RESULTS: dict[str, Callable[[], Any]] = {
    "plan": lambda: nstar.plan(baseline=0.7, delta=0.01),
    "claim": lambda: nstar.claim(0.714, 0.706, items=1250),
    "compare": lambda: nstar.compare(*scores(1, models=2, items=400)),
    "audit": lambda: nstar.audit(board(scores(2, models=20, items=400))),
}


@pytest.mark.parametrize("verb", RESULTS)
def test_a_report_fits_a_screen(verb: str) -> None:
    result = RESULTS[verb]()
    lines = render(result).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("verb", RESULTS)
def test_the_whole_report_has_all_that_the_others_have(verb: str) -> None:
    result = RESULTS[verb]()
    brief, short, full = (document(result, level=x) for x in ("brief", "short", "full"))
    assert brief == Document(headline=full.headline, opening=full.opening)
    assert short.headline == full.headline
    assert set(short.notes) <= set(full.notes)
    assert len(short.notes) <= 5
    assert len(short.assumptions) == 1
    assert len(full.assumptions) > 1
    assert 'render(level="full")' in short.rest
    assert not full.rest


def test_a_long_table_leaves_room_for_fewer_notes() -> None:
    rows = tuple((str(k),) for k in range(19))
    doc = Document(
        headline="x",
        notes=tuple("abcdef"),
        grids=(TextTable(title="t", header=("h",), rows=rows),),
    )
    assert at_level(doc, "short").notes == ("a", "b")
    assert at_level(replace(doc, grids=()), "short").notes == ("a", "b", "c", "d")


def test_the_command_line_reads_of_options_and_python_of_parameters() -> None:
    doc = at_level(Document(headline="x", notes=tuple("abcdef")), "short")
    assert cleaned(doc).rest == '.render(level="full") adds: 2 notes.'
    with spelling(FlagSpeller()):
        doc = at_level(Document(headline="x", notes=tuple("abcdef")), "short")
    assert cleaned(doc).rest == "--full adds: 2 notes."


def test_other_lengths_are_refused() -> None:
    with pytest.raises(
        ParameterError, match="level must be one of brief, short, or full; got 'long'"
    ):
        render(RESULTS["claim"](), level="long")  # type: ignore[arg-type]

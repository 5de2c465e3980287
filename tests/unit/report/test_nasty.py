"""Every nasty string through every sink, in every place of every result: it is only shown."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import nasty
from helpers.lazily import Made
from helpers.names import MARK, with_name
from nstar import Design, PairedRho, RunTable, audit, compare, gate, plan, runs
from nstar._data.findings import find
from nstar._data.matrix import Alignment, ScoreMatrix
from nstar._verbs.claim import judged
from nstar._verbs.compare.runs import gap_of_variance
from nstar._verbs.data_summary import coverage
from nstar._verbs.runs import analyze
from nstar.report import document, render
from nstar.report.formats.terminal import print_terminal
from nstar.report.prose.numbers import name
from nstar.types import Source, TypicalRho

ITEMS = 48
HALF = np.arange(ITEMS) % 2


@pytest.fixture(scope="module", autouse=True)
def remembered() -> Iterator[None]:
    """Numbers are the same for every string: those that take longest are found once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analyze, "gap_of_variance", cache(gap_of_variance))
        yield


def matrix(said: str, **options: Any) -> ScoreMatrix:
    """Four models, of which two have the nasty name, as have task, metric, items and groups."""
    rng = np.random.default_rng(3)
    scores = (rng.random((4, ITEMS)) < np.array([[0.9], [0.85], [0.5], [0.45]])).astype(float)
    scores[1, -4:] = np.nan
    made = ScoreMatrix.from_arrays(
        scores,
        models=[said, "plain", f"{said}2", "other"],
        items=[f"{said}{k}" for k in range(ITEMS)],
        groups={said: [f"{said}{k}" for k in HALF], "subject": [said if k else "s" for k in HALF]},
        **{"task": said, "metric": said} | options,
    )
    about = Alignment(
        rows=9,
        unscored={said: 1},
        conflicting=1,
        conflicts=(f"{said}, {said}",),
        settled="first",
        content_differs=1,
        content_examples=(said,),
        unverified=(said,),
        group_differs={said: 1},
    )
    return replace(made, alignment=about)


def repeated(model: str, said: str) -> RunTable:
    scores = np.random.default_rng(4).integers(2, size=(8, 3)).astype(float)
    items, labels = (tuple(f"{said}{k}" for k in range(n)) for n in scores.shape)
    about: dict[str, Any] = {"model": model, "task": said, "metric": said}
    return RunTable(items=items, runs=labels, scores=scores, **about)


def source(said: str) -> Source:
    texts = {said: said}
    return Source(
        path=said,
        reader="tidy",
        harness=said,
        model=said,
        task=said,
        status=said,
        limited=said,
        dropped={said: 2},
        settings=texts,
        mismatches={said: 0.5},
        aggregates={said: 0.4},
        notes=(said,),
    )


def bare(said: str) -> dict[str, Callable[[], Any]]:
    """Whatever of a result may hold a name, without findings."""
    one, two = matrix(said), matrix(said, task=f"{said}2")
    typical = TypicalRho(name=said, mean=0.5, low=0.4, high=0.6)
    design = Design(noise=PairedRho(baseline=0.7, rho=0.5), source=said)
    return {
        "audit": lambda: audit(one, strata=said),
        "comparison": lambda: compare(one, a=said, b=f"{said}2", strata=said),
        "plan": lambda: plan(design, delta=0.02),
        "pairs": lambda: audit(one, pairs="all", cluster="subject", margin=0.1),
        "tasks": lambda: compare([one, two], a=said, b="plain"),
        "claim": lambda: judged(0.8, 0.7, 500, typical=typical),
        "leaderboard": lambda: audit([one, two]),
        "runs": lambda: runs(repeated(said, said), repeated("plain", said)),
        "gate": lambda: gate([one, two], a=said, b=f"{said}2", margin=0.1),
        "names": lambda: audit(one),
    }


MARKED: Made[str, Any] = Made(bare(MARK))
"""Numbers are the same for every string, so they are found once."""

KINDS = (
    *("audit", "comparison", "coverage", "plan", "pairs"),
    *("tasks", "claim", "leaderboard", "runs", "gate"),
)


def result_of(kind: str, said: str, *, anew: bool) -> Any:
    """One result with its findings, which shorten names and so are always made of the string."""
    one, two = matrix(said), matrix(said, task=f"{said}2")
    seen = coverage([one, two], [source(said)], notes=[said], bad=[said])
    if kind == "coverage":
        return seen
    made = bare(said)[kind]() if anew else with_name(MARKED[kind], said)
    found = (*seen.findings, find("reader", said))
    if kind == "gate":
        return replace(made, findings=found[-1:])
    return made if kind in ("plan", "pairs", "claim") else replace(made, findings=found)


@dataclass(frozen=True)
class Sink:
    """A way out, and what it may show."""

    shown: Callable[[Any], str]
    check: Callable[[str], object]


def drawn(result: Any) -> str:
    """The terminal with all its colors."""
    out = StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdout", out)
        patched.setenv("FORCE_COLOR", "1")
        patched.setenv("COLUMNS", "120")
        print_terminal(document(result, paragraph=True))
    return out.getvalue()


SINKS = {
    "text": Sink(lambda r: render(r, "text", paragraph=True), nasty.check_text),
    "terminal": Sink(drawn, nasty.check_terminal),
    "markdown": Sink(lambda r: render(r, "markdown", paragraph=True), nasty.check_markdown),
    "json": Sink(lambda r: render(r, "json"), nasty.check_json),
    "html": Sink(lambda r: render(r, "html", paragraph=True), nasty.check_html),
    "latex": Sink(lambda r: render(r, "latex", paragraph=True), nasty.check_latex),
    "csv": Sink(lambda r: render(r, "csv"), nasty.check_csv),
}


every_string = pytest.mark.parametrize("said", nasty.NASTY.values(), ids=nasty.NASTY.keys())


def check_sinks(said: str, part: slice, *, anew: bool = False) -> None:
    for kind in KINDS[part]:
        result = result_of(kind, said, anew=anew)
        for which, sink in SINKS.items():
            try:
                sink.check(sink.shown(result))
            except AssertionError as error:
                error.add_note(f"{kind} as {which}")
                raise


@pytest.mark.parametrize("kind", MARKED)
def test_a_name_put_in_later_is_one_from_the_start(kind: str) -> None:
    said = nasty.NASTY["script"]
    assert with_name(MARKED[kind], said) == bare(said)[kind]()


@every_string
def test_nothing_is_interpreted(said: str) -> None:
    """Every fifth result, others for the next string."""
    check_sinks(said, slice(list(nasty.NASTY.values()).index(said) % 5, None, 5))


@pytest.mark.slow
@every_string
def test_nothing_is_interpreted_anywhere(said: str) -> None:
    check_sinks(said, slice(None), anew=True)


@every_string
def test_names_are_shown_as_they_are(said: str) -> None:
    result = with_name(MARKED["names"], said)
    plain = " ".join(name(said).split())
    assert plain in " ".join(nasty.check_html(render(result, "html")).split())
    assert plain in " ".join(nasty.check_markdown(render(result, "markdown", where=said)).split())
    nasty.check_json(render(result, "json"), said, f"{said}2")
    nasty.check_latex(render(result, "latex", where=said))
    rows = nasty.check_csv(render(result, "csv"))
    whole = name(said, limit=len(said))
    assert whole.replace("'", "") in {row["model"].replace("'", "") for row in rows}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex and booktabs")
def test_pdflatex_sets_them_all(tmp_path: Path) -> None:
    body = "\n".join(render(audit(matrix(said)), "latex") for said in nasty.NASTY.values())
    preamble = r"\documentclass{article}\usepackage{booktabs,graphicx,longtable}"
    float_room = r"\extrafloats{500}"
    (tmp_path / "all.tex").write_text(
        f"{preamble}{float_room}\\begin{{document}}\n{body}\n\\end{{document}}\n", "ascii"
    )
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],  # noqa: S607
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")

"""Simulated rates in words, tables and pictures: the right number in the right place."""

import json
import re
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from helpers import nasty
from helpers.schemas import validate
from nstar._engine.work import Execution
from nstar._verbs.simulate import Cell, Rate, Simulation, Study, embedding_study
from nstar._verbs.simulate.result import ProcedureKind
from nstar._verbs.simulate.study import PUBLISHED, REPS, RateComparison
from nstar.errors import ParameterError
from nstar.report import document, render
from nstar.report.charts import figure
from nstar.report.charts._canvas import WIDTH
from nstar.report.charts._labels import LabelCurve, Rectangle, place
from nstar.report.charts._text import width
from nstar.report.prose.simulation.rates import format_parameter, rate_text

SVG = "{http://www.w3.org/2000/svg}"


def made(
    items: tuple[int, ...] = (50, 200, 1000),
    tests: tuple[str, ...] = ("t", "wilcoxon"),
    intervals: tuple[str, ...] = (),
    reps: int = 1000,
    events: Any = None,
    **values: tuple[Any, ...],
) -> Simulation:
    """A simulation that nobody ran: type I error at 5%, power that grows, coverage at 95%."""
    grid: list[dict[str, Any]] = [{}]
    for name, some in values.items():
        grid = [{**g, name: v} for g in grid for v in some]
    rates = []
    for n in items:
        for given in grid:
            cell = Cell(scenario="fake", items=n, parameters={"sd": 0.1, **given})
            truth = float(given.get("delta", 0.0))
            for name in (*tests, *intervals):
                kind: ProcedureKind = "test" if name in tests else "interval"
                share = min(1.0, 0.05 + truth * n / 20) if kind == "test" else 0.95
                found = round(reps * share) if events is None else events(cell, name)
                rates.append(
                    Rate(
                        scenario=cell.scenario,
                        n_items=cell.items,
                        parameters=cell.parameters,
                        truth=truth,
                        procedure=name,
                        kind=kind,
                        n_reps=reps,
                        n_events=found,
                    )
                )
    varied = [*(["items"] if len(items) > 1 else []), *(n for n in values if len(values[n]) > 1)]
    return Simulation(
        scenario="fake",
        alpha=0.05,
        seed=7,
        common=False,
        precision=None,
        varied=tuple(varied),
        rates=tuple(rates),
    )


def study(shift: int = 0) -> Study:
    """Rates as printed, moved by so many replications."""
    parts = []
    for scenario in ("normal", "beta"):
        rates = []
        for p in PUBLISHED:
            if p.scenario == scenario:
                events = min(REPS, round(p.rate * REPS) + shift)
                rates.append(
                    Rate(
                        scenario=scenario,
                        n_items=p.n_items,
                        parameters={"delta": p.delta, "rho": p.rho},
                        truth=p.delta,
                        procedure=p.test,
                        kind="test",
                        n_reps=REPS,
                        n_events=events,
                    )
                )
        parts.append(tuple(rates))
    beside = [
        RateComparison(printed=p, ours=r)
        for rates, name in zip(parts, ("normal", "beta"), strict=True)
        for p, r in zip([p for p in PUBLISHED if p.scenario == name], rates, strict=True)
    ]
    return Study(name="embedding-study", simulations=(), beside=tuple(beside))


GRID = made(delta=(0.0, 0.01, 0.02), rho=(0.5, 0.8))


# --- words --------------------------------------------------------------------------------


def test_each_rate_means_one_thing() -> None:
    found = made(intervals=("tango",), delta=(0.0, 0.02))
    assert Counter(r.meaning for r in found.rates) == {
        "type I error": 6,
        "power": 6,
        "coverage": 6,
    }
    assert [w is None for w in found.levels] == [r.meaning == "power" for r in found.rates]


def test_headline_says_size_and_spans() -> None:
    head = document(GRID).headline
    assert head == (
        "Type I error is 5.0 ± 0.7% (nominal 5%); power is 7.5–100.0%. No error rate "
        "differs significantly from its nominal value. Based on 1,000 replications of "
        "scenario fake in each of 18 "
        "cells (50–1,000 items)."
    )
    one = document(made(items=(200,), tests=("t",), delta=(0.0,))).headline
    assert one == (
        "Type I error is 5.0 ± 0.7% (nominal 5%). The error rate does not differ "
        "significantly from its nominal value. Based on 1,000 replications of "
        "scenario fake (200 items)."
    )


def test_what_a_rate_means_depends_on_what_is_counted() -> None:
    at = made(items=(50,), tests=("t",), delta=(0.0, 0.02, 0.05)).rates

    def told(kind: ProcedureKind, margin: float | None = None) -> list[str]:
        return [replace(r, kind=kind, margin=margin).meaning for r in at]

    assert told("equivalence", 0.02) == ["power", "type I error", "type I error"]
    assert told("family") == ["family-wise error"] * 3
    for kind in ("interval", "resolution", "ranks"):
        assert told(kind) == ["coverage"] * 3


def test_a_family_that_errs_is_said_and_drawn() -> None:
    found = made(
        items=(50, 100, 200), tests=("none", "holm"), events=lambda _, n: 30 + len(n) ** 3
    )
    odd = replace(found, rates=tuple(replace(r, kind="family") for r in found.rates))
    doc = document(odd)
    assert (
        "Caution: family-wise error is above the nominal value in 6 of 6 rates (most: "
        "none, 50 items)." in doc.headline
    )
    assert doc.grids[0].title.startswith("Boards with a false positive")
    assert any(n.startswith("A board counts once, however many") for n in doc.notes)
    assert "family-wise error, nominal 5%" in figure(odd).svg


def test_a_broken_level_is_said_first_and_marked() -> None:
    found = made(
        items=(50, 100),
        intervals=("wald",),
        delta=(0.0, 0.02),
        events=lambda cell, name: {"t": 90, "wilcoxon": 20, "wald": 900}[name],
    )
    doc = document(found)
    assert (
        "type I error is above the nominal value in 2 of 4 rates (most: t, 50 items, delta 0)"
        in doc.headline
    )
    assert "coverage is below the nominal value in 4 of 4 rates (most: wald" in doc.headline
    cells = [cell for grid in doc.grids for row in grid.rows for cell in row]
    assert cells.count("! 9.0 ± 0.9") == 2
    assert cells.count("c 2.0 ± 0.5") == 2
    assert cells.count("9.0 ± 0.9") == 2  # power: nothing is promised
    assert cells.count("! 90.0 ± 1.0") == 4
    assert any('"c" marks conservative rates' in n for n in doc.notes)


def test_chance_alone_marks_nothing() -> None:
    found = made(items=(50,), tests=("t",), delta=(0.0,), rho=tuple(k / 100 for k in range(30)))
    assert set(found.levels) == {"holds"}
    limit = found.unseen
    assert limit is not None
    assert 0.02 < limit < 0.025
    rhos = tuple(k / 100 for k in range(30))
    for off, word in ((0.8, "holds"), (-0.8, "holds"), (1.2, "errs more"), (-1.2, "errs less")):
        events = round(1000 * (0.05 + off * limit))
        near = made(items=(50,), tests=("t",), rho=rhos, events=lambda *_, k=events: k)
        assert set(near.levels) == {word}
    assert made(delta=(0.02,)).unseen is None


def test_no_errors_at_all_is_conservative() -> None:
    found = made(items=(50,), tests=("exact",), events=lambda *_: 0)
    assert found.levels == ("errs less",)
    assert "conservative" in document(found).headline


def test_notes_tell_what_is_odd() -> None:
    plain = "\n".join(document(GRID).notes)
    assert "share random numbers" not in plain
    assert "differs from the requested delta" not in plain
    moved = tuple(replace(r, truth=r.truth * 0.99) for r in GRID.rates)
    odd = replace(GRID, common=True, precision=0.001, rates=moved)
    told = "\n".join(document(odd).notes)
    assert "share random numbers" in told
    assert "differs from the requested delta by up to 0.0002" in told
    assert "reached the maximum number of replications before an SE of 0.001" in told


def test_fixed_parameters_are_told_and_absent_ones_are_not() -> None:
    found = made(delta=(0.0, 0.1), psi=(None,), pilot=((0.1, 0.3),))
    assert document(found).assumptions[0] == (
        "The scenario is fake. In all cells, sd = 0.1, pilot = 2 values of mean 0.2."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (-0.05, "−0.05"), (0, "0"), (20000, "20,000"), (True, "True"), ("x", "x")],
)
def test_values_are_short(value: Any, text: str) -> None:
    assert format_parameter(value) == text


def test_a_rate_never_claims_to_be_exact() -> None:
    sure = made(items=(50,), tests=("t",), reps=10**6, events=lambda *_: 10**6).rates[0]
    assert rate_text(sure, 2) == "100.00 ± <0.01"
    assert rate_text(sure, 1) == "100.0 ± <0.1"


def test_paragraph() -> None:
    text = render(GRID, paragraph=True)
    plain = re.sub(r"\s+", " ", text)
    assert "1,000 replications for each of 18 combinations of items (50, 200, 1,000)" in plain
    assert "rho (0.5, 0.8); seed 7)" in plain


# --- tables -------------------------------------------------------------------------------


def rates_in(doc: Any) -> Counter[float]:
    cells = [c for g in doc.grids for row in g.rows for c in row if "±" in c]
    return Counter(round(float(c.split(" ±")[0].strip("!c ")), 1) for c in cells)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"delta": (0.0, 0.01, 0.02)},
        {"delta": (0.0, 0.01, 0.02), "rho": (0.5, 0.8, 0.95)},
        {"delta": (0.0, 0.01), "rho": (0.5, 0.8), "p": (0.1, 0.2, 0.3)},
        {"delta": tuple(k / 100 for k in range(11)), "rho": tuple(k / 10 for k in range(9))},
        {"name": ("a", "b"), "pilot": ((1.0, 0.0), (0.0, 0.0, 1.0))},
    ],
    ids=len,
)
@pytest.mark.parametrize("intervals", [(), ("tango", "wald")], ids=len)
def test_every_rate_stands_in_a_table_once(
    values: dict[str, tuple[Any, ...]], intervals: tuple[str, ...]
) -> None:
    count = iter(range(10**6))
    some: dict[str, Any] = dict(values)
    found = made(intervals=intervals, events=lambda *_: next(count) % 1001, **some)
    doc = document(found)
    assert len(doc.grids) <= 12
    wanted = Counter(r.n_events / 10 for r in found.rates)
    left_out = [n for n in doc.notes if "more tables" in n]
    assert rates_in(doc) == wanted if not left_out else rates_in(doc) < wanted
    for grid in doc.grids:
        assert {len(row) for row in grid.rows} == {len(grid.header)}


def test_rates_stand_under_their_names() -> None:
    grid = document(GRID).grids[0]
    assert grid.title.endswith("across: rho")
    assert grid.header == ("items", "delta", "0.5 t", "0.5 wilcoxon", "0.8 t", "0.8 wilcoxon")
    found = made(
        delta=(0.0, 0.01, 0.02),
        rho=(0.5, 0.8),
        events=lambda cell, name: (
            cell.items // 10
            + round(1000 * cell.parameters["delta"])
            + round(100 * cell.parameters["rho"])
            + (name == "t")
        ),
    )
    for row in document(found).grids[0].rows:
        n, delta = int(row[0].replace(",", "")), float(row[1])
        for head, cell in zip(grid.header[2:], row[2:], strict=True):
            rho, name = head.split()
            events = n // 10 + round(1000 * delta) + round(100 * float(rho)) + (name == "t")
            assert cell.strip("!c ").startswith(f"{events / 10:.1f} ±")


def test_curve_marks_where_plans_would_stop() -> None:
    chart = document(made(items=(50, 100, 200, 400), tests=("t",), delta=(0.0, 0.1))).chart
    assert chart is not None
    assert chart.title == "Power by number of items: t, delta 0.1"
    assert chart.mark[0] == pytest.approx(155.6, abs=0.1)
    assert chart.mark[1] == "about 160 items"
    assert document(made(items=(50, 100), delta=(0.1,))).chart is None
    assert document(made(delta=(0.0,))).chart is None


# --- machines -----------------------------------------------------------------------------


def schema(kind: str) -> Any:
    return json.loads((files("nstar.report") / "schemas" / f"{kind}.schema.json").read_text())


def test_json_obeys_its_schema_and_has_every_rate() -> None:
    found = made(intervals=("tango",), delta=(0.0, 0.02), rho=(0.5, 0.8))
    told = json.loads(render(found, "json"))
    validate(told, schema("simulation"))
    assert len(told["rates"]) == len(found)
    for row, rate in zip(told["rates"], found.rates, strict=True):
        assert (row["n_events"], row["n_reps"], row["se"]) == (rate.n_events, rate.n_reps, rate.se)
        assert row["parameters"] == rate.parameters


@pytest.mark.parametrize(
    "found",
    [
        made(delta=(0.0, 0.1), psi=(None,), pilot=((0.1, 0.3), (1.0,)), word=("a", True)),
        made(items=(50,), table=(((0.5, None), (1, 0)),), intervals=("tango",)),
        replace(GRID, precision=0.001, common=True),
    ],
    ids=["values of any kind", "a table", "until precise"],
)
def test_reads_back_equal(found: Simulation) -> None:
    check_reads_back(found)


def test_a_study_reads_back_equal() -> None:
    check_reads_back(embedding_study(reps=3, execution=Execution(workers=1)))


def check_reads_back(found: Simulation | Study) -> None:
    again = type(found).from_json(found.to_json())
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert list(again.rows()) == list(found.rows())
    assert document(again) == document(found)
    assert len(again.to_frame()) == len(list(found.rows()))


def test_csv_has_every_rate() -> None:
    rows = nasty.check_csv(render(GRID, "csv"))
    assert [int(r["n_events"]) for r in rows] == [r.n_events for r in GRID.rates]
    assert {"scenario", "n_items", "delta", "rho", "truth", "rate", "se"} <= rows[0].keys()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", nasty.NASTY)
def test_names_stay_names(key: str) -> None:
    said_ = nasty.NASTY[key]
    odd = made(tests=(said_, "t"), word=(said_, "b"), delta=(0.0, 0.01))
    nasty.check_html(render(odd, "html"))
    nasty.check_markdown(render(odd, "markdown"))
    nasty.check_text(render(odd, "text"))
    nasty.check_latex(render(odd, "latex"))
    root = ET.fromstring(figure(odd).svg.encode())  # noqa: S314 our own
    tags = {e.tag.removeprefix(SVG) for e in root.iter()}
    assert tags <= {"svg", "title", "desc", "metadata", "style", "g", "rect", "path", "text"}


# --- beside what was printed --------------------------------------------------------------


def test_published_rates() -> None:
    assert len(PUBLISHED) == 113
    assert len({p[:5] for p in PUBLISHED}) == 113
    assert Counter(p.section for p in PUBLISHED)["5.1"] == 60
    assert all(round(1000 * p.rate) == pytest.approx(1000 * p.rate) for p in PUBLISHED)
    null = [p.rate for p in PUBLISHED if p.delta == 0]
    assert (min(null), max(null)) == (0.037, 0.061)  # as the article's text says
    rising = [p.rate for p in PUBLISHED if (p.section, p.rho) == ("4.2", 0.5)]
    assert rising == sorted(rising)


def test_differences_are_in_standard_errors_of_both() -> None:
    cell: dict[str, Any] = {"scenario": "normal", "n_items": 50, "parameters": {}}
    printed = PUBLISHED[0]._replace(rate=0.5)
    ours = Rate(**cell, truth=0.1, procedure="t", kind="test", n_reps=1000, n_events=545)
    se = (0.5225 * 0.4775 * 2 / 1000) ** 0.5
    assert RateComparison(printed=printed, ours=ours).errors == pytest.approx(0.045 / se, rel=1e-3)
    both = RateComparison(
        printed=printed._replace(rate=1.0),
        ours=Rate(**cell, truth=0.1, procedure="t", kind="test", n_reps=1000, n_events=1000),
    )
    assert both.errors == 0.0


def test_study_counts_what_is_within() -> None:
    same = study()
    assert same.within == (113, 113, 113)
    moved = study(shift=40)
    assert moved.within[2] < 60
    assert abs(moved.worst.errors) > 4
    assert list(moved.within) == sorted(moved.within)


# --- pictures -----------------------------------------------------------------------------

DRAWN = {
    "grid": GRID,
    "over gaps": made(items=(100,), delta=tuple(k / 100 for k in range(11))),
    "intervals": made(intervals=("tango", "wald"), delta=(0.0, 0.02)),
    "many procedures": made(tests=("a", "b", "c", "d", "e", "f"), delta=(0.0, 0.01)),
    "alike": made(delta=(0.01, 0.02), p=(0.1, 0.2, 0.3), events=lambda *_: 500),
    "one procedure": made(tests=("t",), rho=(0.5, 0.6, 0.7, 0.8), delta=(0.005, 0.01)),
    "long names": made(tests=("x" * 200, "y" * 200), word=("z" * 300, "b"), delta=(0.0, 0.01)),
    "another axis": made(items=(100,), rho=(0.1, 0.5, 0.9), delta=(0.0,)),
}
SIZES = {"h": 15.0, "s": 12.0, "t": 11.0}


def boxes(svg: str) -> list[tuple[float, float, float, float, str]]:
    out = []
    for text in ET.fromstring(svg.encode()).iter(f"{SVG}text"):  # noqa: S314 our own
        size = SIZES.get(text.get("class", ""), 13.0)
        words = text.text or ""
        wide = width(words, size)
        shift = {"end": 1.0, "middle": 0.5}.get(text.get("text-anchor", ""), 0.0)
        left = float(text.get("x", 0)) - shift * wide
        base = float(text.get("y", 0))
        out.append((left, base - 0.75 * size, left + wide, base + 0.2 * size, words))
    return out


@pytest.mark.parametrize("case", DRAWN)
def test_figures_have_words_numbers_and_room(case: str) -> None:
    found = DRAWN[case]
    drawn = figure(found, "rates")
    assert drawn == figure(found)
    assert 40 < len(drawn.alt) < 700
    assert drawn.alt.endswith(".")
    assert len(drawn.table.rows) == len(found)
    assert {len(row) for row in drawn.table.rows} == {len(drawn.table.header)}
    assert not re.search(r"nan|inf\b|url\(|href", drawn.svg)
    places = boxes(drawn.svg)
    high = float(ET.fromstring(drawn.svg.encode()).get("height", 0))  # noqa: S314
    for left, top, right, bottom, words in places:
        assert left >= 0, words
        assert right <= WIDTH, words
        assert top >= 0, words
        assert bottom <= high, words
    for a, b in combinations(places, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


def test_figures_name_every_curve() -> None:
    texts = {words for *_, words in boxes(figure(GRID).svg)}
    assert {"rho 0.5", "rho 0.8", "t", "wilcoxon"} <= texts
    assert {"delta 0: type I error, no true gap, nominal 5%", "delta 0.01: power"} <= texts
    alone = {words for *_, words in boxes(figure(DRAWN["many procedures"]).svg)}
    assert {"a", "b", "c", "d", "e", "f"} <= alone


def test_panels_where_nothing_happens_are_told() -> None:
    svg = figure(made(items=(1000, 2000, 3000), delta=(0.0, 0.5, 0.9), rho=(0.1, 0.2))).svg
    assert "Not drawn, all above 99%: delta 0.5; delta 0.9." in svg
    assert "delta 0.5: power" not in svg


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match="one cell"):
        figure(made(items=(50,)))
    crowd = made(delta=(0.01, 0.02, 0.03), p=(0.1, 0.2, 0.3), q=(0.1, 0.2, 0.3))
    with pytest.raises(ParameterError, match="9 panels are too many"):
        figure(crowd)


def test_words_stand_beside_their_own_curve() -> None:
    field = Rectangle(0, 0, 400, 150)
    low, high = LabelCurve((0, 400), (140, 100)), LabelCurve((0, 400), (100, 10))
    spot = place("low", low, [high], rivals=[high], obstacles=(), field=field)
    assert spot is not None
    assert abs(spot.y - low.at(spot.x)) < 12
    assert low.at(spot.x) - high.at(spot.x) > 16
    assert place("low", low, [], rivals=[], obstacles=(field,), field=field) is None
    assert field.meets(Rectangle(399, 149, 500, 200))

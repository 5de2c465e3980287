"""The program ``validation``: exact tables, outcomes, the same for any number of workers."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as sp

import nstar
from helpers import schemas
from nstar import compare, gate
from nstar._engine.work import Execution, Where
from nstar._verbs.plan import PairedPsi, plan_margin
from nstar._verbs.simulate import simulate
from nstar._verbs.simulate.procedures.verdicts import margin_interval
from nstar.errors import ParameterError
from validation import (
    CLAIMS,
    CellRate,
    CellVerdict,
    Promise,
    Validation,
    ValidationRequest,
    validate,
)
from validation.__main__ import main
from validation.gates import draw_scores, passes, regressions
from validation.promise import FAST, GROUPS, Bound, CheckJob, PromiseRegistry
from validation.report import document, render
from validation.result import judged
from validation.tables import coverage_of, drawn_tables, rejection_of, tables

DOCS = Path(__file__).parents[4] / "docs"
QUICK = ["mcnemar-level", "equivalence-level", "peeking"]


def checked(
    *readings: CellRate, bound: Bound = "at most", slack: float = 0.0
) -> tuple[CellVerdict, ...]:
    claim = Promise(name="n", group="g", says="s", bound=bound, slack=slack, advice={"": "a"})
    return judged([(claim, reading) for reading in readings])


def readings(of: Validation) -> dict[str, list[CellRate]]:
    """What was seen, by claim, without how it was judged."""
    found: dict[str, list[CellRate]] = {}
    for c in of.cells:
        plain = CellRate(**{f.name: getattr(c, f.name) for f in fields(CellRate)})
        found.setdefault(c.claim, []).append(plain)
    return found


def cell(rate: float, reps: int | None = None, promised: float = 0.05) -> CellRate:
    return CellRate(procedure="p", rate=rate, promised=promised, reps=reps)


@pytest.mark.parametrize(
    ("items", "psi", "delta"), [(7, 0.3, 0.1), (40, 0.95, 0.0), (5, 0.2, 0.2)]
)
def test_tables_are_the_multinomial_law(items: int, psi: float, delta: float) -> None:
    every = tables(items, psi, delta)
    c = every.counts
    cells = [(psi + delta) / 2, (psi - delta) / 2, 1 - psi]
    n = np.stack([c.n10, c.n01, items - c.n10 - c.n01], axis=1)
    assert every.weight == pytest.approx(sp.multinomial(items, cells).pmf(n), abs=1e-12)
    assert every.weight.sum() == pytest.approx(1)


def testdrawn_tables_are_the_hypergeometric_law() -> None:
    every = drawn_tables(20, 15, 9, 80)
    c = every.counts
    n = np.stack([c.n10, c.n01, 20 - c.n10 - c.n01], axis=1)
    law = sp.multivariate_hypergeom([15, 9, 56], 20)
    assert every.weight == pytest.approx(law.pmf(n), abs=1e-12)
    assert drawn_tables(80, 15, 9, 80).counts.n10.tolist() == [15]


@pytest.mark.parametrize("items", [30, 12_000])
def test_weighing_agrees_with_the_kernel(items: int) -> None:
    every = tables(items, 0.3, 0.02)
    power = float(nstar.stats.exact_power(0.02, psi=0.3, n=items))
    assert rejection_of("midp", every, 0.05) == pytest.approx(power, abs=1e-10)


def test_weighing_agrees_with_simulation() -> None:
    values = {"p_b": [0.5], "psi": [0.3], "delta": [0.1]}
    found = simulate("bernoulli", items=[60], intervals=["tango"], values=values, reps=100_000)
    exact = coverage_of("tango", tables(60, 0.3, 0.1), 0.95)
    assert found.rates[0].rate == pytest.approx(exact, abs=5 * found.rates[0].se)


@pytest.mark.parametrize(
    ("reading", "bound", "outcome"),
    [
        (cell(0.054), "at most", "holds"),
        (cell(0.056), "at most", "exceeds"),
        (cell(0.044), "at most", "errs on the safe side"),
        (cell(0.944, promised=0.95), "at least", "exceeds"),
        (cell(0.956, promised=0.95), "at least", "errs on the safe side"),
        (cell(0.06, 1000), "at most", "holds"),
        (cell(0.07, 1000), "at most", "exceeds"),
        (cell(0.0, 1000), "at most", "errs on the safe side"),
        (cell(0.0, 20), "at most", "holds"),
    ],
)
def test_outcomes(reading: CellRate, bound: Bound, outcome: str) -> None:
    assert checked(reading, bound=bound)[0].outcome == outcome


def test_more_cells_allow_more_chance() -> None:
    odd = cell(0.068, 1000)
    assert checked(odd)[0].outcome == "exceeds"
    many = checked(odd, *[cell(0.05, 1000)] * 500)
    assert many[0].outcome == "holds"
    assert many[0].tolerance > checked(odd)[0].tolerance


def test_slack_of_an_approximation() -> None:
    said = checked(cell(0.79, promised=0.8), bound="at least", slack=0.006)
    assert said[0].outcome == "holds"


def test_every_kind_of_claim_is_known_and_advised() -> None:
    assert {c.group for c in CLAIMS.values()} <= set(GROUPS)
    with pytest.raises(ParameterError, match="there are"):
        CLAIMS["nothing"]


def test_a_claim_is_one_function() -> None:
    mine = PromiseRegistry()

    @mine.add("Gates", "A gate is false in at most 5%.", "at most")
    def gate_alarms(ask: ValidationRequest) -> Iterator[CheckJob]:
        yield lambda: [cell(0.01, ask.effort.reps)]

    assert mine["gate-alarms"].group == "Gates"
    assert next(mine["gate-alarms"].jobs(ValidationRequest(effort=FAST)))()[0].reps == 2000


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["Beta, rho 0.95", "rare wins", "skewed"])
def test_gates_of_graded_scores_are_those_of_the_gate(name: str) -> None:
    """A word counts once it is found in many evaluations at once; the gate is asked one by one."""
    rng = np.random.default_rng(6)
    for items, gap in ((30, 0.0), (120, -0.02)):
        sample = draw_scores(name, items, gap, rng, 12)
        margin = 0.001 if gap == 0 else 0.02
        words = [gate(*(0.5 + s * d / 2 for s in (1, -1)), margin=margin) for d in sample.d]
        sure = [abs(w.tasks[0].evidence.pvalue_worse - 0.05) > 0.01 for w in words]
        found = regressions(sample, margin, rng)
        alarms = [w.verdict == "regression" for w in words]
        assert np.array_equal(found[sure], np.array(alarms)[sure])
        assert passes(sample, margin, rng).tolist() == [w.verdict == "pass" for w in words]
    assert any(sure)


@pytest.mark.parametrize("name", ["Beta, rho 0.95", "rare wins"])
def test_margins_of_graded_scores_are_those_of_compare(name: str) -> None:
    rng = np.random.default_rng(6)
    sample = draw_scores(name, 120, -0.02, rng, 8)
    low, high = margin_interval(sample, 0.9, rng)
    for k, d in enumerate(sample.d):
        e = compare(*(0.5 + s * d / 2 for s in (1, -1)), margin=0.02).tasks[0].equivalence
        assert e is not None
        assert (low[k], high[k]) == pytest.approx(tuple(e.ci), rel=1e-9)


@pytest.fixture(scope="module")
def found() -> Validation:
    return validate(claims=QUICK, execution=Execution(workers=1))


def test_same_for_any_number_of_workers(found: Validation) -> None:
    again = validate(claims=QUICK, execution=Execution(workers=3))
    assert again.cells == found.cells
    other = validate(claims=["peeking"], seed=1, execution=Execution(workers=1))
    assert [c.rate for c in other.cells] != [c.rate for c in found.cells if c.claim == "peeking"]


def real_board(*, graded: bool) -> nstar.ScoreMatrix:
    rng = np.random.default_rng(3)
    hard = rng.normal(size=2000)
    right = (rng.normal(size=(3, 2000)) + np.array([[0.6], [0.3], [0.0]]) > hard).astype(float)
    scores = right * 0.5 + 0.1 * rng.random((3, 2000)) if graded else right
    return nstar.ScoreMatrix.from_arrays(scores, models=["a", "b", "c"], task="t")


def test_same_by_any_executor(crew: Where, found: Validation) -> None:
    board = real_board(graded=True)
    asked = ["real-pairs", *QUICK]
    real = validate(claims=["real-pairs"], data=board, execution=Execution(workers=1))
    again = validate(claims=asked, data=board, execution=Execution(executor=crew))
    assert readings(again) == readings(found) | readings(real)


def test_result_orders_and_counts(found: Validation) -> None:
    assert sum(found.outcomes.values()) == len(found) == len(found.own)
    beyond = [c.beyond for c in found.worst]
    assert beyond == sorted(beyond, reverse=True)
    assert all(c.outcome == "exceeds" and c.excess > 0 for c in found.limits)
    assert {c.procedure for c in found.warnings} == {"naive-peeking"}
    assert found.cells[0].group == "Type I error"


def test_reports(found: Validation) -> None:
    text = render(found)
    assert text.index("largest deviations") < text.index("Claims and the")
    assert "Known limit: wald" in text
    assert "naive-peeking" in text
    assert "mcnemar" in render(found, "markdown")


def test_json_obeys_its_schema_and_comes_back(found: Validation) -> None:
    text = render(found, "json")
    schemas.validate(json.loads(text), Validation.schema())
    back = Validation.from_json(text)
    assert back == found
    assert back.limits[0] == found.limits[0]
    assert document(back) == document(found)


def test_real_scores() -> None:
    real = validate(
        claims=["real-pairs"], data=real_board(graded=False), execution=Execution(workers=1)
    )
    assert {c.procedure for c in real.cells} == {
        "plan, drawn with replacement",
        "plan, drawn without replacement",
    }
    assert not real.limits
    assert real.data == "t"
    drawn = validate(
        claims=["real-pairs"], data=real_board(graded=True), execution=Execution(workers=1)
    )
    assert all(c.reps == 2000 and c.rate > 0.77 for c in drawn.cells)
    assert len(drawn.cells) > 0


def test_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert "mcnemar-level: A test of 0/1 scores" in capsys.readouterr().out
    assert main(["--claim", "equivalence-level", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "nstar.validation/1"
    assert main(["--claim", "no-such"]) == 3
    assert "no claim 'no-such'" in capsys.readouterr().err


def test_the_program_with_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    rows = ["model,item,score"]
    for model, p in (("a", 0.8), ("b", 0.65), ("c", 0.5)):
        rows += [f"{model},{i},{int(rng.random() < p)}" for i in range(900)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    assert main(["--claim", "real-pairs", "--data", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["claims"][0]["name"] == "real-pairs"
    assert report["cells"]


def test_kept_run_is_a_result() -> None:
    kept = Validation.from_json((DOCS / "validation.json").read_text("utf-8"))
    assert kept.effort == "full"
    assert len(kept) > 1000
    assert {c.claim for c in kept.cells} == {c.name for c in kept.claims} <= set(CLAIMS)


def test_kept_run_is_of_plans_as_they_are_made_today() -> None:
    kept = Validation.from_json((DOCS / "validation.json").read_text("utf-8"))
    seen = 0
    for cell in kept.cells:
        if (cell.claim, cell.procedure) == ("margin-plan", "plan"):
            n, psi, margin = (float(cell.setting[k]) for k in ("items", "discordant", "margin"))
            if n < 1200:  # larger ones take seconds
                assert plan_margin(PairedPsi(psi=psi), margin=margin).n_star == n
                seen += 1
    assert seen >= 8


def test_page_of_the_kept_run_has_what_fails_first() -> None:
    page = (DOCS / "evidence" / "validation.md").read_text("utf-8")
    kept = Validation.from_json((DOCS / "validation.json").read_text("utf-8"))
    limits, rest = page.split("The 10 largest deviations", maxsplit=1)
    pages = {"option": limits, "default": (DOCS / "validation.md").read_text("utf-8")}
    for role, text in pages.items():
        failing = {(c.claim, c.procedure) for c in kept.limits if c.role == role}
        assert all(f"- {procedure} ({claim}) is " in text for claim, procedure in failing)
    assert "Known limit:" not in rest

"""The calculator: the numbers of the Python functions, and a page that asks for nothing."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import special

import nstar
from helpers.axe import violations
from nstar import stats
from nstar.errors import InfeasibleError, ParameterError
from nstar.report.page._document import asset

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
ADDRESS = (ROOT / "docs" / "calculator" / "index.html").as_uri()
REL = 1e-9
"""Largest relative difference between the calculator and Python."""

_NAMES = (
    *("planItems", "planMde", "judgeClaim", "compareColumns", "psiFromRho", "rhoBounds"),
    *("defaultP", "mcnemar", "tangoLimits"),
)


def _source() -> str:
    """Return the arithmetic of the page, which is in a scope of its own there."""
    own = (ROOT / "scripts" / "calculator" / "core.js").read_text(encoding="utf-8")
    code = f"{asset('numbers.js')}\n{asset('detection.js')}\n{own}"
    return f"window.calculator = (() => {{ {code}\nreturn {{ {', '.join(_NAMES)} }}; }})()"


_CALLS = """(calls) => calls.map(([name, ...values]) => {
  const plain = (v) => typeof v === "number" && !Number.isFinite(v) ? String(v)
    : Array.isArray(v) ? v.map(plain)
    : v && typeof v === "object"
      ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)])) : v;
  const result = calculator[name](...values);
  if (name === "judgeClaim") result.rows = result.typical;
  return plain(JSON.parse(JSON.stringify(result, (k, v) =>
    typeof v === "number" && !Number.isFinite(v) ? String(v) : v)));
})"""


@pytest.fixture
def run(page: "Page") -> Callable[[list[list[Any]]], list[Any]]:
    """A function that calls the arithmetic of the calculator in the browser."""
    page.goto("about:blank")
    page.evaluate(_source())
    return lambda calls: page.evaluate(_CALLS, calls)


def rules(random: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return random rules for the calculator and for Python."""
    alpha = float(random.choice([0.01, 0.05, 0.1]))
    power = float(random.choice([0.8, 0.9]))
    sides = int(random.choice([1, 2]))
    alternative = "greater" if sides == 1 else "two-sided"
    own = {"alpha": alpha, "power": power, "sides": sides}
    return own, {"alpha": alpha, "power": power, "alternative": alternative}


def same(x: Any, y: float | None) -> bool:
    """Whether the calculator and Python agree; text stands for numbers that are not finite."""
    x = math.nan if x is None else float(x.replace("Infinity", "inf")) if isinstance(x, str) else x
    if y is None or not math.isfinite(y):
        return not math.isfinite(x)
    return math.isclose(x, y, rel_tol=REL) or x == y


def test_items_for_a_gap(run: Callable[[list[list[Any]]], list[Any]]) -> None:
    random = np.random.default_rng(1)
    calls, expected = [], []
    for _ in range(150):
        base, delta = random.uniform(0.05, 0.95), random.uniform(-0.2, 0.2)
        rho = float(random.choice([0, 0.3, 0.5, 0.8]))
        own, python = rules(random)
        calls.append(["planItems", base, delta, rho, own])
        try:
            expected.append(nstar.plan(baseline=base, delta=delta, rho=rho, **python).n_star)
        except ParameterError:  # impossible, or a loss in a one-sided test
            expected.append(None)
    for call, x, y in zip(calls, run(calls), expected, strict=True):
        assert same(x, y), (call, x, y)


def test_gaps_that_items_detect(run: Callable[[list[list[Any]]], list[Any]]) -> None:
    random = np.random.default_rng(2)
    calls, expected = [], []
    for _ in range(75):
        base, n = random.uniform(0.05, 0.95), int(10 ** random.uniform(1.5, 5))
        rho = float(random.choice([0, 0.3, 0.5, 0.8]))
        own, python = rules(random)
        calls += [["planMde", base, n, rho, sign, own] for sign in (1, -1)]
        try:
            plan = nstar.plan(baseline=base, items=n, rho=rho, **python)
            expected += [plan.mde, plan.mde_loss]
        except InfeasibleError:
            expected += [None, None]
    for call, x, y in zip(calls, run(calls), expected, strict=True):
        assert same(x, y), (call, x, y)


def test_claims(run: Callable[[list[list[Any]]], list[Any]]) -> None:
    random = np.random.default_rng(3)
    calls: list[list[Any]] = []
    expected: list[nstar.Claim] = []
    while len(calls) < 100:
        n = int(10 ** random.uniform(1.7, 4.3))
        first = round(random.uniform(20, 95), 1)
        second = round(first + random.uniform(-8, 8), 1)
        if first == second or not 5 < second < 98:
            continue
        own, python = rules(random)
        result = nstar.claim(f"{first}%", f"{second}%", items=n, **python)
        calls.append(["judgeClaim", result.mean_a, result.mean_b, n, [3, 3], own])
        expected.append(result)
    verdicts = {"always": "supported", "depends": "depends", "never": "not_supported"}
    for call, x, y in zip(calls, run(calls), expected, strict=True):
        assert verdicts[x["significance"]] == y.verdict, (call, x["significance"])
        assert x["mostDiscordant"] == y.n_discordant_significant, call
        known = {round(row.rho, 9): row for row in y.scenarios}
        for row in x["rows"]:
            if (other := known.get(round(row["rho"], 9))) is not None:
                assert same(row["psi"], other.psi), (call, row, other)
                assert same(row["mde"], other.mde), (call, row, other)
                assert same(row["need"], other.n_star), (call, row, other)


@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_columns(run: Callable[[list[list[Any]]], list[Any]], kind: str) -> None:
    random = np.random.default_rng(4)
    calls, expected = [], []
    for _ in range(50):
        n = int(random.integers(20, 400))
        hard, shift = random.normal(size=n), random.uniform(-0.5, 0.5)
        a, b = (hard + random.normal(size=n) + move for move in (shift, 0.0))
        if kind == "binary":
            a, b = (np.where(x > 0, 1.0, 0.0) for x in (a, b))
        own, python = rules(random)
        pair = nstar.compare(a, b, **python).tasks[0]
        calls.append(["compareColumns", a.tolist(), b.tolist(), own])
        expected.append(pair)
    for call, x, y in zip(calls, run(calls), expected, strict=True):
        assert y.ci is not None
        values: dict[str, Any] = {
            "gap": y.gap,
            "low": y.ci.low,
            "high": y.ci.high,
            "rho": y.rho,
            "mde": y.mde,
            "p": y.pvalue if kind == "binary" else y.pvalue_t,
            "need": y.n_star,
            "significant": y.significant_gap,
        }
        for name, value in values.items():
            assert same(x[name], value), (call[-1], name, x[name], value)


def covered(kind: str, x: dict[str, Any], y: Any) -> list[tuple[list[Any], Any]]:
    """Return calls of the calculator and the values that a golden entry has for them."""
    rule = {"alpha": 0.05, "power": 0.8, "sides": 2}
    if kind == "paired.pvalue":
        methods = {"midp": False, "exact": True}
        counts = (x["b"] + x["c"], abs(x["b"] - x["c"]))
        return [(["mcnemar", *counts, exact], y[name]) for name, exact in methods.items()]
    if kind in {"paired.joint", "paired.frechet"}:
        accuracies = [x["pA"], x["pB"]]
        is_joint = kind == "paired.joint"
        name, more = ("psiFromRho", [x["rho"]]) if is_joint else ("rhoBounds", [])
        return [([name, *accuracies, *more], y["psi"] if is_joint else y)]
    if kind == "paired.nstar":
        call = ["planItems", x["pB"], x["pA"] - x["pB"], x["rho"], rule]
        return [(call, math.ceil(y["connor"]))]
    if kind == "paired.mde" and "rho" in x and y["connor"] is not None:
        return [(["planMde", x["pB"], x["N"], x["rho"], 1, rule], y["connor"])]
    if kind == "paired_ci.limits":
        n = sum(x[cell] for cell in ("n11", "n10", "n01", "n00"))
        return [(["tangoLimits", x["n10"], x["n01"], n, float(special.ndtri(0.975))], y["tango"])]
    return []


def test_golden_values(run: Callable[[list[list[Any]]], list[Any]]) -> None:
    """Values that were obtained without nstar: by enumeration, high precision, or R."""
    golden = json.loads((ROOT / "tests" / "oracle" / "golden.json").read_text(encoding="utf-8"))
    entries = [(e["id"].split()[0], e["inputs"], e["value"]) for e in golden["items"]]
    pairs = [pair for entry in entries for pair in covered(*entry)]
    assert len(pairs) > 40
    calls, expected = zip(*pairs, strict=True)
    for call, x, y in zip(calls, run(list(calls)), expected, strict=True):
        assert x == pytest.approx(y, rel=1e-6, abs=1e-9), (call, x, y)


FRAGMENTS = {
    "plan": "t=plan&baseline=70&delta=1&rho=0.5",
    "items": "t=plan&baseline=70&items=1000&rho=0.6",
    "claim": "t=claim&first=71.4&second=70.6&claim-items=1000",
    "columns": "t=columns&cells=118-24-11-47",
}
FINDINGS = {
    "plan": "Detecting a 1 pp gap from a 70% baseline takes 16,329 items.",
    "items": "1,000 items detect a gain of 3.58 pp or a loss of 3.70 pp from a 70% baseline.",
    "claim": (
        "Depends: +0.8 pp on 1,000 items is significant only if the models disagree on at most 16 "
        "items; 124–247 is typical."
    ),
    "columns": "A beats B by 6.5 pp (95% CI +0.7 to +12.6 pp, p = 0.029, 200 items).",
}


def opened(page: "Page", fragment: str) -> str:
    """Open the calculator at some inputs and return its finding."""
    page.goto("about:blank")
    page.goto(f"{ADDRESS}#{fragment}")
    page.locator("html[data-ready]").wait_for(state="attached")
    return page.locator(".panel:visible .finding").inner_text().replace("\u00a0", " ")


@pytest.mark.parametrize("name", FRAGMENTS)
def test_the_address_holds_the_inputs(page: "Page", name: str, axe: str) -> None:
    assert opened(page, FRAGMENTS[name]) == FINDINGS[name]
    assert violations(page, axe) == []
    page.locator("#alpha").evaluate("(input) => { input.value = '0.01'; }")
    page.locator("#alpha").dispatch_event("input")
    changed = page.evaluate("location.hash").removeprefix("#")
    assert changed == f"{FRAGMENTS[name]}&alpha=0.01"
    shell = page.locator(".panel:visible .shell").inner_text()
    assert shell.endswith("--alpha 0.01")
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark")
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("fragment", "problem"),
    [
        ("t=plan&baseline=170", "The baseline accuracy must be between 0% and 100%."),
        ("t=plan&baseline=99&delta=5", "A 5 pp gap from a 99% baseline is impossible"),
        ("t=claim&claim-items=2.5", "The number of items must be a whole number"),
        ("t=claim&first=70&second=70", "The accuracies are equal"),
        ("t=columns", "Paste two columns"),
        ("t=columns&cells=9-0-0-0", "cannot be estimated"),
        ("t=plan&alpha=7", "The significance level must be between 0 and 0.5."),
        ("t=__proto__&first=<img src=x onerror=alert(1)>", ""),
        ("t=columns&cells=1e99-NaN-<b>-3&rows=%22%3Cscript%3E", "A"),
    ],
)
def test_impossible_and_hostile_inputs(page: "Page", fragment: str, problem: str) -> None:
    opened_at = page
    opened_at.goto("about:blank")
    opened_at.goto(f"{ADDRESS}#{fragment}")
    opened_at.locator("html[data-ready]").wait_for(state="attached")
    assert problem in opened_at.locator(".panel:visible").inner_text()
    assert opened_at.locator("img").count() == 0


def test_pasted_columns(page: "Page") -> None:
    opened(page, "t=columns")
    page.fill("#data", "item,A,B\nq1,pass,fail\nq2,1,1\nq3,0,0\nq4,1,0\nq5,0,1\nnot a row\n")
    text = page.locator("#columns").inner_text()
    assert "5 items" in text
    assert page.evaluate("location.hash") == "#t=columns&cells=1-2-1-1"
    page.fill("#data", "a\tb\n0.5\t0.25\n1\t0.5\n0.25\t0.75\n0.1\t0.9")
    assert "rows=0.5_0.25" in page.evaluate("location.hash")
    page.locator("#columns summary").click()
    assert "paired t" in page.locator("#columns table").inner_text()


def test_exact_power_is_near_the_curve(run: Callable[[list[list[Any]]], list[Any]]) -> None:
    """The number of items is where the curve crosses the power, so the mark is on it."""
    (n,) = run([["planItems", 0.7, 0.05, 0.5, {"alpha": 0.05, "power": 0.8, "sides": 2}]])
    power = float(stats.paired_power(0.05, psi=0.198, n=n, method="default"))
    assert abs(power - 0.8) < 0.03

"""The browser prints numbers and names as Python does, character by character."""

import math
import random
from typing import TYPE_CHECKING, Any

from helpers.nasty import NASTY
from nstar._base.types import Interval
from nstar.report.page._document import asset
from nstar.report.prose import gap as _gap
from nstar.report.prose import numbers as _format
from nstar.report.prose.audit import tables

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCALES: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.0, 100.0), (-1.0, 1.0))
ERRORS = (math.nan, 0.02, 0.001)
"""Standard errors, which set the decimals of gaps."""

HALVES = [k / 4096 for k in range(0, 4096, 7)] + [k / 80 for k in range(200)]
"""Numbers that end in an exact half somewhere."""
EDGES = [0.0, 0.005, 0.015, 5e-5, 4.9999e-5, 1e-13, 0.01, 0.99, 0.999, 0.001, 1e-4, 1e-5, 2.5]
EDGES += [2.3e-308, 1e-300, 9.995, 10.5, 11.5, 99999.5, 1e6, 123456.5, 1e21, 1.5e22]

PRINT = """({ scales, xs }) => xs.map((x) => {
  const size = Math.abs(x);
  const out = [fmt.count(x), fmt.items(x), fmt.percent(x), fmt.percent(x, 1), fmt.pp(x),
    fmt.pp(x, { sign: true, column: true }), fmt.probability(x), fmt.ratio(x), fmt.pvalue(size),
    fmt.adjusted(size), fmt.adjusted(size, 9999),
    fmt.resolution(x)];
  for (const scale of scales) {
    const column = { column: true };
    out.push(fmt.gap(scale, x), fmt.gap(scale, x, { sign: true }),
      fmt.gap(scale, x, { sign: true, column: true }), fmt.gap(scale, x, column),
      fmt.score(scale, x), fmt.span(scale, x, x + 0.01), fmt.span(scale, x, x + 0.01, column));
  }
  return out;
})"""


def _scales() -> list[_gap.Scale]:
    return [_gap.Scale(limits, False, se) for limits in SCALES for se in ERRORS]


def _in_page(page: "Page", code: str, data: Any) -> Any:
    """A function of the page's helpers, which are in no scope of their own here."""
    page.goto("about:blank")
    return page.evaluate(f"(data) => {{ {asset('dom.js')}\nreturn ({code})(data); }}", data)


def _printed(x: float) -> list[str]:
    f, size = _format, abs(x)
    out = [f.count(x), f.items(x), f.percent(x), f.percent(x, 1), f.pp(x)]
    out += [f.pp(x, sign=True, column=True), f.probability(x), f.ratio(x), f.pvalue(size)]
    out += [tables._p(size, None), tables._p(size, 9999)]
    out.append(tables._resolution(x))
    for scale in _scales():
        span = Interval(x, x + 0.01)
        out += [_gap.gap(scale, x), _gap.gap(scale, x, sign=True)]
        out += [_gap.gap(scale, x, sign=True, column=True), _gap.gap(scale, x, column=True)]
        out += [_gap.score(scale, x), _gap.span(scale, span), _gap.span(scale, span, column=True)]
    return out


def test_numbers_are_printed_as_in_python(page: "Page") -> None:
    rng = random.Random(1)  # noqa: S311
    values = EDGES + HALVES + [rng.random() for _ in range(500)]
    values += [10 ** rng.uniform(-8, 6) for _ in range(1500)]
    values += [-x for x in values if x]
    scales = [{"limits": s.score_range, "decimals": _gap.gap_decimals(s)} for s in _scales()]
    shown = _in_page(page, PRINT, {"scales": scales, "xs": values})
    assert [
        (x, mine, theirs)
        for x, row in zip(values, shown, strict=True)
        for mine, theirs in zip(_printed(x), row, strict=True)
        if mine != theirs
    ] == []


LEVELS = [0.95, 0.9, 0.99, 0.999, 0.995, 0.9999, 0.985, 1 - 0.05 / 3, 0.3, 1 - 1e-6, 1 - 1e-8]
LEVELS += [1 - 10**-k for k in range(1, 17)] + [1 - 0.001 * k for k in range(1, 500)]


def test_levels_are_printed_as_in_python(page: "Page") -> None:
    shown = _in_page(page, "(levels) => levels.map(fmt.coverage)", LEVELS)
    assert shown == [_gap.coverage(x) for x in LEVELS]
    assert shown[:6] == ["95%", "90%", "99%", "99.9%", "99.5%", "99.99%"]
    assert _gap.coverage(1 - 1e-12) == ">99.999999%"


def test_no_number_is_a_dash(page: "Page") -> None:
    code = "() => [fmt.count(null), fmt.pp(NaN), fmt.gap({ limits: [0, 1] }, null)]"
    assert _in_page(page, code, None) == ["–", _format.pp(float("nan")), _format.pp(None)]
    code = """(scales) => scales.flatMap((limits) => [null, NaN].flatMap((x) =>
      [fmt.gap({ limits }, x), fmt.gap({ limits }, x, { sign: true, column: true }),
        fmt.span({ limits }, x, x)]))"""
    assert set(_in_page(page, code, SCALES)) == {"–"}
    nan = float("nan")
    for scale in _scales():
        assert _gap.gap(scale, nan, sign=True, column=True) == _gap.gap(scale, nan) == "–"
        assert _gap.span(scale, Interval(nan, nan)) == "–"
    assert _in_page(page, "() => [fmt.count(Infinity), fmt.pp(Infinity)]", None) == ["∞", "none"]


def test_names_are_shown_as_in_python(page: "Page") -> None:
    names = [n for n in NASTY.values() if n.isprintable() or "\ud800" not in n]
    code = "(names) => names.flatMap((n) => [shownName(n), shownName(n, 36), shownName(n, 9)])"
    wanted = [_format.name(n, limit=limit) for n in names for limit in (80, 36, 9)]
    assert _in_page(page, code, names) == wanted
    assert _in_page(page, "() => shownName('a\\ud800b')", None) == "a?b"


def test_helpers_refuse_what_could_run_or_load(page: "Page") -> None:
    code = """() => [
      () => el("p", { onclick: "alert(1)" }), () => el("p", { style: "color: red" }),
      () => el("a", { href: "javascript:alert(1)" }), () => el("a", { href: "//example.org" }),
      () => el("a", { href: " java\\tscript:alert(1)" }), () => el("img", { src: "data:," }),
      () => el("a", { href: "https://example.org" }), () => el("script"), () => svgEl("SCRIPT"),
      () => svgEl("a", { "xlink:href": "javascript:alert(1)" }), () => el("p", { ONCLICK: "x" }),
      () => el("a", { href: "#a=1&b=2" }), () => el("a", { href: "../models/x.html#y" }),
    ].map((make) => { try { make(); return "made"; } catch { return "refused"; } })"""
    assert _in_page(page, code, None) == ["refused"] * 11 + ["made"] * 2


def test_strings_become_text(page: "Page") -> None:
    code = """(said) => {
      const node = el("p", { title: said, hidden: false, lang: null }, said, [1, [said]], null);
      return [node.childElementCount, node.textContent, node.title, node.getAttributeNames()];
    }"""
    said = NASTY["image"]
    assert _in_page(page, code, said) == [0, f"{said}1{said}", said, ["title"]]

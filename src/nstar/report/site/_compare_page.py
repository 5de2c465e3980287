"""The page on which any two models of a benchmark are compared, in the browser."""

from html import escape
from typing import Any

from nstar.report.site._bench import Bench
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._rows import fields_of


def _deck(bench: Bench) -> dict[str, Any]:
    """What is the same for every pair: the deck of a page, without its pairs."""
    audit, source = bench.audit, bench.source
    kind, _, column = audit.design.partition(":")
    return {
        "kind": "counts" if source.counted else "gaps",
        "task": audit.task,
        "metric": audit.metric,
        "items": audit.n,
        "complete": audit.complete,
        "binary": audit.scale == "binary",
        "better": -1 if audit.lower_is_better else 1,
        "limits": list(audit.limits),
        "design": {"kind": kind, "column": column or None},
    }


def _family(bench: Bench, threshold: float) -> dict[str, Any]:
    """What counts as significant among all pairs, and what to ask of one."""
    audit = bench.audit
    every = 1 if audit.adjust in ("bh", "none") else audit.all_pairs
    return {
        "threshold": threshold,
        "equivalent": audit.criteria.alpha / every,
        "pairs": audit.all_pairs,
        "settings": {
            "alpha": audit.criteria.alpha,
            "power": audit.criteria.power,
            "delta0": audit.delta0,
            "margin": audit.margin,
            "adjust": audit.adjust,
        },
    }


def _policy(bench: Bench) -> str:
    """What verdicts allow for, in words that do without columns of neighbours."""
    if bench.audit.adjust == "none":
        return bench.policy
    return (
        f"Verdicts allow for all {bench.audit.all_pairs:,} pairs ({bench.level}); the interval is "
        "that of the pair alone."
    )


def compare_page(bench: Bench, threshold: float) -> bytes:
    """``compare.html`` of a benchmark."""
    steps = ((HOME.format("../../"), "All benchmarks"), ("index.html", bench.title))
    body = (
        f'<a class="skip" href="#pair">Skip to the pair</a>\n{trail(*steps)}\n<header>\n'
        f'<p class="kicker">{escape(bench.facts)}</p>\n<h1>Two models on {escape(bench.title)}'
        "</h1>\n</header>\n<main>\n"
        '<div id="choice" class="choice"></div>\n<div id="pair" tabindex="-1" hidden>\n'
        '<div id="said" role="status"></div>\n<div id="found"></div>\n'
        f'<p class="remark">{escape(_policy(bench))}</p>\n</div>\n'
        '<noscript><p class="remark">Comparing two models takes a script. Neighbours are '
        'compared on the page of each model, all of them in <a href="audit.json">audit.json</a>.'
        "</p></noscript>\n</main>"
    )
    data = bench.json() | {
        "fields": [list(f) for f in fields_of(bench.source)],
        "deck": _deck(bench),
        "family": _family(bench, threshold),
    }
    title = f"Two models on {bench.title}"
    return frame(title=title, body=body, up="../../", page="compare", data=data)

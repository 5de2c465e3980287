"""Page of one model: its rank, the models near it, and significant differences."""

from dataclasses import replace
from html import escape

from nstar.report.documents import Document, Tile
from nstar.report.page._ladder import ladder
from nstar.report.page._markup import callout, header, section
from nstar.report.page.audit import below
from nstar.report.prose.audit.ranking import rank_set
from nstar.report.prose.gap import coverage, score
from nstar.report.prose.numbers import items, name
from nstar.report.site._benchmark import BenchmarkSite
from nstar.report.site._flags import fewer_items
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._ranking import ranking_table
from nstar.report.site._rows import PairRows

_MAX_STEPS = 4
"""Models above and below that the page shows."""


def _lead(bench: BenchmarkSite, i: int) -> str:
    r = bench.audit.ranking
    return (
        f"The {coverage(bench.audit.confidence_level)} rank range is {rank_set(r, i)}, "
        f"simultaneously for all models. The mean score is {score(bench.audit, float(r.mean[i]))} "
        f"on {items(int(r.n_items[i]))}."
    )


def _tiles(bench: BenchmarkSite, n_wins: int, n_losses: int) -> tuple[Tile, ...]:
    others = len(bench.audit) - 1
    family = (
        "" if bench.audit.adjust == "none" else f", adjusted for {bench.audit.n_pairs:,} pairs"
    )
    counts = (
        (n_wins, "worse", f"The gap is significant{family}."),
        (
            others - n_wins - n_losses,
            "not significantly different",
            "This is not evidence of equality.",
        ),
        (n_losses, "better", f"The gap is significant{family}."),
    )
    return tuple(
        Tile(
            number=f"{n:,}",
            unit=f"of {others:,}",
            label=f"{'model is' if n == 1 else 'models are'} {word}",
            more=text,
        )
        for n, word, text in counts
    )


def _caution(bench: BenchmarkSite, i: int) -> str:
    """What is to be known of the model before its rank is believed."""
    texts = [text.removesuffix(".") for _, text in bench.findings.get(i, ())]
    fewer = fewer_items(bench.audit, i)
    if fewer:
        texts.append(f"fewer items: {fewer}")
    text = "; ".join(dict.fromkeys(texts))
    return f"Caution: {text}{'' if text.endswith('?') else '.'}" if text else ""


def _compare(bench: BenchmarkSite, i: int) -> str:
    return (
        f'<div class="finder" data-find="rival" data-first="{escape(bench.fragment(i))}" hidden>'
        '</div>\n<noscript><p class="remark">Comparing two models needs JavaScript.</p></noscript>'
    )


def model_page(bench: BenchmarkSite, rows: PairRows, i: int) -> bytes:
    """``m/ADDRESS.html`` of a model."""
    m = len(bench.audit)
    first, end = max(i - _MAX_STEPS, 0), min(i + _MAX_STEPS + 1, m)
    title = f"{bench.name(i, 46)} ranks {bench.audit.ranking.rank[i]:,} of {m:,}"
    doc = Document(
        headline=title,
        title=title,
        lead=_lead(bench, i),
        tiles=_tiles(bench, int(rows.beats[i]), int(rows.beaten[i])),
    )
    steps = ((HOME.format("../../../"), "All boards"), ("../index.html", bench.title))
    *_, needed = below(bench.ranking)
    note = f'<p class="remark">{escape(needed)}</p>'
    table = ranking_table(bench, first, end, up="../", marked=i)
    chart = ladder(replace(bench.view, highlight=i, part=(first, end)))
    body = (
        trail(*steps),
        header(bench.title, doc, (bench.facts,)),
        "<main>",
        callout(name(_caution(bench, i), limit=1_000)),
        section("ranks", "Models near it", chart),
        section("neighbors", "Gaps", table, note),
        section("any", "Compare with another model", _compare(bench, i)),
        f'<p class="remark">{escape(bench.policy)}</p>',
        "</main>",
    )
    return frame(
        title=f"{bench.name(i)} on {bench.title}",
        body="\n".join(body),
        up="../../../",
        page="model",
        data=bench.json(),
        card=bench.card(
            f"{bench.name(i)} on {bench.title}", f"{title}. {doc.lead}", f"m/{bench.ids[i]}.html"
        ),
    )

"""Pages of a benchmark: its board, any two of its models, and a frame for other sites."""

from html import escape
from typing import Any

from nstar.report.badge import badge_width
from nstar.report.documents import Document
from nstar.report.page._ladder import ladder
from nstar.report.page._markup import callout, closing, fold, header, section, tables
from nstar.report.page.audit import MAX_DOTS, below, facts
from nstar.report.prose.audit.assumptions import intervals
from nstar.report.prose.audit.tables import bins, gap_scale, stress
from nstar.report.prose.gap import gap_decimals
from nstar.report.site._benchmark import BenchmarkSite, number
from nstar.report.site._board import SiteBoard
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._pictures import badge_text
from nstar.report.site._ranking import flagged, ranking_rest, ranking_table
from nstar.report.site._rows import fields_of

_MOST_EMBEDDED = 10


def _share(board: SiteBoard) -> str:
    """Snippets that show the result elsewhere; the script puts the site's address into them."""
    title = escape(f"What the ranking on {board.title} supports")
    frame_ = (
        f'<iframe src="embed.html" title="{title}" width="100%" height="560" loading="lazy">'
        "</iframe>"
    )
    picture = (
        f'<p><img src="badge.svg" alt="{escape(badge_text(board))}" height="20" '
        f'width="{badge_width(badge_text(board))}"></p>'
    )
    image = f"[![nstar: {badge_text(board)}](badge.svg)](index.html)"
    return (
        f"{picture}\n<p>On another page:</p>\n"
        f'<pre tabindex="0"><code data-address>{escape(frame_)}</code></pre>\n'
        f'<p>In a README:</p>\n<pre tabindex="0"><code data-address>{escape(image)}</code></pre>'
    )


def _files(bench: BenchmarkSite) -> str:
    return (
        '<ul class="prose">\n<li><a href="models.json">models.json</a>: names, addresses, means, '
        "ranks, rank ranges and tiers, as columns</li>\n"
        '<li><a href="audit.json">audit.json</a>: the whole audit</li>\n'
        f"<li><code>rows-{bench.pairs_key}/ADDRESS.bin</code>: each model with every later one"
        "</li>\n</ul>"
    )


def share_folds(board: SiteBoard, files: str) -> tuple[str, str]:
    """Return how to show the result elsewhere, and the data."""
    return (
        fold("share", "Badge and embedding", _share(board)),
        fold("files", "Data", files),
    )


def board_page(bench: BenchmarkSite, history: str = "") -> bytes:
    """``index.html`` of a benchmark: the page of the audit, with links to models and pairs."""
    words, states = bench.words, bench.states
    others = tables((stress(bench.audit), bins(bench.audit)))
    notes = "".join(f'<p class="remark">{escape(text)}</p>' for text in below(bench.ranking))
    compare = '<p><a class="button" href="compare.html">Compare any two models</a></p>'
    parts = [
        '<a class="skip" href="#ranking">Skip to the ranking</a>',
        trail((HOME.format("../../"), "All boards")),
        header(
            bench.title,
            words,
            (*facts(bench.audit), bench.level),
            states if len(states) <= MAX_DOTS else (),
        ),
        "<main>",
        callout(words.caution),
        section("ranks", "Which ranks are supported", ladder(bench.view)),
        section(
            *("ranking", "All models", compare),
            *(ranking_table(bench), ranking_rest(bench), notes),
        ),
        history,
        *closing(
            words,
            fold("readings", "Sensitivity analysis", others),
            *share_folds(bench, _files(bench)),
        ),
        "</main>",
    ]
    card = bench.card(f"{bench.title}: {bench.finding}", words.headline)
    return frame(
        title=f"{bench.finding} · {bench.title}",
        body="\n".join(parts),
        up="../../",
        page="benchmark",
        data=bench.json(),
        card=card,
    )


def _deck(bench: BenchmarkSite) -> dict[str, Any]:
    """What is the same for every pair: the deck of a page, without its pairs."""
    audit, source = bench.audit, bench.source
    kind, _, column = audit.design.partition(":")
    return {
        "kind": "counts" if source.counted else "gaps",
        "task": audit.task,
        "metric": audit.metric,
        "items": audit.n_items,
        "complete": audit.is_complete,
        "binary": audit.is_binary,
        "better": -1 if audit.lower_is_better else 1,
        "limits": list(audit.score_range),
        "decimals": gap_decimals(gap_scale(audit)),
        "design": {"kind": kind, "column": column or None},
    }


def _family(bench: BenchmarkSite, threshold: float) -> dict[str, Any]:
    """What counts as significant among all pairs, and what to ask of one."""
    audit = bench.audit
    n_tests = 1 if audit.adjust in ("bh", "none") else audit.n_pairs
    return {
        "threshold": threshold,
        "interval": audit.interval_alpha,
        "equivalent": audit.criteria.alpha / n_tests,
        "pairs": audit.n_pairs,
        "settings": {
            "alpha": audit.criteria.alpha,
            "power": audit.criteria.power,
            "delta0": audit.delta,
            "margin": audit.margin,
            "adjust": audit.adjust,
        },
    }


def _policy(bench: BenchmarkSite) -> str:
    """What verdicts allow for, in words that do without columns of neighbors."""
    if bench.audit.adjust == "none":
        return bench.policy
    return (
        f"Verdicts are adjusted for all {bench.audit.n_pairs:,} pairs ({bench.level}). "
        f"{intervals(bench.audit)}"
    )


def compare_page(bench: BenchmarkSite, threshold: float) -> bytes:
    """``compare.html`` of a benchmark."""
    steps = ((HOME.format("../../"), "All boards"), ("index.html", bench.title))
    title = f"Two models on {bench.title}"
    body = (
        '<a class="skip" href="#pair">Skip to the pair</a>',
        trail(*steps),
        header(bench.title, Document(headline=title, title=title), (*facts(bench.audit),)),
        "<main>",
        '<div id="choice" class="choice"></div>\n<div id="pair" tabindex="-1" hidden>\n'
        '<div id="said" role="status"></div>\n<div id="found"></div>\n'
        f'<p class="remark">{escape(_policy(bench))}</p>\n</div>\n'
        '<noscript><p class="remark">Comparing two models needs JavaScript. Adjacent models are '
        'compared on the page of each model, all of them in <a href="audit.json">audit.json</a>.'
        "</p></noscript>",
        "</main>",
    )
    data = bench.json() | {
        "fields": [list(f) for f in fields_of(bench.source)],
        "deck": _deck(bench),
        "family": _family(bench, threshold),
        "items": None if bench.items is None else bench.items.key,
    }
    card = bench.card(title, bench.finding, "compare.html")
    return frame(
        title=title, body="\n".join(body), up="../../", page="compare", data=data, card=card
    )


def _embedded_row(board: SiteBoard, i: int) -> str:
    name = escape(board.name(i, 40))
    line = ' class="line"' if board.starts_tier(i) else ""
    before, after = number(board.rank_set(i)), number(board.score(i))
    return f'<tr{line}>{before}<th scope="row">{name}{flagged(board.flags(i))}</th>{after}</tr>'


def embed_page(board: SiteBoard) -> bytes:
    """``embed.html``: the answer and the first models, for a frame on another page."""
    models = len(board.ranks)
    rows = "\n".join(_embedded_row(board, i) for i in range(min(_MOST_EMBEDDED, models)))
    all_text = "All ratings" if board.kind == "votes" else "The whole audit"
    link_text = f"All {models:,} models" if models > _MOST_EMBEDDED else all_text
    body = (
        f'<main class="embed">\n<h1>{escape(board.title)}</h1>\n'
        f"<p>{escape(board.words.headline)}</p>\n"
        '<div class="scroll" role="region" tabindex="0" aria-label="First models">\n<table>\n'
        '<thead><tr><th scope="col" class="num">rank range</th><th scope="col">model</th>'
        f'<th scope="col" class="num">{escape(board.score_head)}</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
        f'<p><a href="index.html" target="_blank" rel="noopener">{link_text}</a> · audited '
        "by nstar: "
        f"{escape(board.level)}</p>\n</main>"
    )
    return frame(title=board.title, body=body, up="../../", page="", footer=False)

"""Pages of the site but those of models: all benchmarks, one, two of its models, a badge."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nstar.report.charts import figure
from nstar.report.charts._text import width
from nstar.report.page._markup import cited, listing, picture, section, table
from nstar.report.site._bench import Bench, number, word
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._rows import fields_of
from nstar.report.words.audit.tables import bins, stress
from nstar.report.words.numbers import count, name

_MOST_DRAWN = 60
"""Models up to which the ladder is drawn."""
_FRONT_COLUMNS = ("models", "items", "tiers", "neighbours resolved")
_MOST_EMBEDDED = 10
_CHUNK = 100
"""Models on the page at first, and in each file of further ones."""
_WORD_COLUMNS = ("model", "verdict")
_NUM = ' class="num"'
_BADGE_HEIGHT, _BADGE_PAD, _BADGE_TYPE = 20, 6, 11
_BADGE_LABEL = "nstar"


def badge_text(bench: Bench) -> str:
    """What the badge says."""
    return f"resolves {bench.share} of adjacent pairs"


def _badge_widths(bench: Bench) -> tuple[int, int]:
    left, right = (
        round(width(t, _BADGE_TYPE)) + 2 * _BADGE_PAD for t in (_BADGE_LABEL, badge_text(bench))
    )
    return left, right


def _badge_words(text: str, start: int, size: int) -> str:
    middle = f"{start + size / 2:g}"
    return f'<text x="{middle}" y="14" textLength="{size - 2 * _BADGE_PAD}">{escape(text)}</text>'


def badge(bench: Bench) -> bytes:
    """A standalone SVG."""
    left, right = _badge_widths(bench)
    whole = left + right
    said = f"{_BADGE_LABEL}: {escape(badge_text(bench))}"
    words = _badge_words(_BADGE_LABEL, 0, left) + _badge_words(badge_text(bench), left, right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_BADGE_HEIGHT}" '
        f'role="img" aria-label="{said}">\n<title>{said}</title>\n'
        f'<clipPath id="r"><rect width="{whole}" height="{_BADGE_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_BADGE_HEIGHT}" fill="#3b4045"/>'
        f'<rect x="{left}" width="{right}" height="{_BADGE_HEIGHT}" fill="#00558a"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="{_BADGE_TYPE}">{words}</g>\n</svg>\n'
    ).encode()


def _model_row(bench: Bench, i: int, *, before: str, name: str, after: str) -> str:
    """A row for a model, with a line above the first one of a tier; all parts are markup."""
    line = ' class="line"' if bench.starts_tier(i) else ""
    return f'<tr{line}>{before}<th scope="row">{name}</th>{after}</tr>'


def _ranking_row(bench: Bench, i: int) -> str:
    """One model; the gap leads to the pair."""
    rank, ranks, *numbers, verdict = bench.cells(i)
    cells = [number(n) for n in numbers]
    if verdict:
        link = f'<a href="{bench.compare(i, i + 1)}">{escape(numbers[-4])}</a>'
        cells[-4] = f"<td{_NUM}>{link}</td>"
    return _model_row(
        bench,
        i,
        before=number(rank) + number(ranks),
        name=f'<a href="m/{bench.ids[i]}.html">{escape(bench.name(i))}</a>',
        after=f"{''.join(cells)}<td>{word(verdict) if verdict else ''}</td>",
    )


def _ranking_table(bench: Bench) -> str:
    rows = "\n".join(_ranking_row(bench, i) for i in range(min(_CHUNK, len(bench.audit))))
    heads = "".join(
        f'<th scope="col"{"" if h in _WORD_COLUMNS else _NUM}>{escape(h)}</th>'
        for h in bench.header
    )
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Table of the ranking">\n'
        '<table class="board" id="ranking-table">\n'
        "<caption><span>Lines part the tiers; a gap leads to the pair</span></caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def chunks(bench: Bench) -> list[dict[str, Any]]:
    """Further rows: address, name, whether a line stands above, cells; and who follows."""
    names, m = bench.audit.ranks.name, len(bench.audit)

    def following(end: int) -> list[str] | None:
        return [bench.ids[end], names[end]] if end < m else None

    return [
        {
            "rows": [
                [bench.ids[i], names[i], int(bench.starts_tier(i)), *bench.cells(i)]
                for i in range(start, min(start + _CHUNK, m))
            ],
            "next": following(start + _CHUNK),
        }
        for start in range(_CHUNK, m, _CHUNK)
    ]


def _header(bench: Bench) -> str:
    return (
        '<a class="skip" href="#ranking">Skip to the ranking</a>\n'
        f"{trail((HOME.format('../../'), 'All benchmarks'))}\n<header>\n"
        '<p class="kicker">What this ranking can and cannot support</p>\n'
        f"<h1>{escape(bench.title)}</h1>\n"
        f'<p class="headline">{escape(bench.source.words.headline)}</p>\n'
        f'<p class="facts">{escape(bench.facts)} · verdicts by {escape(bench.level)}</p>\n'
        f'<p><img src="badge.svg" alt="{escape(badge_text(bench))}" height="20" '
        f'width="{sum(_badge_widths(bench))}"></p>\n</header>'
    )


def _tools(bench: Bench) -> str:
    """Ways to one model, and to two."""
    return (
        '<div class="tools">\n<div class="finder" data-find="model" hidden></div>\n'
        f'<p><a class="button" href="compare.html">Compare any two of {len(bench.audit):,} '
        "models</a></p>\n</div>"
    )


def _more(bench: Bench) -> str:
    """The rest of a long ranking."""
    if len(bench.audit) <= _CHUNK:
        return ""
    return (
        '<p class="row"><button type="button" id="more" hidden>Show more</button> '
        f'<span id="shown" class="remark" role="status">The first {_CHUNK} of '
        f"{len(bench.audit):,} models.</span></p>\n"
        '<noscript><p class="remark">Without scripts the rest is in '
        '<a href="models.json">models.json</a>.</p></noscript>'
    )


def _share(bench: Bench) -> str:
    """Snippets that show the result elsewhere; the script puts the site's address into them."""
    title = escape(f"What the ranking on {bench.title} supports")
    frame_ = (
        f'<iframe src="embed.html" title="{title}" width="100%" height="560" loading="lazy">'
        "</iframe>"
    )
    image = f"[![nstar: {badge_text(bench)}](badge.svg)](index.html)"
    return (
        f'<p>On another page:</p>\n<pre tabindex="0"><code data-address>{escape(frame_)}</code>'
        f'</pre>\n<p>In a README:</p>\n<pre tabindex="0"><code data-address>{escape(image)}'
        "</code></pre>"
    )


def _files(bench: Bench) -> str:
    return (
        '<ul class="prose">\n<li><a href="models.json">models.json</a>: names, addresses, means, '
        "ranks, rank sets and tiers, as columns</li>\n"
        '<li><a href="audit.json">audit.json</a>: the whole audit</li>\n'
        f"<li><code>rows-{bench.pairs_key}/ADDRESS.bin</code>: each model with every later one"
        "</li>\n</ul>"
    )


def board_page(bench: Bench) -> bytes:
    """``index.html`` of a benchmark."""
    audit, words = bench.audit, bench.source.words
    parts = [_header(bench), "<main>"]
    if len(audit) <= _MOST_DRAWN:
        parts.append(section("ladder", "At a glance", picture(figure(audit, "ladder"))))
    paragraph = f'<blockquote class="prose">{escape(words.paragraph or "")}</blockquote>'
    parts += [
        section("ranking", "Ranking", _tools(bench), _ranking_table(bench), _more(bench)),
        section("readings", "Other readings", table(stress(audit)), table(bins(audit))),
        section("notes", "Notes", listing(words.notes)),
        section("assumptions", "What this rests on", listing(words.assumptions)),
        section("paragraph", "Paragraph to paste", paragraph),
        section("share", "Badge and embedding", _share(bench)),
        section("files", "Data", _files(bench)),
        section("cite", "How to cite", cited()),
        "</main>",
    ]
    title = f"{bench.title}: what the ranking supports"
    body = "\n".join(parts)
    return frame(title=title, body=body, up="../../", page="benchmark", data=bench.json())


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


def _embedded_row(bench: Bench, i: int) -> str:
    name = escape(bench.name(i, 40))
    before, after = number(bench.cells(i)[1]), number(bench.ranking.mean(i))
    return _model_row(bench, i, before=before, name=name, after=after)


def embed_page(bench: Bench) -> bytes:
    """``embed.html`` of a benchmark."""
    models = len(bench.audit)
    rows = "\n".join(_embedded_row(bench, i) for i in range(min(_MOST_EMBEDDED, models)))
    more = f"All {models:,} models" if models > _MOST_EMBEDDED else "The whole audit"
    body = (
        f'<main class="embed">\n<h1>{escape(bench.title)}</h1>\n'
        f"<p>{escape(bench.source.words.headline)}</p>\n"
        '<div class="scroll" role="region" tabindex="0" aria-label="First models">\n<table>\n'
        '<thead><tr><th scope="col" class="num">rank set</th><th scope="col">model</th>'
        f'<th scope="col" class="num">{escape(bench.header[3])}</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
        f'<p><a href="index.html" target="_blank" rel="noopener">{more}</a> · audited by nstar: '
        f"{escape(bench.level)}</p>\n</main>"
    )
    return frame(title=bench.title, body=body, up="../../", page="", footer=False)


def _entry_number(value: Any) -> str:
    return count(value) if isinstance(value, int) and 0 <= value < 1 << 53 else "–"


def _benchmark_row(entry: Mapping[str, Any]) -> str:
    numbers = [_entry_number(entry.get(k)) for k in ("models", "items", "tiers")]
    numbers.append(
        f"{_entry_number(entry.get('resolved'))} of {_entry_number(entry.get('neighbours'))}"
    )
    cells = "".join(map(number, numbers))
    level = escape(name(str(entry.get("level") or "–")))
    slug = entry["slug"]
    title = escape(name(str(entry.get("title") or slug), limit=80))
    share = escape(name(str(entry.get("badge") or "its badge"), limit=80))
    return (
        f'<tr><th scope="row"><a href="b/{slug}/index.html">{title}</a></th>{cells}'
        f"<td>{level}</td>"
        f'<td><img src="b/{slug}/badge.svg" alt="{share}" height="20" loading="lazy"></td></tr>'
    )


def front_page(title: str, entries: Sequence[Mapping[str, Any]]) -> bytes:
    """``index.html`` of the site."""
    heads = "".join(f'<th scope="col" class="num">{h}</th>' for h in _FRONT_COLUMNS)
    rows = "\n".join(map(_benchmark_row, entries))
    body = (
        '<header>\n<p class="kicker">What these rankings can and cannot support</p>\n'
        f"<h1>{escape(name(title, limit=200))}</h1>\n"
        '<p class="headline">A ranking is as good as the gaps it resolves: those that another '
        "benchmark of the same size would most likely show again.</p>\n</header>\n<main>\n"
        '<div class="scroll" role="region" tabindex="0" aria-label="Benchmarks">\n'
        f'<table class="board">\n<thead><tr><th scope="col">benchmark</th>{heads}'
        '<th scope="col">verdicts by</th><th scope="col">badge</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
        '<p class="remark">Neighbours are models next to each other in a ranking. The same for '
        'programs: <a href="index.json">index.json</a>.</p>\n</main>'
    )
    return frame(title=title, body=body, up="", page="")

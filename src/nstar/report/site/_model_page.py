"""Page of one model: its rank, adjacent models, and significant differences."""

from html import escape

from nstar._verbs.verdict import ABSURD
from nstar.report.page._markup import section
from nstar.report.prose.audit.ranking import rank_set
from nstar.report.prose.audit.tables import maxt_draws, pair_cells, pair_header
from nstar.report.prose.gap import coverage, score
from nstar.report.prose.numbers import count, items, name
from nstar.report.site._benchmark import BenchmarkSite, number, word
from nstar.report.site._flags import fewer_items
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._rows import PairRows

_NUM = ' class="num"'
_KEYS = {"won": "Better than", "open": "Not significantly different from", "lost": "Worse than"}


def _sentence(bench: BenchmarkSite, i: int) -> str:
    r, m = bench.audit.ranking, len(bench.audit)
    level = coverage(bench.audit.confidence_level)
    return (
        f"{bench.name(i, 80)} ranks {r.rank[i]:,} of {m:,} ({level} rank range {rank_set(r, i)}, "
        "simultaneous for all models)."
    )


def _bar(bench: BenchmarkSite, i: int) -> str:
    """The ranks that the data leave open, on an axis of ranks."""
    r, m = bench.audit.ranking, len(bench.audit)

    def at(rank: int) -> str:
        return f"{4 + 392 * (int(rank) - 1) / (m - 1):.1f}"

    return (
        '<svg class="place" viewBox="0 0 400 34" aria-hidden="true">'
        f'<path class="track" d="M2 10H398"/><path class="open" d="M{at(r.rank_low[i])} 10H'
        f'{float(at(r.rank_high[i])) + 0.1:.1f}"/><circle class="dot" cx="{at(r.rank[i])}" '
        'cy="10" r="4"/><text x="2" y="31">1</text>'
        f'<text x="398" y="31" text-anchor="end">{m:,}</text></svg>'
    )


def _tally(counts: tuple[int, int, int]) -> str:
    """Whom the model is told apart from, as shares of a line."""
    total, x, parts = sum(counts), 0.0, []
    for kind, n in zip(_KEYS, counts, strict=True):
        size = 100 * n / total
        parts.append(f'<rect class="{kind}" x="{x:.2f}" width="{size:.2f}" height="10"/>')
        x += size
    inside = "".join(parts)
    box = 'viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg class="tally" {box}>{inside}</svg>'


def _facts(bench: BenchmarkSite, i: int, counts: tuple[int, int, int]) -> str:
    r, tiers = bench.audit.ranking, bench.ranking.tiers
    facts = [
        ("", "Mean", f"{score(bench.audit, float(r.mean[i]))} on {items(int(r.n_items[i]))}"),
        ("", "Tier", f"{r.tier[i]:,} of {tiers:,}"),
    ]
    for (kind, words), n in zip(_KEYS.items(), counts, strict=True):
        facts.append((f' class="{kind}"', words, "1 model" if n == 1 else f"{n:,} models"))
    rows = "".join(f"<div><dt{k}>{words}</dt><dd>{escape(v)}</dd></div>" for k, words, v in facts)
    return f'<dl class="values">{rows}</dl>'


def _neighbor(bench: BenchmarkSite, k: int, other: int, side: str) -> str:
    """The pair of a model with the next one above or below; gaps are better minus next."""
    audit = bench.audit
    *numbers, verdict = pair_cells(audit.adjacent, k, audit, draws=maxt_draws(audit))
    n_more = float(audit.adjacent.more_items[k])
    open_ = verdict in ("significant, underpowered", "inconclusive")
    settles = count(n_more) if open_ and n_more <= ABSURD else "–"
    cells = "".join(map(number, (*numbers, settles)))
    return (
        f'<tr><td>{side}</td><th scope="row"><a href="{bench.ids[other]}.html">'
        f"{escape(bench.name(other))}</a></th>{cells}<td>{word(verdict)}</td>"
        f'<td><a href="../{bench.compare(k, k + 1)}">compare</a></td></tr>'
    )


def _neighbors(bench: BenchmarkSite, i: int) -> str:
    audit = bench.audit
    heads = (
        *pair_header("gap", audit, audit.confidence_level, adjusted=audit.adjust != "none")[:-1],
        "more items needed",
    )
    rows = []
    if i > 0:
        rows.append(_neighbor(bench, i - 1, i - 1, "above"))
    if i < bench.neighbors:
        rows.append(_neighbor(bench, i, i + 1, "below"))
    numbers = "".join(f'<th scope="col"{_NUM}>{escape(h)}</th>' for h in heads)
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Table of neighbors">\n'
        "<table>\n<caption><span>Gap: the higher-ranked model minus the next</span>"
        "</caption>\n"
        f'<thead><tr><th scope="col">side</th><th scope="col">model</th>{numbers}'
        '<th scope="col">verdict</th><th scope="col">pair</th></tr></thead>\n'
        f"<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table>\n</div>"
    )


def _beware(bench: BenchmarkSite, i: int) -> str:
    """What is to be known of the model before its rank is believed."""
    texts = [text if text.endswith(".") else f"{text}." for _, text in bench.findings.get(i, ())]
    fewer = fewer_items(bench.audit, i)
    if fewer:
        texts.append(f"Fewer items: {fewer}.")
    lines = "".join(f"<li>{escape(name(text, limit=400))}</li>" for text in dict.fromkeys(texts))
    return f'<ul class="beware">{lines}</ul>\n' if lines else ""


def _compare(bench: BenchmarkSite, i: int) -> str:
    return (
        f'<div class="finder" data-find="rival" data-first="{escape(bench.fragment(i))}" hidden>'
        '</div>\n<noscript><p class="remark">Comparing two models needs JavaScript.</p></noscript>'
    )


def model_page(bench: BenchmarkSite, rows: PairRows, i: int) -> bytes:
    """``m/ADDRESS.html`` of a model."""
    wins, losses = int(rows.beats[i]), int(rows.beaten[i])
    counts = (wins, len(bench.audit) - 1 - wins - losses, losses)
    steps = ((HOME.format("../../../"), "All benchmarks"), ("../index.html", bench.title))
    body = (
        f"{trail(*steps)}\n<header>\n"
        f'<p class="kicker">{escape(bench.facts)}</p>\n<h1>{escape(bench.name(i, 200))}</h1>\n'
        f'<p class="headline">{escape(_sentence(bench, i))}</p>\n'
        f"{_beware(bench, i)}</header>\n<main>\n"
        f'<div class="standing">\n<div>{_bar(bench, i)}{_tally(counts)}'
        '<p class="remark">Top: the rank range. Bottom: shares of models that it is better than, '
        "not significantly different from, and worse than.</p></div>\n"
        f"{_facts(bench, i, counts)}\n</div>\n"
        f"{section('neighbors', 'Neighbors', _neighbors(bench, i))}\n"
        f"{section('any', 'Any other model', _compare(bench, i))}\n"
        f'<p class="remark">{escape(bench.policy)} Not significantly different does not mean '
        "equal.</p>\n"
        "</main>"
    )
    title = f"{bench.name(i)} on {bench.title}"
    card = bench.card(title, _sentence(bench, i), f"m/{bench.ids[i]}.html")
    return frame(
        title=title, body=body, up="../../../", page="model", data=bench.json(), card=card
    )

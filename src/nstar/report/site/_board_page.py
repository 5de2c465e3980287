"""The page of a benchmark: what its ranking supports, the first models, and ways to the rest."""

from html import escape

from nstar.report.charts import figure
from nstar.report.page._markup import cited, listing, picture, section, table
from nstar.report.site._badge import badge_text, badge_width
from nstar.report.site._bench import Bench
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._ranking import CHUNK, ranking_table
from nstar.report.words.audit.tables import bins, stress

_MOST_DRAWN = 60
"""Models up to which the ladder is drawn."""


def _header(bench: Bench) -> str:
    return (
        '<a class="skip" href="#ranking">Skip to the ranking</a>\n'
        f"{trail((HOME.format('../../'), 'All benchmarks'))}\n<header>\n"
        '<p class="kicker">What this ranking can and cannot support</p>\n'
        f"<h1>{escape(bench.title)}</h1>\n"
        f'<p class="headline">{escape(bench.source.words.headline)}</p>\n'
        f'<p class="facts">{escape(bench.facts)} · verdicts by {escape(bench.level)}</p>\n'
        f'<p><img src="badge.svg" alt="{escape(badge_text(bench))}" height="20" '
        f'width="{badge_width(bench)}"></p>\n</header>'
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
    if len(bench.audit) <= CHUNK:
        return ""
    return (
        '<p class="row"><button type="button" id="more" hidden>Show more</button> '
        f'<span id="shown" class="remark" role="status">The first {CHUNK} of '
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
        section("ranking", "Ranking", _tools(bench), ranking_table(bench), _more(bench)),
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

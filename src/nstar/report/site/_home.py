"""First page of a site: every benchmark with its finding and its ladder."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nstar.report.prose.numbers import count, name
from nstar.report.site._card import SocialCard
from nstar.report.site._frame import frame

_SEARCHED = 6
"""Benchmarks from which on there is a box to search them."""
_NUMBERS = {
    "models": ("model", "models"),
    "items": ("item", "items"),
    "votes": ("vote", "votes"),
}
_HEADLINE = "The gap each benchmark can detect, and the ranks its data support."


def _text(entry: Mapping[str, Any], key: str, limit: int) -> str:
    """Words of an entry, which may be of another version, or changed by hand."""
    value = entry.get(key)
    return escape(name(value, limit=limit)) if isinstance(value, str) else ""


def _facts(entry: Mapping[str, Any]) -> str:
    parts = []
    for key, (one, plural) in _NUMBERS.items():
        value = entry.get(key)
        if isinstance(value, int) and 0 <= value < 1 << 53:
            parts.append(f"{count(value)} {one if value == 1 else plural}")
    gap = _text(entry, "gap", 40)
    if gap:
        parts.append(f"detects {gap} gaps")
    return " · ".join(parts)


def _picture(entry: Mapping[str, Any]) -> str:
    words = _text(entry, "picture", 200)
    if not words:
        return "<div></div>"
    address = f"b/{entry['slug']}/ladder-small.svg"
    return f'<img src="{address}" alt="{words}" width="360" height="198" loading="lazy">'


def _card(entry: Mapping[str, Any]) -> str:
    title = _text(entry, "title", 80) or entry["slug"]
    return (
        f'<li class="card">\n<h2><a href="b/{entry["slug"]}/index.html">{title}</a></h2>\n'
        f"<p>{_text(entry, 'finding', 400)}</p>\n{_picture(entry)}\n"
        f'<p class="facts">{_facts(entry)}</p>\n</li>'
    )


def _search(entries: Sequence[Mapping[str, Any]]) -> str:
    if len(entries) < _SEARCHED:
        return ""
    return (
        '<div class="tools" id="search" hidden>\n<div class="field"><label for="wanted">Search '
        f'{len(entries):,} benchmarks</label><input type="search" id="wanted" '
        'autocomplete="off" spellcheck="false"></div>\n'
        '<p id="seen" class="remark" role="status"></p>\n</div>\n'
    )


def front_page(title: str, entries: Sequence[Mapping[str, Any]], base: str | None = None) -> bytes:
    """``index.html`` of a site that will stand at some address."""
    cards = "\n".join(map(_card, entries))
    body = (
        f"<header>\n<h1>{escape(name(title, limit=200))}</h1>\n"
        f'<p class="headline">{_HEADLINE}</p>\n</header>\n<main>\n'
        f'{_search(entries)}<ul class="cards" id="cards">\n{cards}\n</ul>\n'
        '<p class="row"><button type="button" id="more" hidden>Show more</button></p>\n'
        '<p class="remark">The detectable gap is the true gap between typical adjacent models '
        "that is detected with the power named on the page of the benchmark. For programs: "
        '<a href="index.json">index.json</a>.</p>\n</main>'
    )
    card = SocialCard(title=title, about=_HEADLINE, place="index.html", base=base)
    return frame(title=title, body=body, up="", page="home", card=card)

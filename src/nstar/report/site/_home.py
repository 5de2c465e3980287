"""First page of a site: every benchmark with its finding and its ladder."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nstar.report.documents import Document
from nstar.report.page._markup import header, section
from nstar.report.prose.numbers import count, name
from nstar.report.site._card import SocialCard
from nstar.report.site._frame import frame

_SEARCHED = 2
"""Boards from which on there is a box to search them."""
_NUMBERS = {
    "models": ("model", "models"),
    "items": ("item", "items"),
    "votes": ("vote", "votes"),
}
_LEAD = (
    "Each bar in a small ladder is the rank range of one model. Amber bars span several possible "
    "ranks; blue bars are a single rank."
)
_TERMS = (
    ("Rank range", "The ranks that the data leave possible, simultaneously for all models."),
    ("Tier", "Every model in a tier beats every model in the tiers below."),
    (
        "Minimum detectable effect (MDE)",
        "The true gap between typical adjacent models that is detected with the power that the "
        "page of the board names.",
    ),
)


def _text(entry: Mapping[str, Any], key: str, limit: int) -> str:
    """Words of an entry, which may be of another version, or changed by hand."""
    value = entry.get(key)
    return escape(name(value, limit=limit)) if isinstance(value, str) else ""


def _number(entry: Mapping[str, Any], key: str) -> int | None:
    value = entry.get(key)
    is_count = isinstance(value, int) and 0 <= value < 1 << 53
    return value if is_count else None


def _facts(entry: Mapping[str, Any]) -> str:
    counts = ((_number(entry, key), words) for key, words in _NUMBERS.items())
    return " · ".join(f"{count(n)} {words[n != 1]}" for n, words in counts if n is not None)


def _share(entry: Mapping[str, Any]) -> str:
    """The share of inconclusive adjacent ranks, as a bar."""
    open_, total = (_number(entry, key) for key in ("inconclusive", "neighbors"))
    if open_ is None or not total:
        return ""
    return (
        '<svg class="share" viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="set-one" width="100" height="5"/>'
        f'<rect class="set-many" width="{100 * min(open_, total) / total:.2f}" height="5"/></svg>'
    )


def _picture(entry: Mapping[str, Any]) -> str:
    words = _text(entry, "picture", 200)
    if not words:
        return "<div></div>"
    address = f"b/{entry['slug']}/ladder-small.svg"
    return f'<img src="{address}" alt="{words}" width="240" height="240" loading="lazy">'


def _card(entry: Mapping[str, Any]) -> str:
    title = _text(entry, "title", 80) or entry["slug"]
    gap = _text(entry, "gap", 40)
    measure = f'<p class="facts">MDE <b>{gap}</b></p>' if gap else ""
    return (
        f'<li class="card">\n<div>\n<p class="facts">{_facts(entry)}</p>\n'
        f'<h2><a href="b/{entry["slug"]}/index.html">{title}</a></h2>\n'
        f'<p class="found">{_text(entry, "finding", 400)}</p>\n{_share(entry)}\n'
        f'<p class="remark">{_text(entry, "lead", 400)}</p>\n'
        f"{measure}\n</div>\n"
        f"{_picture(entry)}\n</li>"
    )


def _search(entries: Sequence[Mapping[str, Any]]) -> str:
    if len(entries) < _SEARCHED:
        return ""
    return (
        '<div class="filters" id="search" hidden>\n<div class="field broad"><label for="wanted">'
        f'Search {len(entries):,} boards</label><input type="search" id="wanted" '
        'autocomplete="off" spellcheck="false"></div>\n'
        '<p id="seen" class="remark" role="status"></p>\n</div>\n'
    )


def _finding(title: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """How many adjacent ranks of all boards are inconclusive; the title where that is unknown."""
    counts = [(_number(e, "inconclusive"), _number(e, "neighbors")) for e in entries]
    known = [(n, total) for n, total in counts if n is not None and total is not None]
    if len(known) < len(entries) or not known:
        return title
    n, total = (sum(column) for column in zip(*known, strict=True))
    boards = "this board" if len(entries) == 1 else "these boards"
    return (
        f"{n:,} of {total:,} adjacent ranks on {boards} {'is' if n == 1 else 'are'} inconclusive"
    )


def front_page(title: str, entries: Sequence[Mapping[str, Any]], base: str | None = None) -> bytes:
    """``index.html`` of a site that will stand at some address."""
    cards = "\n".join(map(_card, entries))
    finding = _finding(title, entries)
    doc = Document(headline=finding, title=finding, lead=_LEAD)
    boards = "1 board" if len(entries) == 1 else f"{len(entries):,} boards"
    terms = "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in _TERMS)
    body = (
        header(name(title, limit=200), doc, (boards,)),
        "<main>",
        f'{_search(entries)}<ul class="cards" id="cards">\n{cards}\n</ul>',
        '<p class="row"><button type="button" id="more" hidden>Show more</button></p>',
        section("terms", "How to read a board", f'<dl class="terms">{terms}</dl>'),
        '<p class="remark">For programs: <a href="index.json">index.json</a>.</p>',
        "</main>",
    )
    card = SocialCard(title=title, about=finding, place="index.html", base=base)
    return frame(title=title, body="\n".join(body), up="", page="home", card=card)

"""The first page of a site: its benchmarks, and how much each of them resolves."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nstar.report.site._bench import number
from nstar.report.site._frame import frame
from nstar.report.words.numbers import count, name

_HEADS = ("models", "items", "tiers", "neighbours resolved")


def _number(value: Any) -> str:
    return count(value) if isinstance(value, int) and 0 <= value < 1 << 53 else "–"


def _row(entry: Mapping[str, Any]) -> str:
    numbers = [_number(entry.get(k)) for k in ("models", "items", "tiers")]
    numbers.append(f"{_number(entry.get('resolved'))} of {_number(entry.get('neighbours'))}")
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
    heads = "".join(f'<th scope="col" class="num">{h}</th>' for h in _HEADS)
    rows = "\n".join(map(_row, entries))
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

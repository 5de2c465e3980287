"""HTML document of a page of the site, which loads only files of the site."""

from functools import cache
from hashlib import blake2b
from html import escape
from typing import Any

from nstar._base.version import __version__
from nstar.report.page import battles
from nstar.report.page._document import embedded, head, script, sheet
from nstar.report.page._markup import SYMBOLS
from nstar.report.prose.numbers import name
from nstar.report.site._card import SocialCard

HOME = "{}index.html"
"""The first page, seen from another."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'"
)
_SHARED = ("dom.js", "unpack.js", "board.js", "verdicts.js", "site_data.js", "site_search.js")
SCRIPTS = {
    "nstar.js": (
        *(*_SHARED, "models_table.js", "site_home.js", "site_board.js", "site.js"),
        "site_address.js",
    ),
    "nstar-votes.js": (*battles.SCRIPTS, "site_address.js"),
    "nstar-pair.js": (
        *(*_SHARED, "numbers.js", "detection.js", "judge.js", "pairs.js", "draw.js"),
        *("ranking_table.js", "pair_panel.js", "pair_items.js", "site_items.js"),
        *("site_compare.js", "site.js"),
    ),
}
"""Scripts of the site: one for the page of two models, which computes, one for pages of votes, one
for all others."""
_SCRIPT_OF = {"compare": "nstar-pair.js", "votes": "nstar-votes.js"}
STYLES = ("page.css", "site.css")
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\n'
    '<rect width="32" height="32" rx="6" fill="#00558a"/>\n'
    '<path d="M7 11h18M11 21h18" stroke="#9ccae6" stroke-width="5" stroke-linecap="round"/>\n'
    '<circle cx="13" cy="11" r="3.5" fill="#fff"/><circle cx="21" cy="21" r="3.5" fill="#fff"/>\n'
    "</svg>\n"
)
"""Two gaps with their intervals."""


@cache
def assets() -> dict[str, bytes]:
    """Files that all pages share."""
    return {
        "nstar.css": sheet(STYLES).encode(),
        **{file: script(names).encode() for file, names in SCRIPTS.items()},
        "nstar.svg": _ICON.encode(),
    }


@cache
def _version(file: str) -> str:
    """What makes a browser fetch a shared file again when it has changed."""
    return blake2b(assets()[file], digest_size=4).hexdigest()


def trail(*steps: tuple[str, str]) -> str:
    """Where a page stands: addresses and names, from the start of the site on."""
    links = "".join(
        f'<li><a href="{address}">{escape(name(text, limit=60))}</a></li>'
        for address, text in steps
    )
    return f'<nav class="trail" aria-label="Where you are"><ol>{links}</ol></nav>'


def _footer() -> str:
    return (
        f"<footer>\n<p>Made by nstar {escape(__version__)}. This site consists of static "
        "files and sends no data; all computation runs in your browser.</p>\n</footer>"
    )


def frame(
    *,
    title: str,
    body: str,
    up: str,
    page: str,
    data: dict[str, Any] | None = None,
    card: SocialCard | None = None,
    footer: bool = True,
) -> bytes:
    """A whole page.

    Parameters
    ----------
    title : str
        Name of the page, as it comes from a stranger.
    body : str
        Markup inside ``body``; its author has escaped it.
    up : str
        Way from the page to the start of the site: ``../../``.
    page : str
        Kind of page, for the script; a page without any kind has no script.
    data : dict, optional
        What the script finds in the element ``nstar-data``.
    card : SocialCard, optional
        What other programs show of its address.
    footer : bool, default True
        Whether the page says what made it.
    """
    lines = [
        *head(title, POLICY),
        *(card.tags() if card is not None else ()),
        f'<link rel="icon" href="{up}nstar.svg" type="image/svg+xml">',
        f'<link rel="stylesheet" href="{up}nstar.css?v={_version("nstar.css")}">',
    ]
    if page:
        file = _SCRIPT_OF.get(page, "nstar.js")
        lines.append(f'<script defer src="{up}{file}?v={_version(file)}"></script>')
    lines += ["</head>", f'<body data-page="{page}">', SYMBOLS, body]
    if footer:
        lines.append(_footer())
    if data is not None:
        lines.append(f'<script type="application/json" id="nstar-data">{embedded(data)}</script>')
    return "\n".join((*lines, "</body>", "</html>", "")).encode("utf-8", "replace")

"""Top of every page without a script: a title of one line, two sentences, three numbers.

The title is the first sentence of the report, without its parentheses; kinds whose first sentence
is longer have a shorter one in :data:`TITLES`. The lead is the rest of the headline.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from nstar.report.documents import Document, Tile, cleaned
from nstar.report.prose.page_top import claims, data, plans

__all__ = ["MAX_TITLE", "short_title", "with_top"]

MAX_TITLE = 70
"""Number of characters of a title that search engines and chat programs show in full."""
_ASIDE = re.compile(r" \([^()]*\)| from an? \S+% baseline|, tested after every item")
_SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z0-9±*])")

VERDICTS = ("Depends", "Supported", "Not supported")

TILES: dict[str, Callable[[Any], Iterator[Tile]]] = {
    **plans.TILES,
    **claims.TILES,
    **data.TILES,
}
"""Numbers of a kind of result, the most important first; a page shows three."""
TITLES: dict[str, Callable[[Any], str]] = {**plans.TITLES, **claims.TITLES, **data.TITLES}
"""Titles of kinds whose first sentence is longer than a title."""


def short_title(sentence: str) -> str:
    """Return a sentence without parentheses and period.

    Examples
    --------
    >>> short_title("Detecting a 1 pp gap from a 70% baseline takes 16,329 items (80% power).")
    'Detecting a 1 pp gap takes 16,329 items'
    """
    text = sentence
    while (shorter := _ASIDE.sub("", text)) != text:
        text = shorter
    return text.rstrip(".")


def with_top(kind: str, result: Any, doc: Document) -> Document:
    """Return the document with what only a page shows."""
    first = doc.opening or _SENTENCE_END.split(doc.headline)[0]
    rest = doc.headline.removeprefix(first).strip()
    title = doc.title or short_title(first)
    if len(title) > MAX_TITLE and kind in TITLES:
        title = TITLES[kind](result)
        verdict, _, reason = first.partition(": ")
        if verdict in VERDICTS:  # the title has another reason than the first sentence
            reason = (claims.disagreement(result) if kind == "Claim" else "") or reason
            rest = f"{reason} {rest}"
    tile_list = doc.tiles or tuple(islice(TILES[kind](result), 3) if kind in TILES else ())
    lead = doc.lead or " ".join(filter(None, (rest, doc.enough)))
    return cleaned(replace(doc, title=title, lead=lead, tiles=tile_list))

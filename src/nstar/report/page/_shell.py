"""The document around a page: a policy that lets nothing in but what is written here.

A page is one file. Its only script and its only style sheet are allowed by the hash of their
text, so that markup that slips into the page can neither run, nor load, nor send anything.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from nstar._version import __version__
from nstar.report._format import name
from nstar.report.charts import STYLE

__all__ = ["asset", "embedded", "policy", "script", "sheet", "shell"]

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Signs of markup, as JSON may write them; all else beyond ASCII is escaped by ``json``."""


@cache
def asset(name: str) -> str:
    """Text of a file of ``assets``."""
    return (files("nstar.report.page") / "assets" / name).read_text(encoding="utf-8")


def script(names: Sequence[str]) -> str:
    """Scripts in one scope of their own, in this order."""
    body = "\n".join(asset(n) for n in names)
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def sheet(names: Sequence[str]) -> str:
    """Style sheets in this order, after that of the figures."""
    return STYLE + "\n".join(asset(n) for n in names)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(*, scripts: str, styles: str, fetches: bool = False) -> str:
    """Content-Security-Policy of a page; ``fetches`` lets it read files of its own site."""
    rules = ["default-src 'none'"]
    if scripts:
        rules.append(f"script-src {_hash(scripts)}")
    rules += [f"style-src {_hash(styles)}", "base-uri 'none'", "form-action 'none'"]
    if fetches:
        rules.append("connect-src 'self'")
    return "; ".join(rules)


def embedded(data: dict[str, Any]) -> str:
    """JSON that ends no script element, whatever its strings hold."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for sign, code in _UNSAFE.items():
        text = text.replace(sign, code)
    return text


def shell(
    *,
    title: str,
    body: str,
    data: dict[str, Any] | None = None,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = ("page.css",),
    fetches: bool = False,
) -> str:
    """A whole page.

    Parameters
    ----------
    title
        Name of the page, as it comes from a stranger.
    body
        Markup inside ``body``; its author has escaped it.
    data
        What the script finds in the element ``nstar-data``.
    scripts, styles
        Names of assets, in order.
    fetches
        Whether the script may read files of the site that the page is served from.
    """
    code, looks = script(scripts) if scripts else "", sheet(styles)
    rules = policy(scripts=code, styles=looks, fetches=fetches)
    head = (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f'<meta name="generator" content="nstar {escape(__version__)}">',
        f"<title>{escape(name(title, limit=200))}</title>",
        f"<style>{looks}</style>",
    )
    tail = []
    if data is not None:
        tail.append(f'<script type="application/json" id="nstar-data">{embedded(data)}</script>')
    if code:
        tail.append(f"<script>{code}</script>")
    lines = ("<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", body)
    return "\n".join((*lines, *tail, "</body>", "</html>", ""))

"""HTML document of a page, with a policy that allows only its own content.

A page is one file. Its only script and its only style sheet are allowed by the hash of their text,
so that injected markup can neither run, nor load, nor send anything.
"""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from nstar._base.version import __version__
from nstar.report.charts import STYLE
from nstar.report.page._markup import SYMBOLS
from nstar.report.prose.numbers import name

_COMMENT = re.compile(r"^\s*(?:/\*\*.*\*/|//.*)?\s*?\n|^[ ]+", re.MULTILINE)
"""Lines of a script that are empty or a comment, and spaces at the beginning of others."""

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Signs of markup, as JSON may write them; all else beyond ASCII is escaped by ``json``."""


@cache
def asset(name: str) -> str:
    """Text of a file of ``assets``."""
    return (files("nstar.report.page") / "assets" / name).read_text(encoding="utf-8")


@cache
def _bare(name: str) -> str:
    """Return an asset without its comments and indents, which a page need not carry."""
    return _COMMENT.sub("", asset(name))


def script(names: Sequence[str], texts: Sequence[str] = ()) -> str:
    """Return one script: the assets of these names, then these texts, in a scope of their own."""
    body = "".join((*map(_bare, names), *(_COMMENT.sub("", text) for text in texts)))
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def sheet(names: Sequence[str]) -> str:
    """Style sheets in this order, after that of the figures."""
    return STYLE + "\n".join(asset(n) for n in names)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def content_policy(*, scripts: str, styles: str) -> str:
    rules = ["default-src 'none'"]
    if scripts:
        rules.append(f"script-src {_hash(scripts)}")
    rules += [f"style-src {_hash(styles)}", "base-uri 'none'", "form-action 'none'"]
    return "; ".join(rules)


def head(title: str, rules: str) -> tuple[str, ...]:
    """First lines of a page: its policy before all that could load, and its title."""
    return (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f'<meta name="generator" content="nstar {escape(__version__)}">',
        f"<title>{escape(name(title, limit=200))}</title>",
    )


def embedded(data: dict[str, Any]) -> str:
    """Return JSON that cannot end a script element, whatever its strings contain."""
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
) -> str:
    """Return a complete page.

    Parameters
    ----------
    title : str
        Name of the page, as it comes from a stranger.
    body : str
        Markup inside ``body``; its author has escaped it.
    data : dict, optional
        What the script finds in the element ``nstar-data``.
    scripts : sequence of str
        Names of assets, in order.
    """
    code, looks = script(scripts) if scripts else "", sheet(("page.css",))
    lines = [
        *head(title, content_policy(scripts=code, styles=looks)),
        f"<style>{looks}</style>",
        *("</head>", "<body>", SYMBOLS, body),
    ]
    if data is not None:
        lines.append(f'<script type="application/json" id="nstar-data">{embedded(data)}</script>')
    if code:
        lines.append(f"<script>{code}</script>")
    return "\n".join((*lines, "</body>", "</html>", ""))

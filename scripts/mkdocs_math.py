r"""A hook of MkDocs: formulas become MathML when the site is built, so no script draws them.

Write ``$\hat\psi = (b + c)/N$`` in a line and, on lines of its own, ::

    $$
    N^* = \left(\frac{K\sigma}{\delta}\right)^2
    $$

as GitHub does. A command that the converter does not know is a warning, and so an error.
"""

import html
import logging
import re

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>', re.S
)

log = logging.getLogger("mkdocs.hooks.math")


def mathml(tex: str, *, block: bool) -> str:
    """One formula; ValueError if a part of it is not understood."""
    tex = " ".join(tex.split())
    markup = convert(tex, display="block" if block else "inline")
    if unknown := re.findall(r"\\[A-Za-z]+", re.sub(r"<[^>]*>", "", markup)):
        msg = f"no such command: {', '.join(unknown)}"
        raise ValueError(msg)
    alt = html.escape(tex, quote=True)
    return markup.replace("<math ", f'<math alttext="{alt}" ', 1)


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Turn the formulas of a page."""

    def formula(match: re.Match[str]) -> str:
        tex = html.unescape(match["tex"])
        try:
            markup = mathml(tex, block=match["tag"] == "div")
        except Exception as error:
            log.warning("%s: %s in $%s$", page.file.src_uri, error, tex)
            return match[0]
        return f'<div class="formula">{markup}</div>' if match["tag"] == "div" else markup

    return FORMULA.sub(formula, content)

"""A hook of MkDocs: SVG figures become part of the page, so that they follow its palette.

A picture from a file asks the system whether it is dark; the reader of a site may choose
otherwise. Inside the page, the figure's rules for dark systems become rules for the dark palette.
A figure with a narrow version, ``NAME-narrow.svg``, shows that one on telephones.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

IMAGE = re.compile(r'(<p>\s*)?<img [^>]*?src="(?P<src>[^":]+\.svg)"[^>]*>(?(1)\s*</p>)')
DARK = re.compile(r"@media ?\(prefers-color-scheme: ?dark\) ?\{((?:[^{}]*\{[^{}]*\})*)\s*\}")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def repainted(svg: str) -> str:
    """The figure with its dark colors bound to the palette of the site."""

    def dark(match: re.Match[str]) -> str:
        rules = []
        for selectors, body in RULE.findall(match[1]):
            bound = ",".join(
                f"[data-md-color-scheme=slate] {s.strip()}" for s in selectors.split(",")
            )
            rules.append(f"{bound}{{{body}}}")
        return f"@media screen{{{''.join(rules)}}}"

    return DARK.sub(dark, svg)


def figure_html(path: Path) -> str:
    """A figure as part of a page."""
    return re.sub(r"^<\?xml[^>]*\?>\s*", "", repainted(path.read_text(encoding="utf-8"))).strip()


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put the figures of a page into it."""

    def figure(match: re.Match[str]) -> str:
        path = Path(config.docs_dir) / posixpath.normpath(posixpath.join(page.url, match["src"]))
        if not path.is_file():
            return match[0]
        narrow = path.with_name(f"{path.stem}-narrow.svg")
        inside = figure_html(path)
        if narrow.is_file():
            inside = (
                f'<div class="wide">{inside}</div><div class="narrow">{figure_html(narrow)}</div>'
            )
        return f'<figure class="drawn" data-search-exclude>{inside}</figure>'

    return IMAGE.sub(figure, content)

"""A hook of MkDocs: what the theme lacks.

The copy button of a console block copies its commands, not what they print; the search dialog
has a name for those who cannot see it.
"""

import html
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

BLOCK = re.compile(r'<div class="language-console highlight">(?=<pre>.*?<code>(.*?)</code>)', re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.M)


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Tell the theme what each console block is to copy."""

    def block(match: re.Match[str]) -> str:
        text = html.unescape(re.sub(r"<[^>]*>", "", match[1]))
        typed = html.escape("\n".join(COMMAND.findall(text)), quote=True)
        return f'<div class="language-console highlight" data-copy="{typed}">'

    return BLOCK.sub(block, content)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Name the search dialog."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"')

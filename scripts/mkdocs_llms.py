"""A hook of MkDocs: the site for programs that read.

``llms.txt`` and ``SKILL.md`` stand in the root of the site, every page also as the Markdown it is
made of (``compare.md`` beside ``compare/``), and all of them in one file, ``llms-full.txt``.
"""

import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

_pages: dict[str, str] = {}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Remember a page, with the links of the site."""
    _pages[page.file.src_uri] = markdown
    return markdown


def on_post_build(config: MkDocsConfig) -> None:
    """Write what programs read."""
    site = Path(config.site_dir)
    for name in ("llms.txt", "SKILL.md"):
        shutil.copyfile(ROOT / name, site / name)
    for schema in (ROOT / "src" / "nstar" / "report" / "schemas").glob("*.json"):
        (site / "schemas").mkdir(exist_ok=True)
        shutil.copyfile(schema, site / "schemas" / schema.name)
    for uri, text in _pages.items():
        path = site / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    pages = (f"<!-- {config.site_url}{uri} -->\n\n{text.strip()}" for uri, text in _pages.items())
    (site / "llms-full.txt").write_text("\n\n".join(pages) + "\n", encoding="utf-8")

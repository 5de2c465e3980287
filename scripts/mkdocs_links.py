"""A hook of MkDocs: one link for GitHub and for the site, and root pages as pages of the site.

Pages link to files as they lie in the repository. On the site a link to a file that is not a page
becomes an address in the repository; a file that does not exist is a warning, and so an error.
"""

import logging
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

PROJECT = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
"""Pages in the root of the repository, and where they stand on the site."""

KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}

CODE = re.compile(r"(^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$|`[^`\n]+`)", re.M | re.S)
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)\s#]+)")
MERMAID = re.compile(r"^```mermaid\n.*?^```\n", re.M | re.S)

log = logging.getLogger("mkdocs.hooks.links")


def unreleased() -> str:
    """What the fragments of the changelog say, under one heading."""
    parts = ["## Not yet released"]
    for kind, title in KINDS.items():
        fragments = sorted((ROOT / "changelog.d").glob(f"*.{kind}.md"))
        if fragments:
            texts = (" ".join(p.read_text(encoding="utf-8").split()) for p in fragments)
            parts.append(f"### {title}\n\n" + "\n".join(f"- {text}" for text in texts))
    return "\n\n".join(parts) + "\n" if len(parts) > 1 else ""


def root_page(name: str) -> str:
    """A page of the root; without its diagram, whose script would come from another host."""
    text = MERMAID.sub("", (ROOT / name).read_text(encoding="utf-8"))
    if name == "CHANGELOG.md":
        head, mark, rest = text.partition("<!-- towncrier release notes start -->")
        text = f"{head}{unreleased()}\n{mark}{rest}"
    return text


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root."""
    for name, uri in PROJECT.items():
        if (ROOT / name).exists():
            file = File.generated(config, uri, content=root_page(name))
            file.edit_uri = f"../{name}"
            files.append(file)
    return files


def _home(uri: str) -> str:
    """Where a page of the site lies in the repository."""
    return next((name for name, page in PROJECT.items() if page == uri), f"docs/{uri}")


def _target(path: str, uri: str, repo: str) -> str:
    """A link to a path of the repository, as the page at this place of the site needs it."""
    place = PROJECT.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
    if place:
        return posixpath.relpath(place, posixpath.dirname(uri) or ".")
    kind = "tree" if (ROOT / path).is_dir() else "blob"
    return f"{repo.rstrip('/')}/{kind}/main/{path}"


def rewritten(markdown: str, uri: str, repo: str) -> str:
    """The page with its links turned to the site; code stays as it is."""
    home = _home(uri)

    def link(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(home), match[2]))
        if not (ROOT / path).exists():
            log.warning("%s links to %s, which does not exist", home, match[2])
            return match[0]
        return match[1] + _target(path, uri, repo)

    pieces, last = [], 0
    for code in CODE.finditer(markdown):
        pieces += [LINK.sub(link, markdown[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*pieces, LINK.sub(link, markdown[last:])])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Turn the links of a page."""
    return rewritten(markdown, page.file.src_uri, config.repo_url or "")

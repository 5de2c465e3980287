"""Check a built site: every link and anchor inside it, and that it asks no other host.

python scripts/check_site.py SITE_DIR

Links to other sites are checked for their form alone; nothing is fetched.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = "https://nstar-eval.github.io/nstar/"
LOADED = {"img", "script", "iframe", "source", "audio", "video", "embed", "object", "use", "image"}
"""Elements that fetch what they name."""
QUIET_RELS = {"canonical", "prev", "next", "alternate", "edit"}
"""Links in the head of a page that fetch nothing."""
OUTSIDE = re.compile(r"https://[a-z0-9.-]+\.[a-z]{2,}(/[^\s\"<>]*)?(#[^\s]*)?")
FETCHED = re.compile(r"""url\(\s*["']?(?!data:|#)([^"')]+)|@import\s+["']([^"']+)""")


@dataclass
class Page(HTMLParser):
    """What one page names: anchors, links, and what it loads."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the file."""
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def __hash__(self) -> int:
        """By identity of the file."""
        return hash(self.path)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort what an element names."""
        attributes = {key: value or "" for key, value in attrs}
        self.ids |= {attributes[key] for key in ("id", "name") if key in attributes}
        if tag in ("a", "area") and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "link" and not QUIET_RELS & set(attributes.get("rel", "").split()):
            self.loads.append(attributes.get("href", ""))
        elif tag in LOADED:
            urls = [
                attributes[k] for k in ("src", "href", "xlink:href", "data") if k in attributes
            ]
            self.loads += [url for url in urls if not url.startswith(("data:", "#"))]


def _inside(url: str, page: Path, site: Path) -> Path:
    """The file that an address within the site stands for."""
    path = unquote(urlsplit(url).path)
    root = urlsplit(SITE).path
    if path.startswith("/"):
        target = site / path.removeprefix(root)
    else:
        target = (page.parent / path).resolve() if path else page
    return target / "index.html" if target.is_dir() else target


def _of_site(url: str) -> str:
    """The address, relative to the host if it leads to this very site."""
    return urlsplit(url).path + ("#" + f if (f := urlsplit(url).fragment) else "")


def wrong_links(page: Page, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    """What is wrong with the links of a page."""
    for url in page.links:
        parts = urlsplit(url)
        if parts.scheme and not url.startswith(SITE):
            if parts.scheme != "mailto" and not OUTSIDE.fullmatch(url):
                yield f"is not a proper address: {url}"
            continue
        target = _inside(_of_site(url), page.path, site)
        anchor = unquote(parts.fragment)
        if not target.is_file():
            yield f"leads nowhere: {url}"
        elif anchor and target in pages and anchor not in pages[target].ids:
            yield f"has no such anchor: {url}"


def wrong_loads(page: Page, site: Path) -> Iterator[str]:
    """What a page loads that is not there, or not here."""
    for url in page.loads:
        if urlsplit(url).netloc:
            yield f"asks another host: {url}"
        elif not _inside(url, page.path, site).is_file():
            yield f"loads what is not there: {url}"


def wrong_styles(site: Path) -> Iterator[str]:
    """What style sheets fetch."""
    for sheet in sorted(site.rglob("*.css")):
        for match in FETCHED.finditer(sheet.read_text(encoding="utf-8")):
            url = match[1] or match[2]
            if urlsplit(url).netloc or not (sheet.parent / urlsplit(url).path).exists():
                yield f"{sheet.relative_to(site)} fetches {url}"


def wrong_texts(site: Path) -> Iterator[str]:
    """Addresses of this site in what programs read."""
    for name in ("llms.txt", "SKILL.md"):
        text = (site / name).read_text(encoding="utf-8")
        for url in re.findall(re.escape(SITE) + r"[^\s)\]>]*", text):
            if not _inside(_of_site(url), site / name, site).is_file():
                yield f"{name} leads nowhere: {url}"


def main() -> int:
    """Say what is wrong, and how much was looked at."""
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = [*wrong_styles(site), *wrong_texts(site)]
    for path, page in pages.items():
        name = path.relative_to(site)
        problems = {*wrong_links(page, pages, site), *wrong_loads(page, site)}
        wrong += [f"{name} {text}" for text in sorted(problems)]
    links = sum(len(page.links) for page in pages.values())
    outside = {u for p in pages.values() for u in p.links if urlsplit(u).netloc}
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(pages)} pages, {links} links, {len(outside)} to other sites: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

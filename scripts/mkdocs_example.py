"""A hook of MkDocs: ``example/board.html``, a live report, computed whenever the site is built."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from nstar._verbs.demo import story
from nstar.report.page import page as report_page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of the leaderboard of ``nstar demo``, as ``nstar audit --html`` writes it."""
    content = report_page(story().whole).encode("utf-8")
    files.append(File.generated(config, "example/board.html", content=content))
    return files

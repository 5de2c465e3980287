"""A hook of MkDocs: the example of the first page, computed whenever the site is built.

``example/board.html`` is the page of an audit, as ``nstar audit --html`` writes it, and
``example/board.svg`` its ladder for readers without scripts. On the first page a comment,
``<!-- claim -->``, becomes a claim of two models and what their items show.
"""

from functools import cache
from html import escape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import nstar
from nstar._verbs.demo import DemoStory, board, story
from nstar.report import document
from nstar.report.charts import figure
from nstar.report.page import page as report_page

FOLDER = "example"
MARK = "<!-- claim -->"
NAMES = ("Model A", "Model B")

WIDTH, HEIGHT, EDGE = 360, 92, 12
"""Of the picture of the gap, in pixels."""


@cache
def demo_story() -> DemoStory:
    """The results of ``nstar demo``."""
    return story()


@cache
def claimed() -> nstar.Comparison:
    """First and second place of the demo's board, by names that any headline could use."""
    matrix = board()
    rows = (matrix.row(matrix.index(name)) for name in demo_story().tie.models)
    return nstar.compare(dict(zip(NAMES, rows, strict=True)))


def _points(gap: float) -> str:
    return f"{100 * gap:+.1f}".replace("-", "−")


def _x(gap: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return round(EDGE + (gap - low) / (high - low) * (WIDTH - 2 * EDGE), 1)


def gap_picture() -> str:
    """The gap with its interval, and where no difference would be."""
    task = claimed().tasks[0]
    low, high = map(float, task.ci)
    margin = 0.2 * (high - low)
    ends = (min(low, 0.0) - margin, max(high, 0.0) + margin)
    zero, left, right, gap = (_x(v, ends) for v in (0.0, low, high, task.gap))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="The gap is '
        f"{_points(task.gap)} points; the data allow {_points(low)} to {_points(high)}. "
        'Zero, no difference, lies between.">'
        f'<path class="zero" d="M{zero} 20V72"/><text class="zero" x="{zero}" y="13">'
        "no difference</text>"
        f'<path class="span" d="M{left} 46H{right}"/><circle cx="{gap}" cy="46" r="7"/>'
        f'<text x="{left}" y="86">{_points(low)}</text>'
        f'<text class="gap" x="{gap}" y="86">{_points(task.gap)} points</text>'
        f'<text x="{right}" y="86">{_points(high)}</text></svg>'
    )


def claim() -> str:
    """A headline, and what nstar says of it."""
    result = claimed()
    task = result.tasks[0]
    means = (task.mean_a, task.mean_b)
    lead = 100 * task.gap
    scores = "".join(
        f"<dt>{escape(name)}</dt><dd>{100 * mean:.1f}%</dd>"
        for name, mean in zip(result.models, means, strict=True)
    )
    headline = escape(document(result).headline)
    return (
        '<div class="claim"><section><h2>What the headline says</h2>'
        f'<dl>{scores}</dl><p class="cry">“{escape(NAMES[0])} takes the lead, {lead:.1f} points '
        "ahead.”</p></section>"
        '<section class="said"><h2>What the items show</h2>'
        f"{gap_picture()}<p>{headline}</p></section></div>"
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of the example and its picture."""
    board = demo_story().whole
    picture = figure(board).render(".svg")
    contents = {"board.html": report_page(board).encode("utf-8"), "board.svg": picture}
    for name, content in contents.items():
        files.append(File.generated(config, f"{FOLDER}/{name}", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put the claim where the first page asks for it."""
    return markdown.replace(MARK, claim()) if page.is_homepage else markdown

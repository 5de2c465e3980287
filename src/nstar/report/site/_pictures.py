"""Pictures of a board: a badge for a README, a thumbnail for a list, a preview of a link."""

from nstar.errors import NstarError
from nstar.report.charts._text import escape, width
from nstar.report.charts.social_card import share_image
from nstar.report.page._ladder import staircase
from nstar.report.site._board import SiteBoard

_STYLE = (
    ".wash{fill:#f5f7f9}.set-one{fill:#0a5fa5}.set-many{fill:#c47a00}"
    "@media(prefers-color-scheme:dark){.wash{fill:#1a1f24}.set-one{fill:#6cb6ee}"
    ".set-many{fill:#e0a030}}"
)


def thumbnail_words(board: SiteBoard) -> str:
    """What the picture shows, for those who do not see it."""
    return f"Rank ranges of all {len(board.ranks):,} models, the best at the top"


def thumbnail(board: SiteBoard) -> bytes:
    """A standalone square SVG, light and dark."""
    ranks = board.ranks
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000" width="240" '
        f'height="240" role="img">\n<title>{escape(thumbnail_words(board))}</title>\n'
        f"<style>{_STYLE}</style>\n"
        '<rect class="wash" width="1000" height="1000" rx="24"/>\n'
        f"{staircase(ranks.rank_low, ranks.rank_high)}\n</svg>\n"
    ).encode()


_HEIGHT, _PAD, _TYPE = 20, 6, 11
_LABEL = "nstar"


def badge_text(board: SiteBoard) -> str:
    """What the badge says."""
    size = board.detectable_gap
    return f"detects {size} gaps" if size else "detectable gap: unknown"


def _widths(board: SiteBoard) -> tuple[int, int]:
    left, right = (round(width(t, _TYPE)) + 2 * _PAD for t in (_LABEL, badge_text(board)))
    return left, right


def badge_width(board: SiteBoard) -> int:
    """Pixels across."""
    return sum(_widths(board))


def _words(text: str, start: int, size: int) -> str:
    center = f"{start + size / 2:g}"
    return f'<text x="{center}" y="14" textLength="{size - 2 * _PAD}">{escape(text)}</text>'


def badge(board: SiteBoard) -> bytes:
    """A standalone SVG."""
    left, right = _widths(board)
    total_width = left + right
    label = f"{_LABEL}: {escape(badge_text(board))}"
    words = _words(_LABEL, 0, left) + _words(badge_text(board), left, right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{_HEIGHT}" '
        f'role="img" aria-label="{label}">\n<title>{label}</title>\n'
        f'<clipPath id="r"><rect width="{total_width}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#3b4045"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#00558a"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="{_TYPE}">{words}</g>\n</svg>\n'
    ).encode()


class ShareImages:
    """Draws pictures, until it turns out that nothing here can."""

    def __init__(self) -> None:
        self.why_not: str | None = None
        """Why there are none."""

    def of(self, board: SiteBoard) -> bytes | None:
        """A PNG of 1200 × 630; None without a program that makes one."""
        if self.why_not is not None:
            return None
        try:
            return share_image(board.result).render(".png")
        except NstarError as error:
            self.why_not = str(error)
            return None

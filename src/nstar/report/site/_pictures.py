"""Pictures of a board: the words of its badge, a thumbnail for a list, a preview of a link."""

from nstar.errors import NstarError
from nstar.report.charts._text import escape
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


def badge_text(board: SiteBoard) -> str:
    """What the badge says."""
    size = board.detectable_gap
    return f"detects {size} gaps" if size else "detectable gap: unknown"


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

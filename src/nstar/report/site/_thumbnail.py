"""Small ladder for a list of boards: rank ranges of all models, thin where they are narrow."""

from nstar.report.charts._text import escape
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

"""Preview images of the site, if a renderer is available."""

from nstar.errors import NstarError
from nstar.report.charts.social_card import share_image
from nstar.report.site._board import SiteBoard


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

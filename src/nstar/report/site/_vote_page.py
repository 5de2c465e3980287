"""Page of ratings from votes."""

from nstar.report.charts import Figure
from nstar.report.page.battles import sections
from nstar.report.site._frame import frame
from nstar.report.site._ladder import ladder_picture
from nstar.report.site._pages import board_header, small_print
from nstar.report.site._vote_board import VoteBoard

_FILES = (
    '<ul class="prose">\n<li><a href="battles.json">battles.json</a>: ratings, rank ranges, '
    "adjacent models, groups of votes, and everything else shown here</li>\n</ul>"
)


def vote_page(board: VoteBoard, figure: Figure) -> bytes:
    """``index.html`` of ratings: the answer, the ladder, the ratings, then the rest."""
    body = [
        board_header(board, "ratings"),
        "<main>",
        ladder_picture(figure),
        *sections(board.result, board.words, figure).values(),
        *small_print(board, files=_FILES),
        "</main>",
    ]
    return frame(
        title=f"{board.title}: what the votes support",
        body="\n".join(body),
        up="../../",
        page="votes",
        card=board.card(f"{board.title}: {board.finding}", board.words.headline),
    )

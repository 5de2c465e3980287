"""Page of ratings from votes."""

from dataclasses import replace

from nstar.report.page._markup import closing
from nstar.report.page.battles import sections, top
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._pages import share_folds
from nstar.report.site._vote_board import VoteBoard

_FILES = (
    '<ul class="prose">\n<li><a href="battles.json">battles.json</a>: ratings, rank ranges, '
    "adjacent models, groups of votes, and everything else shown here</li>\n</ul>"
)


def vote_page(board: VoteBoard) -> bytes:
    """``index.html`` of ratings: the page of the ratings, and how to share them."""
    body = [
        '<a class="skip" href="#ranking">Skip to the ranking</a>',
        trail((HOME.format("../../"), "All boards")),
        top(board.result, board.words, board.title),
        "<main>",
        *filter(None, sections(board.result, board.words)),
        *closing(replace(board.words, notes=board.notes), *share_folds(board, _FILES)),
        "</main>",
    ]
    return frame(
        title=f"{board.words.title} · {board.title}",
        body="\n".join(body),
        up="../../",
        page="votes",
        card=board.card(f"{board.title}: {board.finding}", board.words.headline),
    )

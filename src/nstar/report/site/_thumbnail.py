"""A ladder small enough for a list of benchmarks: the first models and the ranks open to them."""

from nstar.report.charts._canvas import num
from nstar.report.charts._text import escape, shorten_all, width
from nstar.report.site._board import SiteBoard

_MAX_MODELS_DRAWN = 8
"""Models drawn."""
_WIDTH, _STEP, _TOP = 360.0, 22.0, 22.0
_NAME, _MEAN, _AXIS, _SET = 150.0, 204.0, (224.0, 312.0), 358.0
_TYPE = 12
_STYLE = (
    "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "font-variant-numeric:tabular-nums;fill:#1a1a1a}.s{fill:#555}.e{text-anchor:end}"
    ".m{text-anchor:middle}.tier{fill:#f2f5f8}.set{stroke:#eeb03a;stroke-width:9;"
    "stroke-linecap:round}@media(prefers-color-scheme:dark){text{fill:#f0f0f0}"
    ".s{fill:#b4b4b4}.tier{fill:#1d2329}.set{stroke:#c98a1b}}"
)


def _words(x: float, y: float, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{num(x)}" y="{num(y + 4)}"{kind}>{escape(text)}</text>'


def _bands(board: SiteBoard, n_drawn: int) -> str:
    """Every other tier on a ground of its own."""
    tiers = board.ranks.tier[:n_drawn].tolist()
    return "".join(
        f'<rect class="tier" y="{num(_TOP + k * _STEP)}" width="{num(_WIDTH)}" '
        f'height="{num(_STEP)}"/>'
        for k, tier in enumerate(tiers)
        if tier % 2 == 0
    )


def _rows(board: SiteBoard, n_drawn: int) -> str:
    ranks, (left, right) = board.ranks, _AXIS
    label = max(width(board.rank_set(k), _TYPE) for k in range(n_drawn))
    right = min(right, _SET - 4 - label - 12)  # a bar has a round end of 4.5, and then some air
    last = max(int(ranks.rank_high[:n_drawn].max()), 2)

    def at(rank: int) -> float:
        return left + (right - left) * (int(rank) - 1) / (last - 1)

    parts: list[str] = []
    for k, short in enumerate(shorten_all(ranks.model[:n_drawn], _NAME - 8, _TYPE)):
        y = _TOP + (k + 0.5) * _STEP
        low, high = at(ranks.rank_low[k]), at(ranks.rank_high[k])
        parts += (
            _words(4, y, short),
            _words(_MEAN, y, board.score(k), "s e"),
            f'<path class="set" d="M{num(low)} {num(y)}H{num(high + 0.1)}"/>',
            _words(_SET - 4, y, board.rank_set(k), "s e"),
        )
    return "\n".join(parts)


def thumbnail_words(board: SiteBoard) -> str:
    """What the picture shows, for those who do not see it."""
    n_drawn, n_models = min(_MAX_MODELS_DRAWN, len(board.ranks)), len(board.ranks)
    whose = f"all {n_models:,}" if n_drawn == n_models else f"the first {n_drawn} of {n_models:,}"
    return f"{board.scored} of {whose} models, and their rank ranges"


def thumbnail(board: SiteBoard) -> bytes:
    """A standalone SVG, light and dark."""
    n_drawn = min(_MAX_MODELS_DRAWN, len(board.ranks))
    height = num(_TOP + n_drawn * _STEP)
    heads = (
        _words(4, _TOP / 2, "model", "s")
        + _words(_MEAN, _TOP / 2, board.score_head, "s e")
        + _words(sum(_AXIS) / 2, _TOP / 2, "rank range", "s m")
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(_WIDTH)} {height}" '
        f'width="{num(_WIDTH)}" height="{height}" role="img">\n'
        f"<title>{escape(thumbnail_words(board))}</title>\n<style>{_STYLE}</style>\n"
        f"{heads}\n{_bands(board, n_drawn)}\n{_rows(board, n_drawn)}\n</svg>\n"
    ).encode("utf-8", "replace")

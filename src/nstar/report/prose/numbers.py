"""Format numbers. Only this module converts proportions to percentage points."""

import math
import re
from collections.abc import Sequence

from nstar._base.visible import with_visible


def count(n: float | None) -> str:
    """Return an integer with thousands separators, rounded up; infinity is "∞".

    Examples
    --------
    >>> count(19592.1), count(float("inf"))
    ('19,593', '∞')
    """
    if n is None:
        return "–"
    return "∞" if math.isinf(n) else f"{math.ceil(n - 1e-9):,}"


def items(n: float | None) -> str:
    """Return a number of items as text, singular or plural."""
    return "1 item" if n == 1 else f"{count(n)} items"


def votes(n: float) -> str:
    """Return a number of votes as text, singular or plural."""
    return "1 vote" if n == 1 else f"{count(n)} votes"


def money(amount: float, *, cents: bool = False) -> str:
    """Return an amount in the user's unit; ``cents`` keeps decimals aligned in a table.

    Examples
    --------
    >>> money(5000), money(12.5), money(0.00375)
    ('5,000', '12.50', '0.00375')
    """
    if cents:
        return f"{amount:,.2f}"
    if amount and abs(amount) < 0.1:
        return f"{amount:.3g}"
    if abs(amount) >= 1000 or abs(amount - round(amount)) < 0.005:
        return f"{amount:,.0f}"
    return f"{amount:,.2f}"


def name(text: str, *, limit: int = 80) -> str:
    r"""Return a name from a log, without control characters, cut in the middle if it is long.

    Examples
    --------
    >>> name("a\x1b[31mb"), name("x" * 30, limit=9)
    ('a?[31mb', 'xxxx…xxxx')
    """
    clean = with_visible(text, lambda _: "?")
    if len(clean) <= limit:
        return clean
    half = (limit - 1) // 2
    return f"{clean[: limit - 1 - half]}…{clean[-half:]}"


def set_by_file(path: str | None) -> str:
    """Return a sentence that names the settings file, for the end of a headline.

    Examples
    --------
    >>> set_by_file("../nstar.toml"), set_by_file(None)
    (' Options were read from ../nstar.toml.', '')
    """
    return "" if path is None else f" Options were read from {name(path)}."


def two_names(texts: Sequence[str], limit: int) -> list[str]:
    """Return the names of one or two models, shortened so that they stay different."""
    for width in (limit, 2 * limit, 80):
        short = [name(text, limit=width) for text in texts]
        if len(set(short)) == len(short):
            return short
    return ["first", "second"][: len(texts)]


def pp(delta: float | None, *, sign: bool = False, column: bool = False) -> str:
    """Return a gap in percentage points; ``column`` keeps decimals aligned in a table.

    Examples
    --------
    >>> pp(0.01), pp(0.0363, sign=True), pp(-0.125, sign=True)
    ('1 pp', '+3.6 pp', '−12.5 pp')
    """
    if delta is None or math.isnan(delta):
        return "–"
    if math.isinf(delta):
        return "none"
    size = 100 * abs(delta)
    if 0 < size < 0.005:
        return "<0.01 pp"
    text = f"{size:.2f}" if size < 1 or column else f"{size:.1f}"
    if not column:
        text = text.rstrip("0").rstrip(".")
    mark = "−" if delta < 0 else ("+" if sign else "")
    return f"{mark}{text} pp"


def pp_range(low: float, high: float, *, sign: bool = False) -> str:
    """Return the limits of a range of gaps with the same decimals, or one value.

    Examples
    --------
    >>> pp_range(0.02, 0.028), pp_range(-0.04, 0.057, sign=True), pp_range(0.004, 0.004)
    ('2.0 to 2.8 pp', '−4.0 to +5.7 pp', '0.40 pp')
    """
    decimals = 1 if max(abs(low), abs(high)) >= 0.01 else 2
    texts = [f"{100 * x:{'+' if sign else ''}.{decimals}f}".replace("-", "−") for x in (low, high)]
    return f"{' to '.join(dict.fromkeys(texts))} pp"


def percent(p: float, decimals: int | None = None) -> str:
    """Return an accuracy in percent, with its reported decimals or as few as needed (up to 4).

    Examples
    --------
    >>> percent(0.714), percent(0.7)
    ('71.4%', '70%')
    """
    if decimals is not None and 0 <= decimals <= 4:
        return f"{100 * p:.{decimals}f}%"
    return f"{100 * p:.4f}".rstrip("0").rstrip(".") + "%"


def probability(p: float | None) -> str:
    """Return a probability in percent, never rounded to 0% or 100%.

    Examples
    --------
    >>> probability(0.8), probability(0.99999), probability(0.113)
    ('80%', '>99.9%', '11%')
    """
    if p is None:
        return "–"
    if p > 0.999:
        return ">99.9%"
    if p < 0.001:
        return "<0.1%"
    return f"{100 * p:.0f}%" if 0.01 <= p <= 0.99 else f"{100 * p:.1f}%"


def share(p: float | None) -> str:
    """Return a proportion with three decimals."""
    return "–" if p is None else f"{p:.3f}"


def ratio(x: float) -> str:
    """Return a ratio with two significant digits."""
    return "∞" if math.isinf(x) else (f"{x:.2f}" if x < 10 else f"{x:,.0f}")


def pvalue(p: float, *, level: float | None = None) -> str:
    """Return a p-value that is never 0, with enough digits to distinguish it from ``level``.

    Examples
    --------
    >>> pvalue(0.0491), pvalue(3e-9), pvalue(2.3e-308)
    ('0.049', '3.0e-09', '< 1e-300')
    >>> pvalue(0.0498), pvalue(0.0498, level=0.05)
    ('0.05', '0.0498')
    """
    if p < 1e-300:
        return "< 1e-300"
    if level is not None and f"{p:.2g}" == f"{level:.2g}":
        return f"{p:.3g}"
    return f"{p:.1e}" if p < 1e-4 else f"{p:.2g}"


_OFTEN = {0.5: "every other time", 0.75: "3 times in 4", 0.8: "4 times in 5", 0.9: "9 times in 10"}


def often(power: float) -> str:
    """Return how often a gap is detected, as a phrase.

    Examples
    --------
    >>> often(0.8), often(0.85)
    ('4 times in 5', '85% of the time')
    """
    return _OFTEN.get(round(power, 6), f"{percent(power)} of the time")


def level(alpha: float, sides: int) -> str:
    """Return the level of a test: ``two-sided α = 0.05``."""
    return f"{'two' if sides == 2 else 'one'}-sided α = {alpha:g}"


def power_definition(power: float, alpha: float, sides: int) -> str:
    """Say with which power and level a gap is detected or resolved."""
    return f'"Detected" and "resolved" mean with {percent(power)} power at {level(alpha, sides)}.'


_WORD = re.compile(r"[a-z]+")
_HISSED = ("s", "x", "z", "ch", "sh")


def plural_of(column: str) -> str:
    """Return the plural name of the groups of a column: ``subjects`` or ``groups by …``.

    Examples
    --------
    >>> plural_of("subject"), plural_of("category"), plural_of("n_shot")
    ('subjects', 'categories', 'groups by n_shot')
    """
    if not _WORD.fullmatch(column) or len(column) > 24:
        return f"groups by {name(column, limit=32)}"
    if column.endswith("y") and column[-2:-1] not in "aeiou":
        return f"{column[:-1]}ies"
    return f"{column}es" if column.endswith(_HISSED) else f"{column}s"

"""Results as one HTML file that works offline, loads nothing, and recomputes."""

from importlib import import_module
from typing import TYPE_CHECKING

from nstar.errors import DataError, ParameterError
from nstar.report._kinds import KINDS

if TYPE_CHECKING:
    from nstar.report import Result

__all__ = ["page", "refuse_crowd"]

_OWN = {
    "Audit": "audit",
    "Battles": "battles",
    "Comparison": "comparison",
    "Gate": "gate",
}
"""Results with a page of their own."""
_PLACED = ("audit", "battles")
"""Pages that can highlight one model."""
_COMMANDED = ("Gate",)
"""Pages that show commands for the same data."""


def refuse_crowd(models: int) -> None:
    """Raise DataError if there are more models than one page can hold."""
    from nstar._verbs.audit.pair_analysis import MOST_HELD

    if models > MOST_HELD:
        msg = (
            f"A page shows all pairs of at most {MOST_HELD:,} models; got {models:,}. Choose some "
            "with --model, or build a site with nstar audit … --out DIR and nstar site DIR."
        )
        raise DataError(msg)


def page(result: "Result", *, where: str | None = None, command: str | None = None) -> str:
    """Return a result as one HTML page.

    The page needs no network: figures, data, and script are in it, and its content security policy
    allows nothing else. On pages of rankings and comparisons, readers can change level, power, and
    adjustment; the recomputed numbers agree with Python to nine digits.

    Parameters
    ----------
    result : Result
        What a verb of nstar returned.
    where : str, optional
        Model of a ranking to highlight; its rank comes first.
    command
        Command that made the result, which the page shows at its end.

    Returns
    -------
    str
        The text of the file, to be written as UTF-8.

    Examples
    --------
    >>> import numpy as np, nstar
    >>> scores = np.random.default_rng(1).random((3, 200)) < [[0.8], [0.6], [0.5]]
    >>> audit = nstar.audit(nstar.ScoreMatrix.from_arrays(scores, models=["a", "b", "c"]))
    >>> page(audit).splitlines()[0]
    '<!DOCTYPE html>'
    """
    kind = type(result).__name__
    if kind not in KINDS:
        msg = f"A page needs a result of nstar; got {kind}."
        raise ParameterError(msg)
    home = import_module(f"nstar.report.page.{_OWN.get(kind, 'plain')}")
    if where is not None and _OWN.get(kind) not in _PLACED:
        msg = f"where selects a model's rank, and a {kind} has no ranks."
        raise ParameterError(msg)
    options = {"command": command} if kind in _COMMANDED else {}
    text: str = home.page(result, **options, **({} if where is None else {"where": where}))
    if command is None:
        return text
    from nstar.report.page._markup import made_by

    return text.replace("<footer>\n", f"<footer>\n{made_by(command)}\n", 1)

"""``claim_list``: check a list of claims, and count the verdicts."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, get_args

from nstar._base.parameter_types import Alternative, Benchmark, ListOfClaims, Proportion, Rho
from nstar._base.units import Correlation, Count
from nstar._base.verb import verb
from nstar.errors import DataError, InfeasibleError, by_interface

if TYPE_CHECKING:
    from nstar._verbs.claim import ClaimList

_MAX_CLAIMS = 2_000
_ITEMS = Count("items")
_RHO = Correlation(get_args(Benchmark))
_ROLES = {
    "paper": ("paper", "claim", "name", "id"),
    "a": ("a", "first"),
    "b": ("b", "second"),
    "items": ("items", "n", "n_items"),
    "p": ("p", "pvalue"),
    "ci": ("ci",),
    "rho": ("rho",),
}
"""Accepted names of each column."""


@verb()
def claim_list(
    data: ListOfClaims,
    /,
    *,
    rho: Rho | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
) -> "ClaimList":
    """Check each claim of a list, and count how many are supported and how many are underpowered.

    Parameters
    ----------
    data : path, frame, or mapping
        Table with a row for each claim and the columns paper, a, b, and items, and optionally p,
        ci, and rho.
        The columns a and b are the two reported accuracies. Intervals have the form
        ``-1.2pp,2.8pp``. Accepts the formats of ``claim_table``.
    rho : float or str, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.4 to 0.7).

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero.

    Returns
    -------
    ClaimList
        A verdict for each claim, its gap compared with the MDE, and the counts.

    Raises
    ------
    DataError
        A column is missing, or a value cannot be read.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> data = {"paper": ["X", "Y"], "a": ["71.4%", "80.0%"], "b": ["70.6%", "70.0%"]}
    >>> c = claim_list(data | {"items": [1319, 1319]})
    >>> [(claim.paper, claim.verdict, claim.gap_vs_mde) for claim in c.claims]
    [('X', 'depends', 'below'), ('Y', 'supported', 'above')]
    """
    from nstar._api.claim import claim
    from nstar._verbs.claim import ListedClaim, SkippedClaim, claim_tally, listed
    from nstar._verbs.verdict import Criteria

    criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    source, names, rows = _rows(data)
    if len(rows) > _MAX_CLAIMS:
        msg = f"{source}: {len(rows):,} claims exceed {_MAX_CLAIMS:,}. Use fewer rows at a time."
        raise DataError(msg)
    position = _positions(source, names)
    claims: list[ListedClaim] = []
    skipped: list[SkippedClaim] = []
    rhos: list[tuple[float, float]] = []
    for number, (where, cells) in enumerate(rows, start=1):
        values = {role: _text(cells[k]) for role, k in position.items()}
        paper = _paper(cells, position, number)
        try:
            checked = claim(
                values["a"],
                values["b"],
                items=_ITEMS.parse(values["items"]),
                rho=_RHO.parse(values["rho"]) if values.get("rho") else rho,
                p=values.get("p") or None,
                ci=values.get("ci") or None,
                alpha=alpha,
                power=power,
                alternative=alternative,
            )
        except InfeasibleError as error:
            skipped.append(SkippedClaim(paper=paper, reason=str(error)))
        except ValueError as error:
            msg = f"{where}: {error}"
            raise DataError(msg) from error
        else:
            rhos.append((checked.rho_assumed.low, checked.rho_assumed.high))
            claims.append(listed(paper, checked))
    if not claims:
        reason = skipped[0].reason if skipped else "There are no rows."
        msg = f"{source}: no claim can be checked. {reason}"
        raise DataError(msg)
    return claim_tally(claims, skipped, rhos=rhos, criteria=criteria)


def _rows(data: Any) -> tuple[str, list[str], list[tuple[str, Any]]]:
    if isinstance(data, str | PathLike):
        from nstar.readers._pasted import table_rows

        source = fspath(data)
        names, rows = table_rows(source, "a list of claims")
        return "the text" if "\n" in source else source, names, list(rows)
    from nstar._api.claim_table import frame_rows

    if isinstance(data, list | tuple) and all(isinstance(row, Mapping) for row in data):
        keys = list(dict.fromkeys(str(key) for row in data for key in row))
        data = {key: [row.get(key) for row in data] for key in keys}
    names, frame = frame_rows("data", "the list", data)
    return "the list", names, list(frame)


def _positions(source: str, names: list[str]) -> dict[str, int]:
    """Return the position of each column. Raise DataError if one is missing."""
    plain = [name.strip().strip("*").lower() for name in names]
    position = {
        role: next(plain.index(x) for x in aliases if x in plain)
        for role, aliases in _ROLES.items()
        if any(x in plain for x in aliases)
    }
    missing = [role for role in ("a", "b", "items") if role not in position]
    if missing:
        msg = (
            f"{source}: a list of claims needs the column{'s' * (len(missing) > 1)} "
            f"{', '.join(missing)}; found {', '.join(names)[:120]}. For a table of scores, use "
            f"{by_interface(python='nstar.claim_table', command='nstar claim table')}."
        )
        raise DataError(msg)
    return position


def _paper(cells: Any, position: dict[str, int], number: int) -> str:
    """Return the name of a claim, which may be "x" or another sign for a missing value."""
    label = cells[position["paper"]] if "paper" in position else None
    return str(label or "").strip() or f"claim {number}"


def _text(cell: Any) -> str:
    from nstar._data.printed_cell import MISSING, unmarked

    if cell is None or cell != cell:  # noqa: PLR0124 nan
        return ""
    if isinstance(cell, float):
        return f"{cell:.12g}"
    text = unmarked(str(cell))[0]
    return "" if text.lower() in MISSING else text

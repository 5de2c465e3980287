"""Write the report of a self-check."""

from nstar._verbs.selfcheck import FamilyResult, Mismatch, Selfcheck
from nstar.report.documents import Document, TextTable

_MAX_MISMATCHES_SHOWN = 20


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _row(family: FamilyResult) -> tuple[str, ...]:
    return (
        family.name,
        f"{family.n_agree}/{family.n_values}",
        str(family.n_exact),
        _digits(family.digits_min),
        _digits(family.digits_median),
    )


def _miss(miss: Mismatch) -> str:
    where = f"{miss.id} {miss.path}".strip()
    want = "infinite" if miss.expected is None else f"{miss.expected:.15g}"
    got = miss.reason if miss.actual is None else f"{miss.actual}"
    return f"{where}: got {got}, reference {want} ± {miss.tolerance:g}"


def document(result: Selfcheck) -> Document:
    """Return the report: the number of matching values per family, and all mismatches."""
    misses = [m for f in result.families for m in f.mismatches]
    if result.passed:
        head = f"All {result.n_values} reference values match."
    else:
        head = (
            f"{result.n_values - result.n_agree} of {result.n_values} reference values do not "
            "match. Do not rely on this installation, and please report the problem."
        )
    notes = tuple(_miss(m) for m in misses[:_MAX_MISMATCHES_SHOWN])
    if len(misses) > _MAX_MISMATCHES_SHOWN:
        notes += (f"and {len(misses) - _MAX_MISMATCHES_SHOWN} more",)
    return Document(
        headline=head,
        grids=(
            TextTable(
                title="Agreement with values from enumeration, mpmath and R",
                header=("family", "matching", "numbers", "fewest digits", "median digits"),
                rows=tuple(_row(f) for f in result.families),
            ),
        ),
        notes=(
            *notes,
            "Digits are correct significant digits (at most 15), for reference values that "
            "are exact to 1e-6 or better.",
            f"nstar {result.nstar}, Python {result.python}, numpy {result.numpy}, scipy "
            f"{result.scipy}; reference set sha256 {result.sha256[:16]}….",
        ),
    )

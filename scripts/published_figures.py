"""Published figures recomputed by nstar: writes docs/evidence/published-figures.md and a summary.

python scripts/published_figures.py            rewrite both pages
python scripts/published_figures.py --check    exit 1 if one is stale

The figures are in published_figures.toml. Each has expressions of functions of ``nstar.stats`` and
of this script, with the value of each that its texts quote. It also has a comparison of the
printed figure with these values ``v``. Only if the comparison is true is the figure "right". A
value or a verdict that changes is an error: then correct the texts of the figure by hand.
"""

import math
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from _section import DOCS, keep, keep_page
from nstar import stats
from nstar.types import Interval

PAGE = DOCS / "evidence" / "published-figures.md"
DATA = Path(__file__).with_suffix(".toml")

# --- comparisons --------------------------------------------------------------------------


def same(printed: float, value: float, rel: float = 0.01) -> bool:
    return abs(printed - value) <= rel * abs(value)


def rounds(printed: float, value: float, unit: float) -> bool:
    """Agree to half a unit of the last printed digit."""
    return abs(printed - value) <= unit / 2 * (1 + 1e-9)


def all_round(printed: Sequence[float], values: Sequence[float], unit: float) -> bool:
    return all(rounds(x, v, unit) for x, v in zip(printed, values, strict=True))


def within(value: float, low: float, high: float) -> bool:
    return low <= value <= high


def simulation_errors(printed: Iterable[float], values: Iterable[float], reps: int) -> float:
    """How far the worst cell is off, in simulation errors (rounding apart)."""
    return max(
        max(abs(x - p) - 5e-4, 0.0) / math.sqrt(max(p * (1 - p), 1e-9) / reps)
        for x, p in zip(printed, values, strict=True)
    )


def is_share(printed: float, of: int, decimals: int = 3) -> bool:
    """Some whole number out of ``of`` is printed so; a half may be rounded either way."""
    return stats.grim(printed, of, decimals=decimals).possible


# --- computations that documents share, or that take several steps ------------------------


def sigma(p: float, rho: float) -> float:
    """Sd of the difference of two 0/1 scores, both right on a share p of the items."""
    sd = math.sqrt(p * (1 - p))
    return float(stats.sigma_from_sds(sd, sd, rho))


def required_n(p_a: float, p_b: float, rho: float) -> float:
    """The calculator of the pairwise document, line by line."""
    var_a, var_b = p_a * (1 - p_a), p_b * (1 - p_b)
    var_d = var_a + var_b - 2 * rho * (var_a * var_b) ** 0.5
    return float(stats.k_factor()) ** 2 * var_d / (p_a - p_b) ** 2


def interval_pvalue(gap: float, low: float, high: float, p: float | None = None) -> stats.PrintedP:
    return stats.p_from_interval(gap, Interval(np.asarray(low), np.asarray(high)), p=p)


def observed_power_error() -> float:
    """Largest difference between observed power and the power at the observed gap."""
    t = np.linspace(0.0, 6.0, 61)
    power = stats.normal_power(t, sigma=1.0, n=1)
    return float(np.max(np.abs(stats.observed_power(stats.q_hat(t)) - power)))


def graded_sigma(rho: float) -> float:
    """Sd of the difference in the simulations of the document on embeddings."""
    return float(stats.sigma_from_sds(0.12, 0.12, rho))


def pairs_power(n: float, gap: float, rho: float) -> float:
    return float(stats.t_power(gap, sigma=graded_sigma(rho), n=n))


def wilcoxon_loss(n: float, gap: float, rho: float) -> float:
    """By how much the power of Wilcoxon's test is below that of the t test."""
    wilcoxon = float(stats.wilcoxon_power(gap, sigma=graded_sigma(rho), n=n))
    return pairs_power(n, gap, rho) - wilcoxon


def wilson(wins: float, of: float) -> tuple[float, float]:
    """95% interval of a share."""
    interval = stats.wilson_interval(wins, of)
    return float(interval.low), float(interval.high)


def two_share_pvalue(p: float, n: int, q: float, m: int) -> float:
    """Two-sided p of the gap of two independent shares."""
    pooled = (p * n + q * m) / (n + m)
    z = (p - q) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return float(2 * special.ndtr(-abs(z)))


def balanced_kappa(counts: Sequence[int]) -> float:
    """Cohen's kappa: both raters 1, both 0, the first alone 1, the second alone 1."""
    ratings = np.repeat([[1, 1], [0, 0], [1, 0], [0, 1]], counts, axis=0)
    return float(stats.rater_agreement(ratings[:, :1], ratings[:, 1:]).kappa or 0)


def standard_error(wins: int, losses: int, draws: int) -> float:
    """Of a win rate in which a draw counts half."""
    sums, squares = wins + draws / 2, wins + draws / 4
    return math.sqrt(float(stats.iid_variance([sums], [squares], [wins + losses + draws])))


def online_elo(battles: Iterable[tuple[int, int, float]], step: float = 30.0) -> list[float]:
    """Elo ratings of three players, updated after each battle."""
    rating = [1000.0, 1000.0, 1000.0]
    for a, b, won in battles:
        move = step * (won - float(stats.score_from_elo(rating[a] - rating[b])))
        rating[a], rating[b] = rating[a] + move, rating[b] - move
    return rating


def bradley_terry_lead(battles: Sequence[tuple[int, int, float]]) -> float:
    """Strength of the first player minus that of the last."""
    rows = stats.VoteRows.of(*zip(*battles, strict=True))
    strengths = stats.bradley_terry_fit(rows, prior=0.5).strengths
    return float(strengths[0] - strengths[-1])


def judge_correlation(half_width: float) -> float:
    """The correlation of judge and people that a corrected interval of truescore implies."""
    error, variance = half_width / float(stats.z_conf(0.95)), 431 / 600 * (1 - 431 / 600)
    return math.sqrt((1 - error**2 * 600 / variance) / (1 - 600 / 4000))


MMLU_PRO = (717, 789, 1132, 410, 844, 969, 818, 381, 1101, 1351, 924, 499, 1299, 798)
"""Items per subject, biology to psychology in alphabetical order; 12,032 in all."""

# --- figures ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One printed figure."""

    source: str
    """Where in the document."""
    quantity: str
    printed: str
    nstar: str
    verdict: str
    why: str
    values: tuple[float, ...]
    """What the kernel returned, unrounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One publication."""

    key: str
    title: str
    summary: str
    """One sentence: what went wrong."""
    rows: tuple[Row, ...]


NAMES = {name: getattr(stats, name) for name in stats.__all__} | vars(math) | globals()


def compute_row(key: str, row: dict[str, Any]) -> Row:
    """A figure of the table with its values; an unexpected value or verdict is an error."""
    values: list[float] = []
    for expression, expected in row.pop("values").items():
        value = np.ravel(eval(expression, NAMES)).tolist()
        if not np.allclose(value, expected, rtol=1e-5, atol=1e-9):
            msg = f"{key}, {row['quantity']}: expected {expected}, found {value} ({expression})"
            raise AssertionError(msg)
        values += value
    holds = eval(row.pop("check"), NAMES | {"v": values})
    if holds != (row["verdict"] == "right"):
        outcome = "right" if holds else "not right"
        msg = f"{key}, {row['quantity']}: expected {row['verdict']}, found {outcome}"
        raise AssertionError(msg)
    return Row(**row, values=tuple(map(float, values)))


def build() -> list[Document]:
    """All documents, recomputed."""
    table = tomllib.loads(DATA.read_text(encoding="utf-8"))
    documents = []
    for document in table["document"]:
        rows = tuple(compute_row(document["key"], row) for row in document.pop("row"))
        documents.append(Document(**document, rows=rows))
    return documents


# --- pages --------------------------------------------------------------------------------

NOT_COVERED = (
    "Resolution Diagnostics: the anytime-valid factor of 2.15, which needs time-uniform "
    "boundaries.",
    "Resolution Diagnostics: counts of unresolved pairs on the two leaderboards, the results "
    "without one subject, and the simulated power, which need its data.",
    "How Many Test Pairs: the simulated type I errors, and the powers under the Beta model and of "
    "Wilcoxon's test. `nstar simulate study` repeats the simulation and "
    "[compares the rates](../simulate.md).",
    "Judging LLM-as-a-Judge: whether a few examples increase the consistency of GPT-4 "
    '"significantly" from 65.0 to 77.5%, which needs the 80 answers.',
    "AlpacaEval 2.0: the standard errors of its length-controlled win rates, which need its "
    "annotations.",
)

HEAD = """\
# Published figures: every row

<!-- Written by scripts/published_figures.py; do not edit. -->

Summary: [published figures, recomputed](../published-figures.md).

Each row compares a printed figure with the value that `nstar.stats` computes (two-sided level 5%,
power 80%, sizes rounded to the nearest integer). Tables without errors share one row. clawRxiv
(clawrxiv.io) is a separate archive, not part of arXiv.

- **right**: a size is within 1%, and any other number is within half a unit of its last
  digit. A range or bound contains the value. A simulated figure is within 3
  simulation errors, and a p-value is within 0.05 of the value from its interval. A figure
  with "about", ~, or + is within 10% or one unit.
- **wrong**: none of these.
- **inconsistent**: two figures of one document disagree.
- **impossible**: no data could give the figure.
- **misattributed**: the figure is true of another case.
"""


def verdicts(documents: Iterable[Document]) -> dict[str, int]:
    """How many rows have each verdict."""
    count: dict[str, int] = {}
    for document in documents:
        for row in document.rows:
            count[row.verdict] = count.get(row.verdict, 0) + 1
    return count


def tally(documents: Iterable[Document]) -> str:
    """The verdicts of all documents, most frequent first."""
    count = sorted(verdicts(documents).items(), key=lambda pair: -pair[1])
    return ", ".join(f"{n} {word}" for word, n in count)


def _cells(*cells: str) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _section(document: Document) -> list[str]:
    lines = [f"## {document.title}", ""]
    lines += [_cells("source", "quantity", "printed", "nstar", "verdict", "why"), "|---" * 6 + "|"]
    for row in document.rows:
        verdict = row.verdict if row.verdict == "right" else f"**{row.verdict}**"
        lines.append(_cells(row.source, row.quantity, row.printed, row.nstar, verdict, row.why))
    return [*lines, ""]


def page(documents: list[Document]) -> str:
    """The Markdown page."""
    total = sum(len(document.rows) for document in documents)
    lines = [HEAD, f"{total} rows: {tally(documents)}.", ""]
    for document in documents:
        lines += _section(document)
    lines += ["## Figures that were not checked", "", *(f"- {text}" for text in NOT_COVERED)]
    return "\n".join(lines) + "\n"


def summary(documents: list[Document]) -> str:
    """The verdicts and a sentence for each document."""
    lines = [f"{sum(len(d.rows) for d in documents)} figures: {tally(documents)}."]
    for document in documents:
        words = ", ".join(f"{n} {word}" for word, n in verdicts([document]).items())
        lines.append(f"**{document.title}** ({words}). {document.summary}")
    return "\n\n".join(lines)


def main() -> int:
    """Write both pages, or print which is stale."""
    documents = build()
    stale = keep("published-figures.md", "summary", summary(documents))
    return stale | keep_page(PAGE, page(documents))


if __name__ == "__main__":
    sys.exit(main())

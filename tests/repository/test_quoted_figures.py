"""Figures in the prose of README, documentation and paper come from something that runs.

A figure is a percentage, a number of points, a p-value, or "N of M". A source of the page must
have it:

* a console or Python block of the page, or a part of the page that a script writes;
* a file that the same section names: a script, a test, a picture, or another page;
* a claim of docs/validation.json that the section names: its rates;
* ``COMPUTED`` below.

A source may have a figure by chance, so this test finds most stale figures, not all.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from scipy import special

from helpers.cases import each
from nstar import stats
from nstar._verbs.demo import board
from nstar.stats.judges import judge_break_even

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "paper" / "paper.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if "reference" not in p.parts),
]
ELSEWHERE = {
    "paper/paper.md": (
        "docs/audit.md",
        "docs/concepts/strata-or-clusters.md",
        "docs/evidence/validation.md",
    ),
    "docs/methods/two-models.md": ("tests/oracle/test_calibration_audit.py",),
}
"""Sources that a page cannot name."""

NUMBER = r"\d[\d,]*(?:\.\d+)?"
OF = re.compile(rf"({NUMBER})\s+of\s+(?:the\s+|its\s+)?({NUMBER})\b")
FIGURE = re.compile(rf"{OF.pattern}|({NUMBER})[ \u00a0]?(?:%|pp\b)|\bp [=<≤] ({NUMBER})")
CONSTANTS = {"0", "1", "2", "3", "5", "10", "50", "80", "90", "95", "98", "99", "100"}
CONSTANTS |= {"0.05", "0.01", "0.001"}
"""Levels, powers, limits and round numbers of examples."""
WRITTEN = re.compile(r"<!-- ([\w-]+):begin -->.*?<!-- \1:end -->", re.S)
WHOLLY_WRITTEN = re.compile(r"^(?:<!-- )?Written by `?scripts/", re.M)
FENCE = re.compile(r"^( *)```(\w*)\n.*?^ *```$", re.S | re.M)
RUN = ("console", "python")
"""Languages of blocks that a test runs."""
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|\$[^$]*\$")
FILE = re.compile(r"(?:tests|scripts|benchmarks|docs)/[\w/.-]+\.\w+")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


def plain(number: str) -> str:
    """A number without separators of thousands and final zeros."""
    return f"{float(number.replace(',', '')):.12g}"


def facts(text: str) -> frozenset[str]:
    """The numbers of a text, fractions as percentages too, and each "N of M"."""
    found = {plain(n) for n in re.findall(NUMBER, text)}
    shares = [100 * float(n) for n in found if n.startswith("0.")]
    found.update(plain(f"{share:.{digits}f}") for share in shares for digits in (0, 1, 2))
    found.update(f"{plain(n)} of {plain(m)}" for n, m in OF.findall(text))
    return frozenset(found)


def held(text: str) -> str:
    """The parts of a page that a test or a script holds."""
    if WHOLLY_WRITTEN.search(text):
        return text
    blocks = [m[0] for m in FENCE.finditer(text) if m[2] in RUN]
    return "\n".join([*(m[0] for m in WRITTEN.finditer(text)), *blocks])


@cache
def source(path: Path) -> frozenset[str]:
    """What a file that a section names has."""
    if not path.is_file() or path.suffix not in {".py", ".md", ".svg", ".R"}:
        return frozenset()
    text = path.read_text(encoding="utf-8")
    return facts(held(text) if path.suffix == ".md" else text)


@cache
def rates() -> dict[str, frozenset[str]]:
    """The rates of each claim of the validation."""
    cells = json.loads((ROOT / "docs" / "validation.json").read_text("utf-8"))["cells"]
    texts: dict[str, list[str]] = {}
    for cell in cells:
        texts.setdefault(cell["claim"], []).append(f"{cell['rate']:.6f}")
    return {name: facts(" ".join(some)) for name, some in texts.items()}


def figures(text: str, folder: Path, known: Iterable[str] = ()) -> tuple[int, list[str]]:
    """The number of figures of a page, and those that no source has."""
    if WHOLLY_WRITTEN.search(text):
        return 0, []
    own, total, unheld = facts(held(text)).union(known, CONSTANTS), 0, []
    for section in re.split(r"^## ", FENCE.sub("", WRITTEN.sub("", text)), flags=re.M):
        files = [ROOT / name for name in FILE.findall(section)]
        files += [(folder / name).resolve() for name in LINK.findall(section)]
        claims = rates().keys() & set(re.findall(r"`([a-z-]+)`", section))
        there = own.union(*map(source, files), *(rates()[name] for name in claims))
        for match in FIGURE.finditer(NOT_PROSE.sub(" ", section)):
            total += 1
            if " of ".join(plain(n) for n in match.groups() if n) not in there:
                unheld.append(" ".join(match[0].split()))
    return total, unheld


def of_page(page: Path) -> tuple[int, list[str]]:
    """The same for a page of the repository."""
    name = page.relative_to(ROOT).as_posix()
    known = facts("\n".join(COMPUTED.get(name, list)()))
    known = known.union(*(source(ROOT / other) for other in ELSEWHERE.get(name, ())))
    return figures(page.read_text(encoding="utf-8"), page.parent, known)


def ten_pairs() -> str:
    """How often independent tests tell ten equal models apart at Tukey's critical value."""
    tail = 2 * special.ndtr(-float(stats.tukey_critical(10)))
    return percent(1 - (1 - tail) ** 45, 1)


def strict_p() -> str:
    """p at q = 1."""
    return f"p = {2 * special.ndtr(-stats.k_factor()):.4f}"


def looks() -> list[str]:
    plan = stats.group_sequential(5, spending="obrien-fleming")
    return [percent(plan.inflation - 1, 1), percent(1 - plan.cost(1.0))]


def judge() -> list[str]:
    """Two models, a judge that errs differently on them, and the gap that the judge reports."""
    right, errors = (0.75, 0.70), ((0.1, 0.1), (0.1, 0.3))
    rates = [
        float(stats.judged_rate(p, miss=miss, false_pass=wrong))
        for p, (miss, wrong) in zip(right, errors, strict=True)
    ]
    gap = round(100 * (rates[0] - rates[1]))
    assert gap == -2
    worth = [percent(float(judge_break_even(r))) for r in (0.65, 0.3)]
    return [*map(percent, (*right, 0.3)), *worth]


def selection() -> str:
    """Items that choose the best of ten, as a share of those that tell all pairs apart."""
    one = float(stats.selection_n_star(0.01, sigma=0.5, models=10))
    every = float(((stats.tukey_critical(10) + stats.z_power(0.8)) * 0.5 / 0.01) ** 2)
    return percent(one / every)


def leaders() -> list[str]:
    """The means of the first two models of the demo."""
    matrix = board()
    return [percent(matrix.row(matrix.index(name)).mean(), 1) for name in ("wren", "heron")]


COMPUTED: dict[str, Callable[[], list[str]]] = {
    "docs/gate.md": lambda: [percent(1 - 0.05 ** (1 / g), 1) for g in (10, 20, 50, 100, 300)],
    "docs/index.md": leaders,
    "docs/methods/many-models.md": lambda: [*judge(), selection(), ten_pairs()],
    "docs/methods/two-models.md": lambda: [strict_p(), *looks()],
    "docs/runs.md": lambda: ["5 of 5", percent(1 - 0.05 ** (1 / 5))],
    "docs/start/reading-a-report.md": lambda: [strict_p()],
}
"""Figures of a page that follow from a formula."""


@each(PAGES)
def test_figures_are_held(page: Path) -> None:
    _, unheld = of_page(page)
    assert not unheld, f"nothing holds {unheld}; name the script, test or page that does"


def test_a_stale_figure_is_noticed() -> None:
    written = "<!-- a:begin -->\n12 of 27 pairs, 3.4% in all, p = 0.03\n<!-- a:end -->\n"
    page = "12 of the 27, 22 of 27, 3.4%, 3.5%, p = 0.03, p = 0.04 and 7 pp\n"
    assert figures(written + page, ROOT) == (7, ["22 of 27", "3.5%", "p = 0.04", "7 pp"])
    block = "```console\n$ nstar\n22 of 27, 3.5%, p = 0.04\n```\n"
    assert figures(written + block + page, ROOT)[1] == ["7 pp"]


def test_a_named_page_is_a_source_for_its_section(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("```console\n$ nstar\n5.3%\n```\n6.1%\n", "utf-8")
    page = "5.3% and 6.1% ([why](other.md))\n\n## Next\n\n5.3%\n"
    assert figures(page, tmp_path) == (3, ["6.1%", "5.3%"])

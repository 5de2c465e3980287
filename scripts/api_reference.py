"""Write the pages of docs/reference about public names.

The text about a name comes from its docstring when the site is built; here stand which names
there are, in which order, and the first sentence of each.

python scripts/api_reference.py            rewrite the pages
python scripts/api_reference.py --check    exit 1 if one is stale
"""

import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import nstar
import nstar.errors
import nstar.stats
import nstar.types
from _docstrings import summary
from _section import keep_page

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "reference"
NOTE = "<!-- Written by scripts/api_reference.py. -->"

VERBS = {
    "reading": ("Read", "read matrices coverage Coverage Table ScoreMatrix pack open_pack"),
    "comparing": (
        "Compare and rank",
        "compare Comparison TaskComparison compare_known Known audit Audit TaskAudit items Items",
    ),
    "planning": (
        "Plan",
        "plan plan_margin Plan PlanGrid plan_board BoardPlan plan_looks SequentialPlan"
        " plan_runs TaskPlan Design PairedRho PairedPsi Graded Unpaired",
    ),
    "running": ("Runs", "runs Runs RunTable"),
    "releasing": (
        "Watch and gate",
        "Watch WatchResult Race RaceResult gate gate_looks gate_runs gate_plan gate_aa Gate",
    ),
    "judging": ("Judges", "compare_judged Judged plan_labels LabelPlan judges Judges"),
    "voting": ("Votes", "battles Battles plan_votes VotePlan"),
    "shrinking": ("Fewer items", "shrink Subset"),
    "claiming": (
        "Printed claims",
        "claim Claim claim_unpaired UnpairedClaim claim_scores ScoreClaim claim_table TableClaim"
        " claim_wins WinsClaim",
    ),
    "checking": (
        "Simulate and check",
        "simulate Simulation simulate_study Study selfcheck Selfcheck",
    ),
    "showing": ("Results", "Result"),
}

KERNEL = {
    "stats-paired": ("Two 0/1 scores per item", "paired mcnemar interval exact correlation"),
    "stats-graded": ("Graded scores", "graded resample wilcoxon"),
    "stats-power": (
        "Items, gaps, power",
        "designs margin power resolution critical precision equivalence shortcut printed"
        " proportion unpaired",
    ),
    "stats-groups": ("Strata and clusters", "strata cluster cluster_plan"),
    "stats-many": ("Many comparisons", "adjust maxt ranks arms items"),
    "stats-runs": ("Repeated runs", "components spread runs passes repeated_runs ratios"),
    "stats-looks": (
        "Looks while it runs",
        "looks eprocess eprocess_plan racing gap_betting betting confseq stopping",
    ),
    "stats-votes": (
        "Votes between models",
        "elo bradley_terry davidson vote_errors vote_corrections",
    ),
    "stats-fewer": ("Fewer items", "shrink regression"),
    "stats-judges": ("Judges and labels", "judge judge_plan judges"),
}

OTHERS = {
    "integrations": (
        "Integrations",
        [
            "nstar.integrations.pytest_plugin.nstar_gate",
            "nstar.integrations.pytest_plugin.GateFixture",
            "nstar.integrations.pytest_plugin.Undecided",
            "nstar.integrations.inspect.EarlyStopping",
            "nstar.integrations.inspect.RaceStopping",
        ],
    ),
    "types": ("Types", [f"nstar.types.{n}" for n in nstar.types.__all__]),
    "report": (
        "Reports and pictures",
        [
            *(f"nstar.report.{n}" for n in ("render", "document", "save", "to_frame")),
            *(f"nstar.report.charts.{n}" for n in ("figure", "kinds")),
            "nstar.report.page.page",
        ],
    ),
    "errors": ("Errors and warnings", [f"nstar.errors.{n}" for n in nstar.errors.__all__]),
}

MADE_BY_USERS = (
    "Limits Criteria Design PairedRho PairedPsi Graded Unpaired Scores"
    " Board Counts Bets EProcess RunningMean RunCosts McNemarTest StudentTest GradedTest"
)
"""Dataclasses whose signature is of interest; the others are results."""

ABOUT_MODULE = """::: {module}
    options:
      members: false
      show_root_heading: false
      show_root_toc_entry: false"""


def table(page: str, homes: dict[str, str]) -> str:
    """Names with a link to where they are told about. ``homes``: dotted public name to module."""
    rows = ["| name | |", "|---|---|"]
    for dotted, module in homes.items():
        name = dotted.rpartition(".")[2]
        rows.append(f"| [`{name}`]({page}.md#{dotted}) | {summary(module, name)} |")
    return "\n".join(rows)


def directive(dotted: str) -> str:
    """What makes the site tell about a name; of a dataclass, its fields are in one list."""
    module, _, name = dotted.rpartition(".")
    value = getattr(import_module(module), name)
    if not (isinstance(value, type) and is_dataclass(value)):
        return f"::: {dotted}"
    own = [n for n in vars(value) if not n.startswith("_")]
    methods = [n for n in own if n not in {f.name for f in fields(value)}]
    signature = str(name in MADE_BY_USERS.split()).lower()
    quoted = ", ".join(f'"{name}"' for name in methods)  # a field may be called false
    lines = [f"members: [{quoted}]", f"merge_init_into_class: {signature}"]
    return "\n      ".join([f"::: {dotted}\n    options:", *lines])


def told(dotted: list[str]) -> str:
    """A directive for each name."""
    return "\n\n".join(map(directive, dotted))


def verbs() -> dict[str, dict[str, str]]:
    """Names of ``nstar`` by page."""
    homes: dict[str, str] = vars(nstar)["_MODULES"]
    pages = {page: names.split() for page, (_, names) in VERBS.items()}
    listed = sorted(name for names in pages.values() for name in names)
    wanted = sorted(set(nstar.__all__) - {"__version__", "errors", "report", "stats", "types"})
    if listed != wanted:
        stray = ", ".join(sorted(set(listed) ^ set(wanted)))
        sys.exit(f"scripts/api_reference.py: VERBS and nstar.__all__ differ in {stray}")
    return {page: {f"nstar.{n}": homes[n] for n in names} for page, names in pages.items()}


def kernel() -> dict[str, dict[str, dict[str, str]]]:
    """Names of ``nstar.stats`` by page and module."""
    homes: dict[str, str] = vars(nstar.stats)["_HOMES"]  # the stub does not have it
    placed = [m for _, modules in KERNEL.values() for m in modules.split()]
    if set(placed) != set(homes.values()):
        stray = ", ".join(sorted(set(placed) ^ set(homes.values())))
        sys.exit(f"scripts/api_reference.py: KERNEL and nstar.stats differ in {stray}")
    return {
        page: {
            module: {
                f"nstar.stats.{n}": f"nstar.stats.{module}"
                for n, m in homes.items()
                if m == module
            }
            for module in modules.split()
        }
        for page, (_, modules) in KERNEL.items()
    }


def verb_pages() -> dict[str, str]:
    """A page for each group of verbs."""
    texts = {}
    for page, homes in verbs().items():
        parts = [
            f"# {VERBS[page][0]}",
            NOTE,
            table("", homes).replace("(.md#", "(#"),
            told([*homes]),
        ]
        texts[page] = "\n\n".join(parts)
    return texts


def kernel_pages() -> dict[str, str]:
    """A page for each group of modules of the kernel."""
    texts = {}
    for page, modules in kernel().items():
        parts = [f"# {KERNEL[page][0]}: `nstar.stats`", NOTE]
        for module, homes in modules.items():
            about = ABOUT_MODULE.format(module=f"nstar.stats.{module}")
            parts += [f"## {module}", about, told([*homes])]
        texts[page] = "\n\n".join(parts)
    return texts


def home_of(names: list[str]) -> dict[str, str]:
    """Dotted public name to the module where it is written."""
    types: dict[str, str] = vars(nstar.types)["_MODULES"]
    return {n: types.get(n.removeprefix("nstar.types."), n.rpartition(".")[0]) for n in names}


def other_pages() -> dict[str, str]:
    """Errors, and nstar inside other programs."""
    texts = {}
    for page, (title, names) in OTHERS.items():
        homes = home_of(names)
        parts = [f"# {title}", NOTE, table("", homes).replace("(.md#", "(#"), told(names)]
        texts[page] = "\n\n".join(parts)
    return texts


INTRO = """Public are the names below and no others; [what stays](../stability.md) says what that
means. Names are loaded on first use, so `import nstar` is instant. Proportions in and out, never
percentage points; gaps are first minus second; results are frozen dataclasses that print
themselves, in notebooks too; `result.render("latex")` gives them as text, JSON, Markdown, LaTeX or
CSV, `result.save("x.html")` writes a page, a picture, a table or a report, whichever the name asks
for, `result.figure()` draws them and `result.to_frame()` gives the main table to pandas or polars.
Options of a command are the parameters of its function. [Names in results](results.md) lists the
quantities of every result."""

KERNEL_INTRO = """Numbers in, numbers out: scalars or arrays, which broadcast. No files, names,
clocks or printing. Each function is checked against values that are not our own
([`nstar selfcheck`](../selfcheck.md))."""


def overview() -> str:
    """All names, with a link each."""
    parts = ["# Python", NOTE, INTRO]
    for page, homes in verbs().items():
        parts += [f"## {VERBS[page][0]}", table(f"api/{page}", homes)]
    for page, (title, names) in OTHERS.items():
        homes = home_of(names)
        parts += [f"## {title}", table(f"api/{page}", homes)]
    parts += ["## The kernel: `nstar.stats`", KERNEL_INTRO]
    for page, modules in kernel().items():
        homes = {name: m for names in modules.values() for name, m in names.items()}
        parts += [f"### {KERNEL[page][0]}", table(f"api/{page}", homes)]
    return "\n\n".join(parts)


def pages() -> dict[Path, str]:
    """Every page and its text."""
    api = {**verb_pages(), **other_pages(), **kernel_pages()}
    texts = {PAGES / "python.md": overview()}
    return texts | {PAGES / "api" / f"{page}.md": text for page, text in api.items()}


def main() -> int:
    """Write the pages, or say which are stale."""
    return max([keep_page(path, f"{text}\n") for path, text in pages().items()])


if __name__ == "__main__":
    sys.exit(main())

"""Write the pages of docs/reference about public names.

The text about a name comes from its docstring when the site is built. This script sets which
names there are, their order, and the first sentence of each. docs/reference/results.md is written
by hand, except for the parts between markers.

python scripts/api_reference.py            rewrite the pages
python scripts/api_reference.py --check    exit 1 if one is stale
"""

import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import nstar
import nstar.errors
import nstar.stats
import nstar.types
from _docstrings import summary
from _section import keep, keep_page

PAGES = Path(__file__).parents[1] / "docs" / "reference"
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
        " plan_single SinglePlan"
        " plan_runs TaskPlan Design PairedRho PairedPsi Graded Unpaired",
    ),
    "running": ("Runs", "runs Runs RunTable"),
    "releasing": (
        "Stop early and gate",
        "Watch WatchResult Race RaceResult gate gate_looks gate_runs gate_plan gate_aa Gate",
    ),
    "judging": ("Judges", "compare_judged Judged plan_labels LabelPlan judges Judges"),
    "voting": ("Votes", "battles Battles plan_votes VotePlan"),
    "shrinking": ("Fewer items", "shrink Subset"),
    "claiming": (
        "Published claims",
        "claim Claim claim_unpaired UnpairedClaim claim_scores ScoreClaim claim_table TableClaim"
        " claim_list ClaimList claim_gap GapClaim claim_wins WinsClaim",
    ),
    "checking": (
        "Simulate and check",
        "simulate Simulation simulate_study Study selfcheck Selfcheck",
    ),
    "showing": ("All results", "Result"),
}

KERNEL = {
    "paired": ("Two 0/1 scores per item", "paired mcnemar interval exact correlation"),
    "graded": ("Graded scores", "graded pseudo_values resample wilcoxon"),
    "power": (
        "Items, gaps, power",
        "designs margin power resolution critical precision equivalence shortcut printed"
        " proportion threshold unpaired",
    ),
    "groups": ("Strata and clusters", "strata cluster cluster_plan"),
    "many": ("Many comparisons", "adjust maxt flips ranks arms items"),
    "runs": ("Repeated runs", "components spread runs passes repeated_runs ratios"),
    "looks": (
        "Interim looks",
        "looks eprocess eprocess_plan racing gap_betting betting confseq",
    ),
    "votes": (
        "Votes between models",
        "elo bradley_terry davidson vote_errors",
    ),
    "fewer": ("Fewer items", "shrink regression"),
    "judges": ("Judges and labels", "judge judge_plan judges"),
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
        "Reports and figures",
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

FUNCTIONS = f"""# Functions

{NOTE}

This page lists the public functions of `nstar` and the classes that you create. The parameters of
a function are the options of the command. Values are proportions, never percentage points, and
gaps are first minus second. `import nstar` is fast, because names are loaded on first use.
[Results](results.md) describes the returned objects, and [stability](../security.md#stability)
states which names can change."""

STATS = f"""# The kernel: `nstar.stats`

{NOTE}

The functions of the kernel accept and return scalars or arrays, which broadcast. They use no
files, names, or clocks, and print nothing. `nstar selfcheck` compares them with values that other
programs computed."""

TYPES = f"""# Types, errors, integrations

{NOTE}

This page lists types other than results, functions that render results, integrations, and
errors."""


def table(page: str, homes: dict[str, str]) -> str:
    """A row per name, with a link to its entry. ``homes`` maps dotted names to modules."""
    rows = ["| name | |", "|---|---|"]
    for dotted, module in homes.items():
        name = dotted.rpartition(".")[2]
        rows.append(f"| [`{name}`]({page}#{dotted}) | {summary(module, name)} |")
    return "\n".join(rows)


def directive(dotted: str) -> str:
    """The directive for a name. The fields of a dataclass are in one list."""
    module, _, name = dotted.rpartition(".")
    value = getattr(import_module(module), name)
    if not (isinstance(value, type) and is_dataclass(value)):
        return f"::: {dotted}"
    # Members of a private base are shown as if they were of the class.
    homes = [value, *(base for base in value.__mro__[1:] if base.__name__.startswith("_"))]
    names = [n for home in homes for n in vars(home) if not n.startswith("_")]
    methods = [n for n in names if n not in {f.name for f in fields(value)}]
    signature = str(name in MADE_BY_USERS.split()).lower()
    quoted = ", ".join(f'"{name}"' for name in methods)  # a field may be called false
    lines = [f"members: [{quoted}]", f"merge_init_into_class: {signature}"]
    lines += ["inherited_members: true"] if homes[1:] else []
    return "\n      ".join([f"::: {dotted}\n    options:", *lines])


def directives(names: Iterable[str]) -> str:
    """A directive per name."""
    return "\n\n".join(map(directive, names))


def is_result(dotted: str) -> bool:
    """Whether functions return objects of this class, and users do not create them."""
    value = getattr(import_module("nstar"), dotted.rpartition(".")[2])
    return isinstance(value, type) and issubclass(value, nstar.Result)


def verbs() -> dict[str, dict[str, str]]:
    """Names of ``nstar`` and their modules, by group."""
    homes: dict[str, str] = vars(nstar)["_MODULES"]
    groups = {group: names.split() for group, (_, names) in VERBS.items()}
    listed = sorted(name for names in groups.values() for name in names)
    exported = sorted(set(nstar.__all__) - {"__version__", "errors", "report", "stats", "types"})
    if listed != exported:
        stray = ", ".join(sorted(set(listed) ^ set(exported)))
        sys.exit(f"scripts/api_reference.py: VERBS and nstar.__all__ differ in {stray}")
    return {group: {f"nstar.{n}": homes[n] for n in names} for group, names in groups.items()}


def kernel() -> dict[str, dict[str, dict[str, str]]]:
    """Names of ``nstar.stats`` and their modules, by page and module."""
    homes: dict[str, str] = vars(nstar.stats)["_HOMES"]  # the stub does not have it
    placed = [f"stats.{m}" for _, modules in KERNEL.values() for m in modules.split()]
    if set(placed) != set(homes):
        stray = ", ".join(sorted(set(placed) ^ set(homes)))
        sys.exit(f"scripts/api_reference.py: KERNEL and nstar.stats differ in {stray}")
    return {
        page: {
            module: {
                f"nstar.stats.{n}": f"nstar.stats.{module}"
                for n in homes[f"stats.{module}"].split()
            }
            for module in modules.split()
        }
        for page, (_, modules) in KERNEL.items()
    }


def functions_page() -> str:
    """Functions and created objects of ``nstar``, by group."""
    parts = [FUNCTIONS]
    for group, homes in verbs().items():
        functions = {name: home for name, home in homes.items() if not is_result(name)}
        if functions:
            parts += [f"## {VERBS[group][0]}", table("", functions), directives(functions)]
    return "\n\n".join(parts)


def result_classes() -> str:
    """The classes of results, by group."""
    parts = []
    for group, homes in verbs().items():
        results = {name: home for name, home in homes.items() if is_result(name)}
        if results:
            parts += [f"### {VERBS[group][0]}", table("", results), directives(results)]
    return "\n\n".join(parts)


def stats_page() -> str:
    """All names of the kernel, with links to the pages by subject."""
    parts = [STATS]
    for page, modules in kernel().items():
        homes = {name: m for names in modules.values() for name, m in names.items()}
        parts += [f"## {KERNEL[page][0]}", table(f"stats/{page}.md", homes)]
    return "\n\n".join(parts)


def kernel_pages() -> dict[str, str]:
    """A page per subject of the kernel."""
    texts = {}
    for page, modules in kernel().items():
        parts = [f"# {KERNEL[page][0]}: `nstar.stats`", NOTE]
        for module, homes in modules.items():
            description = ABOUT_MODULE.format(module=f"nstar.stats.{module}")
            parts += [f"## {module}", description, directives(homes)]
        texts[f"stats/{page}"] = "\n\n".join(parts)
    return texts


def home_of(names: list[str]) -> dict[str, str]:
    """Dotted public names, and the modules that define them."""
    types: dict[str, str] = vars(nstar.types)["_MODULES"]
    return {n: types.get(n.removeprefix("nstar.types."), n.rpartition(".")[0]) for n in names}


def types_page() -> str:
    """Types, rendering, integrations, and errors."""
    parts = [TYPES]
    for title, names in OTHERS.values():
        parts += [f"## {title}", table("", home_of(names)), directives(names)]
    return "\n\n".join(parts)


def pages() -> dict[str, str]:
    """The text of every page."""
    texts = {"functions": functions_page(), "stats": stats_page(), "types-errors": types_page()}
    return texts | kernel_pages()


def main() -> int:
    """Write the pages, or print which are stale."""
    stale = [keep_page(PAGES / f"{name}.md", f"{text}\n") for name, text in pages().items()]
    return max(*stale, keep("reference/results.md", "classes", result_classes()))


if __name__ == "__main__":
    sys.exit(main())

"""Write into docs/reference/results.md the name of each quantity in Python, JSON and CSV.

python scripts/result_names.py            rewrite the table
python scripts/result_names.py --check    exit 1 if the table is out of date

The script ends with an error if a result uses another name for a quantity of the table.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from _section import keep
from nstar.report._kinds import KINDS, result_class


class Quantity(NamedTuple):
    """A quantity, its names in results, and its meaning."""

    term: str
    names: tuple[str, ...]
    meaning: str


QUANTITIES = (
    Quantity("gap", ("gap",), "observed gap, first minus second, in score units"),
    Quantity("declared gap", ("delta",), "gap that is declared, planned, or assumed"),
    Quantity("gap in Elo", ("elo",), "difference between two ratings, in Elo points"),
    Quantity("CI", ("ci", "ci_low", "ci_high"), "confidence interval of the gap or of the prefix"),
    Quantity(
        "adjusted CI",
        ("ci_adjusted_low", "ci_adjusted_high"),
        "interval of the gap, adjusted for all pairs as the verdict is",
    ),
    Quantity(
        "unadjusted CI",
        ("ci_unadjusted_low", "ci_unadjusted_high"),
        "interval of the gap of one pair alone",
    ),
    Quantity(
        "confidence sequence", ("confidence_sequence",), "interval that is valid at every look"
    ),
    Quantity("confidence level", ("confidence_level",), "level of the intervals"),
    Quantity("standard error", ("se",), "standard error of the gap"),
    Quantity(
        "p-value",
        ("pvalue", "pvalue_adjusted"),
        "never 0; adjusted for the family of tests",
    ),
    Quantity("MDE", ("mde",), "smallest true gap that is detected with the stated power"),
    Quantity("items needed, N\\*", ("n_star",), "items that resolve the gap"),
    Quantity("resolution ratio, q", ("q",), "items ÷ N\\*; the gap is resolved from 1 on"),
    Quantity("more items needed", ("more_items", "more_labels"), "N\\* minus the current number"),
    Quantity("verdict", ("verdict",), "the conclusion, in one word"),
    Quantity("level, power", ("alpha", "power", "alternative"), "parameters of the test"),
    Quantity("items", ("n_items",), "number of items"),
    Quantity("score of a model", ("mean", "mean_a", "mean_b"), "mean over the items"),
    Quantity("correlation, ρ", ("rho",), "correlation of two models' scores over items"),
    Quantity(
        "disagreement, ψ", ("psi",), "share of items that exactly one model answers correctly"
    ),
    Quantity("rank, rank range", ("rank", "rank_low", "rank_high"), "rank and its 95% range"),
    Quantity("tier", ("tier",), "models without a significant gap between them"),
    Quantity("design effect", ("design_effect",), "variance ÷ variance of independent items"),
    Quantity("runs", ("n_runs", "n_runs_a", "n_runs_b"), "repetitions of a task by one model"),
    Quantity("pass@k, pass^k", ("pass_at", "pass_hat"), "any of k runs passes; all k runs pass"),
    Quantity("labels", ("n_labels",), "items with a human label"),
    Quantity("votes", ("n_votes",), "judgments between two models' answers"),
    Quantity("0/1 scores", ("is_binary",), "whether all scores are 0 or 1"),
)
"""In the order in which a reader meets them."""

OTHER_NAMES = {
    "p": "pvalue",
    "p_adjusted": "pvalue_adjusted",
    "p_value": "pvalue",
    "pval": "pvalue",
    "difference": "gap",
    "diff": "gap",
    "effect": "gap",
    "stderr": "se",
    "std_err": "se",
    "interval": "ci",
    "lower": "ci_low",
    "upper": "ci_high",
    "conf": "confidence_level",
    "confidence": "confidence_level",
    "num_items": "n_items",
    "sample_size": "n_items",
    "accuracy": "mean",
    "discordance": "psi",
    "deff": "design_effect",
}
"""Names that other programs use, and the name here."""
ALLOWED = {("Claim", "ci_check.joint_match.interval")}
"""Keys that hold something else: the kind of an interval."""

HEAD = """| term | name | meaning | results |
|---|---|---|---|
"""


def key_paths(kind: str) -> set[str]:
    """Return the dotted paths of all keys of a result in JSON."""
    schema = result_class(kind).schema()
    return set(_paths(schema, schema["$defs"], ()))


def _paths(node: Any, defs: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from _paths(part, defs, path)
        return
    if not isinstance(node, dict) or len(path) > 4:
        return
    if "$ref" in node:
        yield from _paths(defs[node["$ref"].rpartition("/")[2]], defs, path)
    for name, inner in node.get("properties", {}).items():
        yield ".".join((*path, name))
        yield from _paths(inner, defs, (*path, name))
    for part in ("items", "allOf", "anyOf", "oneOf", "prefixItems"):
        yield from _paths(node.get(part, ()), defs, path)


def check_names(kind: str, paths: set[str]) -> None:
    """End the script if a result uses another name for a quantity of the table."""
    for path in sorted(paths):
        name = OTHER_NAMES.get(path.rpartition(".")[2])
        if name is not None and (kind, path) not in ALLOWED:
            msg = f"{kind}: the JSON key {path!r} must be named {name!r}"
            raise SystemExit(msg)


def table() -> str:
    """Return the table of quantities."""
    paths = {kind: key_paths(kind) for kind in sorted(KINDS)}
    names = {kind: {path.rpartition(".")[2] for path in paths[kind]} for kind in paths}
    for kind, kind_paths in paths.items():
        check_names(kind, kind_paths)
    rows = []
    for quantity in QUANTITIES:
        unused = set(quantity.names).difference(*names.values())
        if unused:
            msg = f"no result has the keys {sorted(unused)}"
            raise SystemExit(msg)
        kinds = [kind for kind in names if not names[kind].isdisjoint(quantity.names)]
        results = ", ".join(kinds) if len(kinds) <= 12 else f"{len(kinds)} of {len(names)}"
        keys = ", ".join(f"`{name}`" for name in quantity.names)
        rows.append(f"| {quantity.term} | {keys} | {quantity.meaning} | {results} |\n")
    return (HEAD + "".join(rows)).rstrip()


if __name__ == "__main__":
    sys.exit(keep("reference/results.md", "quantities", table()))

"""Write docs/reference/words.md: words of answers; every option, its parameter and JSON key.

python scripts/words_table.py            rewrite the page
python scripts/words_table.py --check    exit 1 if it is stale

An option that is neither a parameter of its verb nor explained below is an error, and so is a
parameter that no option has; a key of a result that has another name elsewhere is one too.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

import nstar
from _answer_words import table
from _section import keep_page
from nstar.cli import main
from nstar.report._kinds import KINDS, printed_by, result_class
from nstar.types import ReadingWords, TableWords

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "words.md"

VERBS: dict[str, Callable[..., Any]] = {
    "plan": nstar.plan,
    "claim": nstar.claim,
    "compare": nstar.compare,
    "audit": nstar.audit,
    "items": nstar.items,
    "battles": nstar.battles,
    "runs": nstar.runs,
    "shrink": nstar.shrink,
    "gate": nstar.gate,
    "watch": nstar.Watch,
    "simulate": nstar.simulate,
    "validate": nstar.validate,
    "read": nstar.coverage,
}
"""Command → function of that name, or what does the same."""

SHOWN = {
    "format_": "`result.render(format)`",
    "full": '`result.render(level="full")`',
    "brief": '`result.render(level="brief")`',
    "paragraph": "`result.render(paragraph=True)`",
    "where": "`result.render(where=…)`, `result.figure(where=…)`",
    "figure": "`result.figure().save(path)`",
    "figure_kind": "`result.figure(kind)`",
    "html": "`result.save(path)`",
    "help_all": "`help(…)`",
    "paths": "the first arguments",
    "workers": "`execution=Execution(workers=…)`",
    "executor": "`execution=Execution(executor=…)`",
}
"""Options that are another call in Python, for every command."""
OTHERWISE = {
    ("audit", "out"): "`execution=Execution(out=…)`",
    ("audit", "work"): "`execution=Execution(work=…)`",
    ("audit", "memory"): "`execution=Execution(memory=…)`",
    **{("claim", name): f"`claim_scores({name}=…)`" for name in ("pm", "pm_is", "seeds")},
    ("claim", "best_on"): "`claim_wins(7, 9)`",
    **{("claim", name): f"`claim_wins({name}=…)`" for name in ("ties", "models", "picked_from")},
    ("compare", "list_"): "`result.differing(which)`",
    ("compare", "out"): "`result.differing(which)`",
    ("compare", "known"): "`compare_known(data, known)`",
    ("gate", "fresh_items"): "`history=History(fresh=True)`",
    ("gate", "dry_run"): "`plan(margin=…, non_inferiority=True)`",
    ("gate", "rho"): "`plan(margin=…, rho=…)`",
    ("gate", "aa"): "command only",
    ("gate", "config"): "command only",
    ("gate", "out"): "`result.save(path)`",
    ("gate", "comment_key"): "command only",
    **{("runs", name): f"`judges({name}=…)`" for name in ("cost_judge", "cost_label")},
    ("shrink", "out"): "`result.save(path)`",
    ("simulate", "pilot"): '`values={"d": …}` of the scenario `pilot`',
    ("simulate", "rho"): '`values={"rho": …}`',
    ("simulate", "delta"): '`values={"delta": …}`',
    ("simulate", "models"): '`values={"models": …}` of the scenario `board`',
    ("simulate", "set_"): "`values={…}`",
    ("simulate", "preset"): "command only",
    ("simulate", "out"): "`result.save(path)`",
    ("watch", "models"): "`Race(models)`: their names",
    ("read", "out"): "command only",
    ("read", "eee"): "command only",
    **{(verb, "list_"): "command only" for verb in ("simulate", "validate")},
    **{
        ("watch", name): "command only: in Python you feed the scores"
        for name in (
            *("task", "metric", "price", "state", "once", "every", "reader", "columns", "groups"),
            *("errors", "runs", "skip_bad", "limits", "follow_links"),
        )
    },
    **{
        ("watch", name): f"`battles({name}=…)`, at every look"
        for name in ("planned", "only", "cluster", "prior")
    },
}
"""Options that are something else in Python, command by command."""
PYTHON = {
    "data": "the data",
    "other": "the data of the second model",
    "progress": "a command shows it by itself",
    "execution": "`--workers`, `--ray`, `--out`, `--work`",
    "design": "a Design, for grids",
    "draws": "draws of max-T",
    "journal": "`--out` keeps one",
    "most": "replications at most, with `precision`",
    "values": "`--set`, `--rho`, `--delta`",
}
"""Parameters that no option has the name of."""
KEYS = {
    ("compare", "delta"): "tasks.delta0",
    ("audit", "delta"): "delta0",
    ("gate", "items"): "tasks.planned",
    ("compare", "a"): "names",
    ("compare", "b"): "names",
    ("gate", "a"): "candidate",
    ("gate", "b"): "baseline",
    ("watch", "a"): "question.names",
    ("watch", "b"): "question.names",
    ("runs", "a"): "models.name",
    ("runs", "b"): "models.name",
    ("claim", "first"): "mean_a",
    ("claim", "second"): "mean_b",
    ("claim", "p"): "printed.p",
    ("claim", "ci"): "printed.ci",
    ("claim", "conf"): "printed.conf",
    ("claim", "printed_n"): "printed.n",
    ("claim", "rho"): "typical",
    ("claim", "benchmark"): "typical",
    ("compare", "score_range"): "tasks.limits",
    ("gate", "score_range"): "tasks.pair.limits",
    ("plan", "score_range"): "design.noise.width",
    ("compare", "strata"): "tasks.design",
    ("compare", "cluster"): "tasks.design",
    ("audit", "strata"): "design",
    ("audit", "cluster"): "design",
    ("gate", "strata"): "tasks.pair.design",
    ("gate", "cluster"): "tasks.pair.design",
    ("audit", "pairs"): "pairs_asked",
    ("audit", "models"): "ranks.name",
    ("gate", "superiority"): "aim",
    ("gate", "sequential"): "basis",
    ("gate", "guardrails"): "tasks.guardrail",
    ("plan", "non_inferiority"): "question",
    ("plan", "sequential"): "method",
    ("plan", "power"): "criteria.power",
    ("compare", "power"): "criteria.power",
    ("compare", "margin"): "tasks.equivalence.margin",
    ("compare", "tasks"): "tasks.task",
    ("compare", "metric"): "tasks.metric",
    ("gate", "tasks"): "tasks.pair.task",
    ("gate", "metric"): "tasks.pair.metric",
    ("audit", "tasks"): "task",
    ("items", "tasks"): "task",
    ("items", "top"): "top.models",
    ("items", "split"): "split.column",
    ("read", "reader"): "sources.reader",
    ("validate", "full"): "effort",
    **{(verb, "one_sided"): "criteria.sides" for verb in ("plan", "claim", "compare", "runs")},
}
"""JSON keys that have another name, or stand deeper than one of the same name."""


STRANGERS = {
    ("audit", "groups"),
    ("audit", "limits"),
    ("gate", "runs"),
    ("shrink", "limits"),
    ("shrink", "models"),
}
"""Options with the name of a key that is something else: sizes, counts, the range of scores."""
PLACES = ("criteria", "question", "design", "design.noise")
"""Where a result repeats its question, besides at its top."""


def keys(kind: str) -> set[str]:
    """Paths of all keys of a kind of result, those in lists and nested ones too."""
    schema = result_class(kind).schema()
    return set(_keys(schema, schema["$defs"], ()))


def _keys(node: Any, defs: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from _keys(part, defs, path)
        return
    if not isinstance(node, dict) or len(path) > 4:
        return
    if "$ref" in node:
        yield from _keys(defs[node["$ref"].rpartition("/")[2]], defs, path)
    for name, inner in node.get("properties", {}).items():
        yield ".".join((*path, name))
        yield from _keys(inner, defs, (*path, name))
    for part in ("items", "allOf", "anyOf", "oneOf", "prefixItems"):
        yield from _keys(node.get(part, ()), defs, path)


def parameters(function: Callable[..., Any]) -> list[str]:
    """Names of the parameters, the words on reading among them."""
    found = list(inspect.signature(function).parameters)
    if "reading" not in found:
        return found
    words = TableWords if function is nstar.battles else ReadingWords
    return [name for name in found if name != "reading"] + list(words.__annotations__)


def _key(verb: str, name: str, there: set[str]) -> str:
    """The key of an option; "" if the result does not repeat it."""
    told = KEYS.get((verb, name))
    if told is not None:
        if told not in there:
            msg = f"{verb}: no JSON key {told!r}"
            raise SystemExit(msg)
        return told
    if (verb, name) in STRANGERS:
        return ""
    for path in (name, *(f"{place}.{name}" for place in PLACES)):
        if path in there:
            return path
    return ""


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Command, option, parameter or what else, and key."""
    for verb, function in VERBS.items():
        command = main.get_command(click.Context(main), verb)
        assert command is not None
        there = set().union(*map(keys, printed_by(verb)))
        known = parameters(function)
        for param in command.params:
            name = str(param.name)
            flag = max(param.opts, key=len) if isinstance(param, click.Option) else name.upper()
            if name in known:
                yield verb, flag, f"`{name}`", _key(verb, name, there)
                continue
            other = OTHERWISE.get((verb, name)) or SHOWN.get(name)
            if other is None:
                msg = f"{verb} {flag}: no parameter {name!r} and no explanation"
                raise SystemExit(msg)
            yield verb, flag, other, ""
        _refuse_unknown(verb, known, [str(p.name) for p in command.params])


def _refuse_unknown(verb: str, known: list[str], options: list[str]) -> None:
    for name in known:
        given = verb in {"compare", "gate", "runs"} and name in {"candidate", "baseline", "a", "b"}
        if name not in options and name not in PYTHON and not given:
            msg = f"{verb}({name}=…) has no option and no explanation"
            raise SystemExit(msg)


HEAD = """# One word everywhere

Written by `scripts/words_table.py`, which CI runs.

## Words of an answer

A quantity has one name in reports, pages and this documentation, and one in Python, in JSON and
as a column of CSV and Parquet; the script fails if a result calls it otherwise. A word before it
says whose it is (`n_star_ci`, `bias_p`); what belongs to the first or second model ends in `_a`
or `_b`. Where a result holds several tasks, models or pairs, the name is theirs:
`comparison.tasks[0].delta`, `audit.ranks.rank_low`, `audit.adjacent.p`. Every result has
`headline`; JSON adds `notes` and `assumptions`, in Python the words of `result.render()`.

"""

OPTIONS = """

## Words of a question

An option without a parameter of its name, or a parameter without an option, must be explained
here. An option that may be repeated is singular (`--task`), its parameter plural (`tasks`).
Python takes proportions (0.01), the command proportions and points (`1pp`). JSON keys are paths
in `--format json`, a list's name standing for each of its elements; most answers do not repeat
every word of the question.

| option | of | in Python | in JSON |
|---|---|---|---|
"""


def page() -> str:
    """The table, one row for options that are the same in several commands."""
    merged: dict[tuple[str, str, str], list[str]] = {}
    for verb, flag, parameter, key in rows():
        merged.setdefault((flag, parameter, key), []).append(verb)
    lines = [
        f"| `{flag}` | {', '.join(verbs)} | {parameter} | {f'`{key}`' if key else ''} |"
        for (flag, parameter, key), verbs in merged.items()
    ]
    lines += ["", "Parameters that are not options:", "", "| parameter | |", "|---|---|"]
    lines += [f"| `{name}` | {why} |" for name, why in PYTHON.items()]
    answers = "\n".join(table(tuple(sorted(KINDS)), keys))
    return HEAD + answers + OPTIONS + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(keep_page(PAGE, page()))

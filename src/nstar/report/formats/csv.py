"""CSV of the main table of a result: RFC 4180, full precision, no formulas.

The numbers are those of JSON: proportions or score units, and an empty cell for "no number".
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

from nstar.errors import ParameterError
from nstar.report._kinds import KINDS
from nstar.report.prose.numbers import name

if TYPE_CHECKING:
    from nstar._verbs.audit import Audit
    from nstar._verbs.battles import Battles
    from nstar._verbs.budget import TaskPlan
    from nstar._verbs.claim import TableClaim, UnpairedClaim, WinsClaim
    from nstar._verbs.compare import Comparison
    from nstar._verbs.data_summary import Coverage
    from nstar._verbs.gate import FalseAlarms, Gate
    from nstar._verbs.judged import Judged
    from nstar._verbs.judges import Judges
    from nstar._verbs.plan.board_result import BoardPlan
    from nstar._verbs.race import RaceResult
    from nstar._verbs.reference import Known
    from nstar._verbs.runs import Runs
    from nstar._verbs.shrink import Subset
    from nstar._verbs.watch import WatchResult

TableRow: TypeAlias = dict[str, Any]

_FORMULA = re.compile(r"""(^|[;,])([" ]*)(?=[=+\-@＝＋－＠])""")
"""Beginnings of a cell that a spreadsheet evaluates; some take a semicolon for the end of a cell.
"""
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE | re.ASCII)

_NEXT = (
    *("n_items", "gap", "ci_adjusted_low", "ci_adjusted_high", "pvalue_adjusted", "q_adjusted"),
    *("verdict", "is_underpowered", "more_items", "ci_unadjusted_low", "ci_unadjusted_high"),
)
"""What a row of a ranking says about the next model."""


_LEADING = (
    *("task", "metric", "n_items", "mean_a", "mean_b", "gap", "ci", "pvalue", "pvalue_adjusted"),
)
"""What a row of a comparison begins with."""

_NESTED = ("equivalence", "missing_items", "run_variance", "attrition", "runs", "effect_size")
"""Parts of a comparison or of a gate that may be absent."""


_NESTED_IN_GATE = ("needed_to_decide", "task_rule", "item_changes")
"""Parts of a task of a gate that may be absent."""


def _cell(value: Any) -> str:
    """A number in full, or text that no spreadsheet evaluates and no terminal interprets."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value) if math.isfinite(value) else ""
    text = name(str(value), limit=len(str(value)))
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\2'", text)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _flat(row: TableRow) -> TableRow:
    """Intervals as two columns; lists and other parts are for JSON."""
    out: TableRow = {}
    for key, value in row.items():
        ends = value._asdict() if hasattr(value, "_asdict") else value
        if ends is None and key.split("_")[-1] == "ci":
            ends = {"low": None, "high": None}
        if isinstance(ends, dict):
            if ends.keys() == {"low", "high"}:
                out |= {f"{key}_{end}": _plain(x) for end, x in ends.items()}
        elif not isinstance(ends, list | tuple):
            out[key] = _plain(value)
    return out


def _ranked(result: "Audit") -> Iterator[TableRow]:
    """Models from best to worst, each with the gap to the next."""
    from nstar.report.prose.letter_display import letters

    ties = letters(result).of
    pairs = list(result.adjacent.rows())
    for k, row in enumerate(result.ranking.rows()):
        after = pairs[k] if k < len(pairs) else {}
        yield row | {
            "letters": None if ties is None else ties[k],
            "next": result.ranking.model[k + 1] if after else None,
            **{f"next_{key}": after.get(key) for key in _NEXT},
        }


def _audit(audit: "Audit") -> Iterable[TableRow]:
    """Models; the pairs if some were asked for."""
    if len(audit.tasks) > 1:
        return _ranked(audit)
    if len(audit.pairs):
        return audit.pairs.rows()
    if audit.pairs_requested != "adjacent":
        msg = f"The pairs {audit.pairs_requested} are too many for one table. Use --out DIR "
        msg += "(Parquet)"
        raise ParameterError(msg)
    return _ranked(audit)


def _comparison(comparison: "Comparison") -> Iterator[TableRow]:
    a, b = comparison.models
    cells = ("n11", "n10", "n01", "n00", "psi")
    data = comparison.to_dict()
    for row in data["tasks"]:
        margin, counts = row["equivalence"] or {}, row["counts"] or {}
        size = row["effect_size"] or {}
        yield {
            "model_a": a,
            "model_b": b,
            **{key: row[key] for key in _LEADING},
            **{key: value for key, value in row.items() if key not in (*_NESTED, "counts")},
            "binary_values": dict(zip(("low", "high"), row["binary_values"], strict=True)),
            **{key: counts.get(key) for key in cells},
            **{f"effect_size_{key}": size.get(key) for key in ("d_z", "h")},
            "margin": margin.get("margin"),
            "is_equivalent": margin.get("is_equivalent"),
        }


def _coverage(coverage: "Coverage") -> Iterator[TableRow]:
    for task in coverage.tasks:
        for model in task.models:
            yield {"task": task.task, "metric": task.metric, **asdict(model)}


def _rows(result: Any) -> Iterable[TableRow]:
    """Return the scenarios or rows that most results have."""
    if hasattr(result, "scenarios"):
        return map(asdict, result.scenarios)
    return result.rows() if callable(result.rows) else map(asdict, result.rows)


def _unpaired_claim(result: "UnpairedClaim") -> Iterator[TableRow]:
    """A row for each accuracy."""
    sizes, shares = (result.n_items_a, result.n_items_b), (result.mean_a, result.mean_b)
    for model, p, n, right in zip(
        ("first", "second"), shares, sizes, result.n_correct, strict=True
    ):
        yield {
            "model": model,
            "mean": p,
            "n_items": n,
            "n_correct_low": right.least,
            "n_correct_high": right.most,
        }


def _wins_claim(result: "WinsClaim") -> Iterator[TableRow]:
    """A row for each assumption about what is not reported."""
    for assumption in ("named", "any", "counted", "picked", "rival"):
        yield {"assumption": assumption, "pvalue": getattr(result, f"pvalue_{assumption}")}


def _table_claim(result: "TableClaim") -> Iterator[TableRow]:
    """A row for each best value against each other model."""
    for column in result.columns:
        for lead in column.leads:
            low, high = lead.pvalue_typical or (None, None)
            yield {
                "benchmark": column.benchmark,
                "n_items": column.n_items,
                "best": (column.bold or column.best)[0],
                "other": lead.model,
                "gap": lead.gap,
                "pvalue": lead.pvalue,
                "pvalue_typical": {"low": low, "high": high},
                "verdict": lead.verdict,
                "verdict_of_best": column.verdict,
            }


def _board(result: "BoardPlan") -> Iterator[TableRow]:
    """Claims under each reading of the items, or other assumptions."""
    if result.assumed is not None:
        yield from _rows(result.assumed)
    for reading in result.readings:
        assumption = {"items_are": reading.items_are, "column": reading.column}
        yield from (assumption | asdict(row) for row in reading.claims)


def _budget(result: "TaskPlan") -> Iterator[TableRow]:
    """The design of the headline, then the alternatives; money and gaps in full."""
    from nstar.report.prose.task_plan import table_rows

    return table_rows(result)


def _rated(result: "Battles") -> Iterator[TableRow]:
    """Models from best to worst, each with the gap to the next; then those without a rating."""
    gaps = list(result.adjacent.rows())
    for i, row in enumerate(result.ratings.rows()):
        after = gaps[i] if i < len(gaps) else dict.fromkeys(gaps[0] if gaps else ())
        next_columns = {key: after[key] for key in after if key not in {"model_a", "model_b"}}
        yield row | {f"next_{key}": value for key, value in next_columns.items()}
    yield from (
        {"model": u.model, "n_votes": u.n_votes, "unrated": u.reason} for u in result.unrated
    )


def _judged(result: "Judged") -> Iterator[TableRow]:
    """The gap by judge and labels: the answer first."""
    models = dict(zip(("model_a", "model_b"), result.models, strict=True))
    for at in (result.estimate, *result.other_estimates):
        yield models | {"task": result.task, "n_labels": result.n_labels} | asdict(at)


def _known(result: "Known") -> Iterator[TableRow]:
    """The gap as each claim: the answer first."""
    models = dict(zip(("model_a", "model_b"), result.models, strict=True))
    for at in (result.estimate, *result.other_estimates):
        yield models | {"task": result.task, "n_sampled": result.n_sampled} | asdict(at)


def _judges(result: "Judges") -> Iterator[TableRow]:
    """A row for each judge, what it shares with people beside it."""
    agreement_columns = ("share", "kappa", "kappa_ci", "bias", "bias_ci", "youden", "youden_ci")
    for judge in result.judges:
        row = asdict(judge)
        agreement = row.pop("agreement") or {}
        yield {"task": result.task} | row | {key: agreement.get(key) for key in agreement_columns}


def _runs(result: "Runs") -> Iterator[TableRow]:
    columns = ("n_runs", "n_passed", "mean", "variance", "ci", "flip_probability")
    for model in result.model_runs:
        for task in model.tasks:
            cells = {key: getattr(task, key) for key in (*columns, "next_flip_probability")}
            yield {"model": model.model, "task": task.task} | cells


def _gate(gate: "Gate") -> Iterator[TableRow]:
    gate_columns = {
        key: getattr(gate, key) for key in ("candidate", "baseline", "verdict", "invalid_reason")
    }
    for check, task in zip(gate.tasks, gate.to_dict()["tasks"], strict=True):
        pair = {
            "lower_is_better": check.comparison.lower_is_better,
            "design": check.comparison.estimate.design,
            "se": check.comparison.se,
        }
        row = (
            gate_columns
            | {"task": check.task, "metric": check.metric}
            | task["evidence"]
            | task
            | pair
        )
        yield {k: v for k, v in row.items() if k not in _NESTED_IN_GATE}
    if not gate.tasks:
        yield gate_columns


def _false_alarms(result: "FalseAlarms") -> Iterator[TableRow]:
    """Answers of the gate to runs of one model, by which pairs of runs."""
    for pairs in ("ordered", "disjoint"):
        yield {"pairs": pairs, **asdict(getattr(result, f"{pairs}_pairs"))}


def _moments(result: "WatchResult") -> Iterator[TableRow]:
    """The way of the evidence."""
    for moment in result.moments:
        yield moment._asdict()


def _raced(result: "RaceResult") -> Iterator[TableRow]:
    """Who is left, and then who was dropped."""
    for runner in result.active_models:
        yield {"is_active": True, **asdict(runner)}
    for model in result.eliminated_models:
        yield {"is_active": False, **asdict(model)}


def _subset(result: "Subset") -> Iterator[TableRow]:
    """The list, as ``--weights`` reads it."""
    has_tasks = any(result.tasks)
    for c in result.items:
        task = {"task": c.task} if has_tasks else {}
        yield {"item": c.item, **task, "stratum": c.stratum, "weight": c.weight}


def _gap_claim(result: Any) -> list[TableRow]:
    return [{key: value for key, value in asdict(result).items() if key != "criteria"}]


_TABLES: dict[str, Callable[[Any], Iterable[TableRow]]] = {
    "Audit": _audit,
    "Items": lambda result: result.table.rows(),
    "Judged": _judged,
    "Judges": _judges,
    "Known": _known,
    "Battles": _rated,
    "Comparison": _comparison,
    "Coverage": _coverage,
    "BoardPlan": _board,
    "TaskPlan": _budget,
    "UnpairedClaim": _unpaired_claim,
    "TableClaim": _table_claim,
    "ClaimList": lambda result: map(asdict, result.claims),
    "GapClaim": _gap_claim,
    "WinsClaim": _wins_claim,
    "Selfcheck": lambda result: map(asdict, result.families),
    "Runs": _runs,
    "Subset": _subset,
    "Gate": _gate,
    "FalseAlarms": _false_alarms,
    "RaceResult": _raced,
    "WatchResult": _moments,
}
"""Results whose main table is not their ``rows``."""


def main_table(result: Any) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns, and rows of numbers, truth values, and texts.

    None for "none".
    """
    kind = type(result).__name__
    if kind not in KINDS:
        msg = f"A {kind} has no table for CSV or a data frame. Use JSON."
        raise ParameterError(msg)
    rows = [_flat(row) for row in _TABLES.get(kind, _rows)(result)]
    header = list(dict.fromkeys(key for row in rows for key in row))
    return header, [[row.get(key) for key in header] for row in rows]


def render_csv(result: Any) -> str:
    """Return the main table of a result with a header row."""
    header, rows = main_table(result)
    out = StringIO(newline="")
    sheet = csv.writer(out)
    sheet.writerow(header)
    sheet.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _sheet(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return CSV without formulas that a spreadsheet would evaluate."""
    out = StringIO(newline="")
    csv.writer(out).writerows([_cell(value) for value in row] for row in (header, *rows))
    return out.getvalue()


def differing_file(columns: Mapping[str, Sequence[Any]], suffix: str) -> tuple[int, bytes]:
    r"""How many rows there are, and the whole file: ``.csv`` or ``.jsonl``.

    Examples
    --------
    >>> differing_file({"item": ["q1"], "gap": [1.0]}, ".jsonl")
    (1, b'{"item": "q1", "gap": 1.0}\n')
    """
    rows = list(zip(*columns.values(), strict=True))
    if suffix.lower() == ".csv":
        return len(rows), _sheet(list(columns), rows).encode("utf-8", "replace")
    lines = (json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    return len(rows), "".join(f"{line}\n" for line in lines).encode()

"""Read LiveCodeBench logs: ``output/MODEL/Scenario.codegeneration_N_TEMPERATURE_eval_all.json``.

The file contains an array of problems, each with a ``graded_list`` of one verdict per sample.
Samples are runs. Only code generation and self-repair are read, because other scenarios have other
questions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import (
    balanced,
    begins,
    first_of,
    folder_name,
    group_label,
    inspection_journal,
    run_label,
)
from nstar.readers._files import Place
from nstar.readers._json import json_elements
from nstar.readers._values import entry, item_name, means_of, text, unfit

__all__ = ["READER"]

_FILE = re.compile(
    r"(?:Scenario\.)?(?P<scenario>codegeneration|selfrepair)"
    r"_(?P<n>\d+)_(?P<temperature>[\d.]+)(?:_cot)?(?P<kind>_eval_all|_eval|)\.json"
)
_GROUPS = ("difficulty", "platform", "contest_date")


class _Problem(msgspec.Struct):
    question_id: Any = None
    question_content: Any = None
    difficulty: Any = None
    platform: Any = None
    contest_date: Any = None
    graded_list: Any = None


class _Reader:
    name = "livecodebench"

    def sniff(self, place: Place, head: bytes) -> Role:
        match = _FILE.fullmatch(place.name)
        if match and match["kind"] != "_eval_all" and head.lstrip()[:1] in (b"[", b"{"):
            return "companion"
        problems = begins(head, b"[", "question_id", "question_content", "contest_date")
        if not problems or b'"test_id"' in head:
            return None
        return "log" if match or b'"graded_list"' in head else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        for place in places:
            match = _FILE.fullmatch(place.name)
            parts = match.groupdict() if match else {}
            model = folder_name(place) if match else place.name.removesuffix(".json")
            task = f"livecodebench_{parts.get('scenario') or 'codegeneration'}"
            sampling = {k: parts[k] for k in ("n", "temperature") if k in parts}
            yield Unit(place=place, model=model, lent=True, task=task, context=sampling)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        source = journal.source(unit.place, self.name, model=unit.model, task=unit.task)
        source.harness, source.settings = "LiveCodeBench", unit.context
        rows = Rows("item", "score", "run", "content", *_GROUPS)
        graded: list[str] = []
        for line, problem in json_elements(unit.place, None, _Problem, journal):
            item = item_name(problem.question_id)
            wrong = _problem_of(item, problem)
            if wrong is not None:
                journal.bad_row(unit.place, line, wrong)
                continue
            question = text(problem.question_content)
            content = None if question is None else content_key(question)
            groups = [group_label(getattr(problem, name)) for name in _GROUPS]
            for number, verdict in enumerate(problem.graded_list, 1):
                run = run_label(unit.run, str(number))
                rows.add(item, float(verdict), run, content, *groups)
            graded += [str(item)] * len(problem.graded_list)
            if rows.full:
                yield rows.batch(model=unit.model, task=unit.task, metric="pass")
        if balanced(graded):
            source.aggregates = _own_mean(unit.place, journal)
        yield rows.batch(model=unit.model, task=unit.task, metric="pass")


def _problem_of(item: str | None, problem: _Problem) -> str | None:
    """Return a description of an invalid value in a problem."""
    if item is None:
        return unfit("question_id", problem.question_id, "expected a number or text")
    verdicts = problem.graded_list
    if isinstance(verdicts, list) and verdicts and all(type(v) is bool for v in verdicts):
        return None
    fix = "expected a list of true/false values. Evaluate again with --evaluate"
    return unfit(f"{item}: graded_list", verdicts, fix)


def _own_mean(place: Place, journal: Journal) -> dict[str, float]:
    """Return pass@1 from the file ``…_eval.json``, whose first element contains the means."""
    beside = place.sibling(place.name.replace("_eval_all", "_eval"))
    if beside.name == place.name or not beside.exists():
        return {}
    means = first_of(json_elements(beside, None, Any, inspection_journal(journal)))
    return means_of({"pass": entry(means, "pass@1")})


READER = _Reader()

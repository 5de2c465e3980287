"""Audit folders and sites for tests."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

from helpers.boards import board, scores, subjects
from nstar import Audit, ScoreMatrix, audit, report
from nstar._data.export.audit_folders import write_summary
from nstar._engine.work import Execution
from nstar._verbs.audit.item_answers import keep_answers

__all__ = [
    "ATTRIBUTES",
    "TAGS",
    "audited",
    "change",
    "copy_audit",
    "files",
    "leaderboard",
    "stamps",
]

_TAGS = """
a b blockquote body button caption circle cite clippath code dd desc details div dl dt figcaption
figure footer g h1 h2 head header html img input label li line link main meta metadata nav noscript
ol p path pre rect script section small span summary svg symbol table tbody td text th thead title
tr ul use
"""
_ATTRIBUTES = """
alt aria-hidden aria-label aria-labelledby autocomplete charset class clip-path content cx cy d
data-address data-as-run data-above data-apart data-find data-first data-from data-gap data-high
data-k data-label data-low data-names data-ranks data-row data-rows data-share data-step data-to
data-top data-x1 data-xm data-page defer dx fill font-family font-size for height hidden href
http-equiv id lang loading media name preserveaspectratio property r rel role rx scope spellcheck
src stroke stroke-linecap stroke-width tabindex target text-anchor textlength transform
type viewbox width x x1 x2 xmlns y y1 y2
"""
TAGS, ATTRIBUTES = frozenset(_TAGS.split()), frozenset(_ATTRIBUTES.split())
"""What a page of a site is made of."""


def leaderboard(seed: int = 3, models: int = 7, **options: Any) -> ScoreMatrix:
    """Scores of some models on 150 items."""
    task = options.pop("task", "Some Task")
    names = options.pop("names", [f"m{i}" for i in range(models)])
    lower = options.pop("lower_is_better", False)
    x = scores(seed, models=models, items=150, **options)
    labels = subjects(seed, 150)
    return board(x, labels=labels, models=names, task=task, lower_is_better=lower)


def files(root: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    """What changes of a file when it is written again."""
    every = (p for p in root.rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): (p.stat().st_ino, p.stat().st_mtime_ns) for p in every}


def audited(folder: Path, matrix: ScoreMatrix, **options: Any) -> Audit:
    """What ``nstar audit --out`` writes, and the audit with all its pairs."""
    how = Execution(out=str(folder))
    findings = options.pop("findings", ())
    found = audit(matrix, **{"pairs": "all", "draws": 999, "execution": how, **options})
    found = replace(found, findings=(*found.findings, *findings))
    keep_answers(found, str(folder))
    write_summary(str(folder), report.render(found.without_pairs(), "json", paragraph=True))
    return found


_AUDITS: dict[bytes, tuple[Audit, dict[str, bytes]]] = {}


def copy_audit(folder: Path, matrix: ScoreMatrix, **options: Any) -> Audit:
    """The same as :func:`audited`, whose work is done once for the same scores and options.

    Each folder has files of its own, so a test may change them. What is written does not depend
    on the folder; whoever patches the audit itself asks for a new one.
    """
    key = pickle.dumps((matrix, sorted(options.items())))
    if key not in _AUDITS:
        found = audited(folder, matrix, **options)
        _AUDITS[key] = found, files(folder)
        return found
    found, content = _AUDITS[key]
    for place, data in content.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return found


def change(folder: Path, name: str = "audit.json", **values: Any) -> None:
    """Write other values into a JSON file of a folder, and into its only task."""
    path = folder / name
    data = json.loads(path.read_text("utf-8"))
    for task in data.get("tasks", ()):
        task |= {key: value for key, value in values.items() if key in task}
        values = {key: value for key, value in values.items() if key in data or key not in task}
    path.write_text(json.dumps(data | values), encoding="utf-8")

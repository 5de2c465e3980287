"""Audit folders and sites for tests."""

import json
from pathlib import Path
from typing import Any

from nstar import Audit, ScoreMatrix, audit, report
from nstar.export.pair_parts import write_summary

__all__ = ["audited", "change"]


def audited(folder: Path, matrix: ScoreMatrix, **options: Any) -> Audit:
    """What ``nstar audit --out`` writes, and the audit with all its pairs."""
    found = audit(matrix, **{"pairs": "all", "draws": 999, "out": str(folder), **options})
    write_summary(str(folder), report.render(found, "json"))
    return found


def change(folder: Path, name: str = "audit.json", **values: Any) -> None:
    """Write other values into a JSON file of a folder."""
    path = folder / name
    data = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(data | values), encoding="utf-8")

"""docs/validation.md from a full run of ``nstar validate``.

``python scripts/validation.py RUN.json …`` takes what ``nstar validate --full --format json``
printed, in one run or in several with some claims each, keeps it as docs/validation.json without
what can be computed again, and writes the page. ``--keep`` leaves the claims that are kept and not
in RUN.json as they are. ``--check`` writes nothing: exit status 1 if the page is not what the kept
run says.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from nstar._verbs.validate import CLAIMS, Validation, restored
from nstar._verbs.validate.claim import GROUPS
from nstar.report import document, render

DOCS = Path(__file__).parents[1] / "docs"
KEPT, PAGE = DOCS / "validation.json", DOCS / "validation.md"
SAME = ("schema", "nstar", "effort", "seed", "numpy", "seconds", "data")
CELL = ("procedure", "role", "setting", "promised", "rate", "reps")
CLAIM = ("group", "says", "bound", "slack", "advice")

INTRO = """# Does nstar keep its promises?

Written by `scripts/validation.py` from a {effort} run of [`nstar validate`](validate.md), kept in
[validation.json](validation.json): every cell with its rate. Nothing that fails is left out;
what promises more than it holds is a known limit, with advice.

"""


def compact(run: dict[str, Any]) -> str:
    """One line per cell; words, tolerance and outcome are those of today's nstar."""
    head = {k: run[k] for k in SAME}
    lines = []
    for claim in run["claims"]:
        cells = ",\n".join(
            json.dumps([rounded(r[k]) for k in CELL], ensure_ascii=False)
            for r in claim["readings"]
        )
        lines.append(f'{{"name": {json.dumps(claim["name"])}, "cells": [\n{cells}]}}')
    body = ",\n".join(lines)
    return f'{json.dumps(head)[:-1]}, "columns": {json.dumps(CELL)}, "claims": [\n{body}\n]}}\n'


def together(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """All claims; of one that several runs have, the last. Seconds add up."""
    first = runs[0]
    for name in ("nstar", "effort", "seed", "numpy"):
        assert all(r[name] == first[name] for r in runs), f"runs differ in {name}"
    claims = {c["name"]: c for run in runs for c in run["claims"]}
    order = sorted(claims.values(), key=lambda c: GROUPS.index(CLAIMS[c["name"]].group))
    used = next((r["data"] for r in runs if r["data"]), None)
    seconds = round(sum(r["seconds"] for r in runs), 1)
    return first | {"claims": order, "data": used, "seconds": seconds}


def rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def expanded() -> dict[str, Any]:
    """The kept run as ``nstar validate`` printed it."""
    run: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    for claim in run["claims"]:
        about = CLAIMS[claim["name"]]
        claim |= {k: getattr(about, k) for k in CLAIM}
        claim["readings"] = [dict(zip(CELL, c, strict=True)) for c in claim.pop("cells")]
    return run


def page(validation: Validation) -> str:
    worst = document(validation).grids[0].title
    text = render(validation, "markdown")
    assert worst in text, "the worst cells do not fit the page"
    return INTRO.format(effort=validation.effort) + text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.runs:
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in options.runs]
        runs = [expanded(), *runs] if options.keep else runs
        KEPT.write_text(compact(together(runs)), encoding="utf-8")
    text = page(restored(expanded()))
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is stale; run scripts/validation.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

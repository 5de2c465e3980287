"""Write docs/evidence/validation.md, and parts of docs/validation.md, from a full validation run.

``python scripts/validation_page.py RUN.json …`` takes the output of ``python -m validation
--thorough --format json``, in one run or in several with some claims each. It stores the rates as
docs/validation.json, and writes the pages. ``--keep`` leaves claims that are stored and not in
RUN.json unchanged. ``--check`` writes nothing, and exits with status 1 if the page is stale.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from _section import DOCS, json_lines, keep, keep_page, rounded
from validation import CLAIMS, Validation
from validation.promise import GROUPS
from validation.report import document, render
from validation.result import judged

KEPT, PAGE = DOCS / "validation.json", DOCS / "evidence" / "validation.md"
INTRO = """# Every validated claim

Written by `scripts/validation_page.py` from a {effort} run. Every cell is in
[validation.json](../validation.json). Claims that were not run again keep the rates of an earlier
version. [Summary, limits of the defaults, and how to repeat it](../validation.md)

"""
LIMIT = "- Known limit: "


def compact(run: Validation) -> str:
    """JSON with a line for each claim and each cell; numbers are rounded."""
    data = {"schema": run.schema_name(), **rounded(run.to_dict())}
    lists = {key: data.pop(key) for key in ("claims", "cells")}
    parts = [json.dumps(data, ensure_ascii=False)[:-1]]
    parts += [f'"{key}": {json_lines(rows)}' for key, rows in lists.items()]
    return ", ".join(parts) + "}\n"


def together(runs: list[Validation]) -> Validation:
    """All claims; of one that several runs have, the last. Seconds and versions add up."""
    first = runs[0]
    for name in ("effort", "seed", "numpy"):
        assert all(getattr(r, name) == getattr(first, name) for r in runs), (
            f"runs differ in {name}"
        )
    versions = dict.fromkeys(v for r in runs for v in r.nstar.split(" and "))
    latest = {c.name: run for run in runs for c in run.claims}
    order = sorted(latest, key=lambda name: GROUPS.index(CLAIMS[name].group))
    return today(
        replace(
            first,
            nstar=" and ".join(versions),
            claims=tuple(CLAIMS[name].promise for name in order),
            cells=tuple(c for name in order for c in latest[name].cells if c.claim == name),
            data=next((r.data for r in runs if r.data), None),
            seconds=round(sum(r.seconds for r in runs), 1),
        )
    )


def today(run: Validation) -> Validation:
    """The rates of a run with the words, tolerances and outcomes of today's nstar."""
    claims = {c.name: CLAIMS[c.name].promise for c in run.claims}
    cells = judged([(claims[c.claim], c) for c in run.cells])
    return replace(run, claims=tuple(claims.values()), cells=cells)


def stored_validation() -> Validation:
    """The run in docs."""
    return Validation.from_json(KEPT.read_bytes())


def page(validation: Validation) -> str:
    """The headline, the limits of options, the largest deviations, and all tables."""
    worst = document(validation).grids[0].title
    text = render(validation, "markdown")
    assert worst in text, "the worst cells do not fit the page"
    lines = text.splitlines(keepends=True)
    rest = "".join(line for line in lines if not line.startswith(LIMIT))
    head, title, tables = rest.partition(worst)
    limits = f"Known limits of options, largest first:\n\n{known_limits(validation)['options']}\n"
    return INTRO.format(effort=validation.effort) + head + limits + title + tables


def known_limits(validation: Validation) -> dict[str, str]:
    """Claims that do not hold, largest deviation first: defaults of nstar, then options."""
    lines = render(validation, "markdown").splitlines(keepends=True)
    limits = [line for line in lines if line.startswith(LIMIT)]
    role = {f"{LIMIT}{c.procedure} ({c.claim}) ": c.role for c in validation.limits}
    limits_text = {}
    for word, subject in (("default", "defaults"), ("option", "options")):
        notes = [x for x in limits if any(x.startswith(k) for k, r in role.items() if r == word)]
        if notes:
            limits_text[subject] = "".join(notes).replace(LIMIT, "- ")
    count = sum(bullets.count("\n") for bullets in limits_text.values())
    assert count == len(limits), "a limit is neither of a default nor of an option"
    return limits_text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.runs:
        runs = [Validation.from_json(path.read_bytes()) for path in options.runs]
        runs = [stored_validation(), *runs] if options.keep else runs
        KEPT.write_text(compact(together(runs)), encoding="utf-8")
    run = today(stored_validation())
    stale = keep_page(PAGE, page(run))
    stale |= keep("validation.md", "headline", document(run).headline)
    return stale | keep("validation.md", "limits", known_limits(run)["defaults"].rstrip())


if __name__ == "__main__":
    sys.exit(main())

"""Write the tables of docs/peers.md and README.md from docs/peers.json.

python scripts/peers/page.py            rewrite all
python scripts/peers/page.py --check    exit 1 if one is stale
"""

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(HERE.parent))

from _section import keep  # noqa: E402

Record = dict[str, Any]
QUESTIONS = {
    "paired": "Does A beat B?",
    "plan": "Items needed?",
    "tell": "Detectable gap?",
    "clusters": "Clustered items?",
    "runs": "Repeated runs?",
    "many": "Rank ranges?",
    "peek": "Early looks?",
    "missing": "Missing items?",
    "gate": "Non-inferiority?",
    "readers": "Reads logs?",
    "html": "HTML report?",
    "big": "200 × 10,000 in 5 min?",
    "judge": "Corrects a judge?",
    "votes": "Rates votes?",
    "evaluates": "Runs the evaluation?",
}
TOOLS = (
    "nstar", "evalstats", "evalsig", "evalci", "deltagate", "errorbars", "statgate", "evaltrust",
    "evalconfidence", "abeval", "eval_integrity", "judgy", "statsmodels", "inspect_ai", "lm_eval",
    "evalica", "arena_rank",
)  # fmt: skip
"""The tools of docs/peers.md, in their order."""
README_TOOLS = ("nstar", "errorbars", "evalstats", "statsmodels", "inspect_ai")
README_QUESTIONS = ("paired", "tell", "many", "readers", "evaluates")
TITLES = {
    "inspect_ai": "Inspect",
    "lm_eval": "lm-eval",
    "eval_integrity": "eval-integrity",
    "arena_rank": "arena-rank",
}


def title(name: str) -> str:
    return TITLES.get(name, name)


def cell(record: Record) -> str:
    return record["word"] if record["shown"] else f"{record['word']} (read)"


def table(tools: dict[str, Record]) -> str:
    """A row for each tool, a column for each question."""
    lines = ["| | Version | " + " | ".join(QUESTIONS.values()) + " |"]
    lines.append("|---|---|" + "---|" * len(QUESTIONS))
    for name in TOOLS:
        words = (cell(tools[name]["cells"][row]) for row in QUESTIONS)
        lines.append(f"| {title(name)} | {tools[name]['version']} | " + " | ".join(words) + " |")
    return "\n".join(lines)


def short(tools: dict[str, Record]) -> str:
    """A part of the table for README.md."""
    titles = (QUESTIONS[row] for row in README_QUESTIONS)
    lines = ["| | " + " | ".join(titles) + " |", "|---|" + "---|" * len(README_QUESTIONS)]
    for name in README_TOOLS:
        words = (tools[name]["cells"][row]["word"] for row in README_QUESTIONS)
        lines.append(f"| {title(name)} | " + " | ".join(words) + " |")
    return "\n".join(lines)


def faults(tools: dict[str, Record]) -> list[str]:
    """Cells without a question, or that point to nothing."""
    wrong = [f"{name}: not in the table" for name in tools if name not in TOOLS]
    for name, tool in tools.items():
        runs = {run["name"] for run in tool["probes"]}
        if set(tool["cells"]) != set(QUESTIONS):
            wrong.append(f"{name}: cells are not those of the questions")
        wrong += [
            f"{name}: {row} points to {probe}, which was not run"
            for row, cell in tool["cells"].items()
            for probe in cell["shown"]
            if probe not in runs
        ]
    return wrong


def main() -> int:
    record = json.loads((DOCS / "peers.json").read_text("utf-8"))
    tools = record["tools"]
    wrong = faults(tools)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    stale = [keep("peers.md", "table", table(tools)), keep("../README.md", "peers", short(tools))]
    return 1 if wrong or any(stale) else 0


if __name__ == "__main__":
    sys.exit(main())

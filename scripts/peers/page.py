"""Write docs/peers.md, its transcripts, and the table of README.md from docs/peers.json.

python scripts/peers/page.py            rewrite all
python scripts/peers/page.py --check    exit 1 if one is stale
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(HERE.parent))

from _section import keep  # noqa: E402
from peers.tool import QUESTIONS, STOPPED  # noqa: E402

Record = dict[str, Any]
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
TRANSCRIPTS = "peers/transcripts.md"


def title(name: str) -> str:
    return TITLES.get(name, name)


def name_with_version(name: str, tool: Record) -> str:
    return f"{title(name)} {tool['version']}"


def anchor(heading: str) -> str:
    """As GitHub and MkDocs make it."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-")


def cell(name: str, record: Record) -> str:
    word = record["word"]
    if not record["shown"]:
        return f"{word} (read)"
    first, *links = (
        f"{TRANSCRIPTS}#{anchor(f'{title(name)} {probe}')}" for probe in record["shown"]
    )
    return " ".join([f"[{word}]({first})", *(f"[·]({link})" for link in links)])


def table(tools: dict[str, Record]) -> str:
    """A row for each tool, a column for each question."""
    lines = ["| | " + " | ".join(QUESTIONS.values()) + " |", "|---|" + "---|" * len(QUESTIONS)]
    for name in TOOLS:
        cells = [cell(name, tools[name]["cells"][row]) for row in QUESTIONS]
        link = f"[{title(name)}]({TRANSCRIPTS}#{anchor(name_with_version(name, tools[name]))})"
        lines.append(f"| {link} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def probe_text(name: str, run: Record) -> str:
    output = "\n".join(run["output"])
    status = "" if run["exit"] in (0, *STOPPED) else f", exit status {run['exit']}"
    return f"""\
#### {title(name)} {run["name"]}

```sh
{run["command"].strip()}
```
```text
{output}
```

{run["reading"]} ({run["processor_seconds"]} s{status})
"""


def section(name: str, tool: Record) -> str:
    """What it is for, the answers in words, and every command."""
    words = [
        f"* {QUESTIONS[row]} {cell['word'].capitalize()}: {cell['note']}."
        for row, cell in tool["cells"].items()
        if cell["note"]
    ]
    better = [f"**Better than nstar:** {tool['better']}", ""] if tool["better"] else []
    head = [f"### {name_with_version(name, tool)}", "", tool["what"], "", *better, *words, ""]
    return "\n".join([*head, *(probe_text(name, run) for run in tool["probes"])])


def short(tools: dict[str, Record]) -> str:
    """A part of the table for README.md, without links to what was run."""
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
    sections = "\n".join(section(name, tools[name]) for name in TOOLS)
    stale = [
        keep("peers.md", "table", table(tools)),
        keep(TRANSCRIPTS, "runs", sections),
        keep("../README.md", "peers", short(tools)),
    ]
    return 1 if wrong or any(stale) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Write into docs/reference/messages.md what nstar prints for broken or hostile logs.

python scripts/bad_input_table.py
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from _section import keep  # noqa: E402
from helpers.bad_input import CASES, Case, run  # noqa: E402

HEAD = "| input | exit status | printed |\n|---|---|---|\n"


def status_and_sentence(case: Case) -> str:
    """Exit status and first sentence."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(case, Path(folder))
        text = (outcome.error or outcome.output).replace(folder, "…")
        if not outcome.error:
            first = text.partition("\n\n")[0]
            notes = [s for s in text.split("\n  - ") if s.startswith(("fatal", "warning"))]
            text = " ".join([first, *(n.partition("\n\n")[0] for n in notes)])
    cell = " ".join(text.split()).removeprefix("nstar: ").replace("|", "\\|")
    return f"| {case.name} | {outcome.status} | {cell} |\n"


def main() -> int:
    """Write the table, or print that it is stale."""
    return keep(
        "reference/messages.md",
        "refusals",
        (HEAD + "".join(map(status_and_sentence, CASES))).rstrip(),
    )


if __name__ == "__main__":
    sys.exit(main())

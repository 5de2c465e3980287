"""Write docs/bad-input.md: what nstar prints when logs are broken or hostile.

python scripts/bad_input_table.py
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from helpers.bad_input import CASES, MEMORY, SECONDS, Case, run  # noqa: E402

HEAD = f"""# What bad input prints

Each case is made in an empty folder and read by `nstar read` in a process that may use
{MEMORY >> 30} GiB of address space and {SECONDS} seconds. Nothing is executed or extracted. The
same cases are tests (`tests/helpers/bad_input.py`); `scripts/bad_input_table.py` makes this page.

| input | exit | printed |
|---|---|---|
"""


def said(case: Case) -> str:
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


def main() -> None:
    (ROOT / "docs" / "bad-input.md").write_text(
        HEAD + "".join(said(case) for case in CASES), encoding="utf-8"
    )


if __name__ == "__main__":
    main()

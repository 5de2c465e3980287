"""What a command does not wait for: pandas, Arrow's functions, readers of other formats."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nstar

FIXTURES = Path(__file__).parents[2] / "fixtures"
LIBRARY = str(Path(nstar.__file__).parents[1])
SHOW = "import sys; from nstar.__main__ import main\ntry: main()\nfinally: print(*sys.modules)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of two models, of both in two runs, and a pandas that ends whoever imports it."""
    root = tmp_path_factory.mktemp("start")
    (root / "pandas.py").write_text("import os\nos._exit(70)\n", "utf-8")
    right = np.random.default_rng(0).random((2, 200)) < 0.7
    together = ["model,item,score,subject,run"]
    for model, row in zip("ab", right.tolist(), strict=True):
        cells = [(f"q{k}", int(x), "xyz"[k % 3]) for k, x in enumerate(row)]
        table = "".join(f"{item},{score},{group}\n" for item, score, group in cells)
        (root / f"{model}.csv").write_text(f"item,score,subject\n{table}", "utf-8")
        records = [
            {"item": item, "score": score, "subject": group} for item, score, group in cells
        ]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (root / f"{model}.jsonl").write_text(lines, "utf-8")
        together += [
            f"{model},{i},{x ^ (r and i == 'q7')},{g},{r}" for i, x, g in cells for r in (0, 1)
        ]
    (root / "runs.csv").write_text("\n".join(together) + "\n", "utf-8")
    once = [line.rpartition(",")[0] for line in together if not line.endswith(",1")]
    (root / "both.csv").write_text("\n".join(once) + "\n", "utf-8")
    return root


def run(folder: Path, words: str) -> set[str]:
    """Modules that a command ends with."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", SHOW, *words.split()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), LIBRARY])},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode != 70, "pandas was imported"
    assert "Traceback" not in done.stderr, done.stderr
    return set(done.stdout.splitlines()[-1].split())


COMMANDS = (
    "compare a.csv b.csv --full",
    "compare a.csv b.csv --strata subject",
    "compare a.jsonl b.jsonl --format json",
    "compare both.csv",
    "compare runs.csv --a a --b b --cluster subject",
    "audit both.csv --full",
    "audit runs.csv --strata subject",
    "gate --baseline a.csv --candidate b.csv --margin 2pp",
    "runs runs.csv",
    "read both.csv a.jsonl",
    "plan --baseline 70% --delta 1pp",
    "claim 71% 70% --items 1000",
)


def test_no_command_imports_pandas(folder: Path) -> None:
    """One after the other in one process, which the first import of pandas would end."""
    code = (
        "import sys\nfrom nstar.cli import main\n"
        "for words in sys.argv[1:]:\n"
        "    print('now:', words, file=sys.stderr, flush=True)\n"
        "    try: main(words.split())\n"
        "    except SystemExit as end: assert end.code in (0, 3), end.code\n"
        "print('all')"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *COMMANDS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), LIBRARY])},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    last = done.stderr.rpartition("now: ")[2]
    assert done.returncode != 70, f"pandas was imported: {last}"
    assert "Traceback" not in done.stderr, last
    assert done.stdout.endswith("all\n"), last


def test_no_reader_imports_pandas(folder: Path) -> None:
    code = (
        "import sys, nstar\n"
        "for path in sys.argv[1:]:\n"
        "    try: nstar.read(path)\n"
        "    except nstar.errors.NstarError: pass\n"
        "print('read')"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *map(str, sorted(FIXTURES.iterdir()))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), LIBRARY])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 70, "pandas was imported"
    assert done.stdout == "read\n", done.stderr


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_comparison_of_tables_loads_what_it_uses(folder: Path, ending: str) -> None:
    loaded = run(folder, f"compare a.{ending} b.{ending}")
    assert "pyarrow" in loaded
    assert not {"pyarrow.compute", "pyarrow.parquet", "numkong", "rich", "scipy.stats"} & loaded
    assert {m for m in loaded if m.startswith("nstar.readers.") and "._" not in m} == {
        *("nstar.readers.tabular", "nstar.readers.tidy")
    }
    verbs = {m.split(".")[2] for m in loaded if m.startswith("nstar._verbs.")}
    assert verbs == {"compare", "data_summary", "verdict"}
    assert ("msgspec" in loaded) == (ending == "jsonl")


def test_a_plan_loads_no_arrow(folder: Path) -> None:
    loaded = run(folder, "plan --baseline 70% --delta 1pp")
    assert "scipy.special" in loaded
    assert not {"pyarrow", "msgspec", "rich", "nstar.readers"} & loaded

"""Write the tables of docs/peers/votes.md from docs/votes-peers.json: the same votes, other tools.

python scripts/votes_peers.py              rewrite the tables
python scripts/votes_peers.py --check      exit 1 if one is stale
python scripts/votes_peers.py --run        run the tools first, each in its own environment
  --in DIR    keep votes and environments there, and use those that are there already

A run takes a few minutes; it needs the package index and the votes of LLMFAO as
``../shared/data/llmfao_battles.parquet``. What is called is in ``scripts/peers/votes``.
"""

import argparse
import datetime as dt
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from _section import DOCS, keep

ROOT = DOCS.parent
CALLS = ROOT / "scripts" / "peers" / "votes"
RECORD = DOCS / "votes-peers.json"
DATA = ROOT.parent / "shared" / "data" / "llmfao_battles.parquet"
PAGE = "peers/votes.md"

PACKAGES = {
    "evalica": ("evalica==0.4.2",),
    "arena_rank": ("arena-rank==0.1.1",),
    "fastchat": ("fschat==0.2.36", "scikit-learn", "pandas", "plotly", "pytz", "tqdm"),
    "nstar": (str(ROOT),),
}
NAMES = {"evalica": "evalica", "arena_rank": "arena-rank", "fastchat": "fschat", "nstar": "nstar"}
"""Distributions whose versions are told."""

Record = dict[str, Any]
Ratings = dict[str, float]


# -- Running ------------------------------------------------------------------------------


def write_votes(path: Path) -> Record:
    """The votes of the crowd as a table that every tool reads; how many there are."""
    import pyarrow.csv as pc  # noqa: PLC0415 a page needs no data
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pq.read_table(DATA, filters=[("source", "=", "crowd")])
    pc.write_csv(table, path)
    columns = table.to_pydict()
    return {
        "votes": table.num_rows,
        "models": len({*columns["model_a"], *columns["model_b"]}),
        "prompts": len(set(columns["question_id"])),
        "ties": columns["winner"].count("tie") / table.num_rows,
    }


def python(name: str, folder: Path) -> Path:
    """The interpreter of a tool; its environment is made if it is not there."""
    where = folder / "venvs" / name
    if not where.exists():
        subprocess.run([sys.executable, "-m", "venv", where], check=True)
        pip = str(where / "bin" / "pip")
        subprocess.run([pip, "install", "-q", *PACKAGES[name]], check=True)
    return where / "bin" / "python"


def called(name: str, votes: Path, folder: Path) -> Record:
    """What a tool found, and its version."""
    print(name, flush=True)
    setting = os.environ | {"PYTHONWARNINGS": "ignore", "OPENBLAS_NUM_THREADS": "1"}
    setting.pop("PYTHONPATH", None)
    interpreter = python(name, folder)
    code = f"import importlib.metadata as m; print(m.version({NAMES[name]!r}))"
    version, output = (
        subprocess.run(
            [interpreter, *command], env=setting, stdout=subprocess.PIPE, text=True, check=True
        )
        for command in (["-c", code], [CALLS / f"with_{name}.py", votes])
    )
    return {"version": version.stdout.strip()} | rounded(json.loads(output.stdout))


def rounded(content: Any) -> Any:
    """Digits that a run can repeat."""
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    return round(content, 12) if isinstance(content, float) else content


def run(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    votes = folder / "votes.csv"
    description = write_votes(votes)
    day = dt.datetime.now(dt.UTC).date().isoformat()
    description["run"] = f"{day}, Python {platform.python_version()}"
    tools = {name: called(name, votes, folder) for name in PACKAGES}
    text = json.dumps({"about": description, "tools": tools}, indent=1, ensure_ascii=False) + "\n"
    RECORD.write_text(text, encoding="utf-8")


# -- What was found -----------------------------------------------------------------------


def elo(scores: Ratings) -> Ratings:
    """Odds, as evalica gives them, in Elo points around 1,000."""
    return {name: 1000 + 400 * math.log10(score) for name, score in scores.items()}


def centered(ratings: Ratings) -> Ratings:
    """Only gaps between ratings mean anything: their mean is put at 1,000."""
    shift = 1000 - sum(ratings.values()) / len(ratings)
    return {name: rating + shift for name, rating in ratings.items()}


def boards(tools: Record) -> dict[str, Record]:
    """Ratings with their intervals in Elo points, by tool."""
    nstar_tools, ev = tools["nstar"], tools["evalica"]
    return {
        f"evalica {ev['version']}": {
            "rating": elo(ev["scores"]), "low": elo(ev["low"]), "high": elo(ev["high"]),
            "seconds": ev["seconds"],
        },
        f"arena-rank {tools['arena_rank']['version']}": tools["arena_rank"],
        f"FastChat {tools['fastchat']['version']}": tools["fastchat"],
        "nstar `--no-position`": nstar_tools["plain"],
        "nstar": nstar_tools["default"],
        "nstar `--cluster prompt`": nstar_tools["prompts"],
    }  # fmt: skip


def width(board: Record, name: str) -> float:
    width_elo: float = board["high"][name] - board["low"][name]
    return width_elo


def furthest(a: Ratings, b: Ratings) -> float:
    """Largest difference of a rating, in Elo points."""
    a, b = centered(a), centered(b)
    return max(abs(a[name] - b[name]) for name in a)


def overlap_ranks(board: Record) -> dict[str, int]:
    """1 and how many models have their whole interval above this one's: as arenas rank."""
    return {
        name: 1 + sum(low > board["high"][name] for low in board["low"].values())
        for name in board["rating"]
    }


def by_overlap(board: Record) -> tuple[int, int, int]:
    """Models of rank 1, pairs and neighbors whose intervals do not overlap."""
    ranks = overlap_ranks(board)
    order = sorted(board["rating"], key=lambda name: -board["rating"][name])
    n_apart = sum(board["low"][a] > board["high"][b] for a, b in pairwise(order))
    return sum(r == 1 for r in ranks.values()), sum(r - 1 for r in ranks.values()), n_apart


def by_rank_sets(board: Record) -> tuple[int, int, int]:
    """The same for nstar: models that could be best, and significant pairs."""
    first_ranks = board["rank_low"].values()
    return sum(r == 1 for r in first_ranks), sum(r - 1 for r in first_ranks), board["neighbors"]


# -- Tables -------------------------------------------------------------------------------


def lines(head: list[str], rows: list[list[str]]) -> str:
    table = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in table)


def elo_text(value: float) -> str:
    if value < 1e-6:
        return "< 0.000001"
    return f"{value:.6f}" if value < 0.01 else f"{value:.2f}" if value < 1 else f"{value:.1f}"


def ratings_table(record: Record) -> str:
    """The first five, the middle and the last of nstar's order."""
    by_tool = boards(record["tools"])
    rating = by_tool["nstar"]["rating"]
    order = sorted(rating, key=lambda name: -rating[name])
    places = [*range(5), len(order) // 2, len(order) - 1]
    rows = [
        [str(k + 1), order[k]]
        + [f"{b['rating'][order[k]]:,.0f} ({width(b, order[k]):.0f})" for b in by_tool.values()]
        for k in places
    ]
    medians = [median(width(b, name) for name in order) for b in by_tool.values()]
    rows.append(["", "*median width*", *(f"{w:.0f}" for w in medians)])
    return lines(["#", "model", *by_tool], rows)


def rules_table(record: Record) -> str:
    description, by_tool = record["about"], boards(record["tools"])
    pairs = description["models"] * (description["models"] - 1) // 2
    rows = []
    for name, board in by_tool.items():
        is_rank_set = "rank_low" in board
        best, n_distinct, next_to = by_rank_sets(board) if is_rank_set else by_overlap(board)
        rule = (
            "rank ranges, all pairs simultaneously" if is_rank_set else "intervals without overlap"
        )
        took = board["seconds"]
        fit_text = f" (ratings alone {took['fit']:.2g} s)" if "fit" in took else ""
        time = f"{took['with intervals']:.1f} s{fit_text}"
        rows.append([name, rule, str(best), f"{n_distinct:,}", str(next_to), time])
    head = ["", "rule", "models that could be best", f"significant of {pairs:,} pairs"]
    return lines(
        [*head, f"significant of {description['models'] - 1} adjacent pairs", "CPU time"], rows
    )


def caution_text(record: Record) -> str:
    """How large a gap must be under either rule."""
    critical_gap = record["tools"]["nstar"]["plain"]["critical"]
    return (
        "For models that share few votes, two intervals of the same width do not overlap if the "
        f"gap exceeds {2 * 1.959964 / math.sqrt(2):.1f} standard errors. A test of one pair needs "
        "2.0 standard errors, and a simultaneous test of all pairs of this leaderboard up to "
        f"{critical_gap:.1f} (nstar `--no-position`)."
    )


def same_table(record: Record) -> str:
    """Largest differences of ratings for the same model."""
    tools = record["tools"]
    ours, ties = tools["nstar"]["plain"]["rating"], tools["nstar"]["davidson"]["rating"]
    ev, arena, chat = tools["evalica"], tools["arena_rank"], tools["fastchat"]
    steps = f"it stops after {ev['iterations']} iterations, when scores move by less than 1e-6"
    plain, halts = "`--no-position`", "stopping rule"
    davidson, penalty = "`--no-position --ties davidson`", "scikit-learn's penalty, `C=1`"
    compared = [
        ("evalica `bradley_terry`", plain, elo(ev["scores"]), ours, steps),
        ("the same, tolerance 1e-13", plain, elo(ev["tight"]), ours, "rounding"),
        ("evalica `newman`, tolerance 1e-13", davidson, elo(ev["newman"]), ties, "rounding"),
        ("arena-rank `BradleyTerry`", plain, arena["rating"], ours, f"{halts} (`ftol` 1e-9)"),
        ("the same, `ftol` 1e-16, `gtol` 1e-12", plain, arena["tight"], ours, halts),
        ("FastChat `compute_elo_mle_with_tie`", plain, chat["rating"], ours, penalty),
        ("the same, penalty removed (`C=1e12`)", plain, chat["unpenalized"], ours, halts),
    ]
    head = ["", "nstar", "largest difference of a rating, Elo", "reason"]
    return lines(
        head, [[a, b, elo_text(furthest(x, y)), reason] for a, b, x, y, reason in compared]
    )


def worth_table(record: Record) -> str:
    """Effect of each difference on ratings and on the width of their intervals."""
    tools = record["tools"]
    nstar_tools, by_tool = tools["nstar"], boards(tools)
    plain, order = nstar_tools["plain"], nstar_tools["default"]

    def wider(board: Record) -> str:
        ratio = median(width(board, name) / width(plain, name) for name in plain["rating"])
        return f"× {ratio:.2f}"

    def moved(ratings: Ratings, by: Ratings) -> str:
        return elo_text(furthest(ratings, by))

    chat = tools["fastchat"]
    ev, arena, fast = (board for name, board in by_tool.items() if not name.startswith("nstar"))
    rows = [
        ["adjustment for position", moved(order["rating"], plain["rating"]), wider(order)],
        ["scikit-learn's penalty", moved(chat["rating"], chat["unpenalized"]), "–"],
        ["inverse information instead of a sandwich", "0", f"× {nstar_tools['information']:.2f}"],
        ["arena-rank's sandwich", "–", wider(arena)],
        ["evalica's bootstrap of votes, 1,000 draws, percentiles", "–", wider(ev)],
        ["FastChat's bootstrap of votes, 100 draws, percentiles", "–", wider(fast)],
        ["prompts as a sample (with position)", "0", wider(nstar_tools["prompts"])],
    ]  # fmt: skip
    return lines(["", "largest change of a rating, Elo", "median width of intervals"], rows)


def about_text(record: Record) -> str:
    description, tools = record["about"], record["tools"]
    position = tools["nstar"]["default"]["position"]
    return (
        f"{description['votes']:,} votes on {description['models']} models and "
        f"{description['prompts']} prompts, "
        f"{100 * description['ties']:.0f}% of them ties; the answer shown first gains "
        f"{position:.0f} "
        f"Elo. Run on {description['run']}: evalica {tools['evalica']['version']}, arena-rank "
        f"{tools['arena_rank']['version']}, FastChat {tools['fastchat']['version']}, nstar "
        f"{tools['nstar']['version']}."
    )


TABLES = {
    "about": about_text,
    "ratings": ratings_table,
    "rules": rules_table,
    "caution": caution_text,
    "same": same_table,
    "worth": worth_table,
}


def main() -> int:
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("--run", action="store_true")
    parse.add_argument("--check", action="store_true")
    parse.add_argument("--in", dest="folder", type=Path)
    options = parse.parse_args()
    if options.run:
        with tempfile.TemporaryDirectory() as scratch:
            run((options.folder or Path(scratch)).resolve())
    record = json.loads(RECORD.read_text("utf-8"))
    return max(keep(PAGE, name, table(record)) for name, table in TABLES.items())


if __name__ == "__main__":
    sys.exit(main())

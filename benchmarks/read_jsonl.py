"""A big lm-eval samples file to a matrix, against bare msgspec decoding of the needed fields.

Each side runs in a process of its own, in turns. The bare side goes through the lines of the
file and decodes them into a struct of the fields that matter, and does nothing with it.

    python benchmarks/read_jsonl.py FOLDER --make 1.0      about one gigabyte
    python benchmarks/read_jsonl.py FOLDER --repeat 3

Limit: 1.5 × bare in CPU time.
"""

# ruff: noqa: D101, D103
import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from turns import add_options, load_readers, run  # noqa: E402

from nstar._data.align import matrices  # noqa: E402
from nstar.readers import scan  # noqa: E402

STAMP = "2026-11-14T23-08-44.417847"
WORDS = ("model", "benchmark", "question", "answer", "paired", "items", "cluster", "interval")


def row(k: int, rng: np.random.Generator) -> dict[str, Any]:
    """One multiple-choice row as lm-eval 0.4.13 writes it: the context once per choice."""
    context = " ".join(rng.choice(WORDS, size=120))
    arguments = {
        f"gen_args_{c}": {"arg_0": context, "arg_1": f" {x}"} for c, x in enumerate("ABCD")
    }
    right = float(rng.random() < 0.6)
    return {
        "doc_id": k,
        "doc": {"question": context, "choices": list("ABCD"), "answer": k % 4},
        "target": str(k % 4),
        "arguments": arguments,
        "resps": [[[f"{-x:.15f}", "False"]] for x in rng.random(4)],
        "filtered_resps": [[f"{-x:.15f}", "False"] for x in rng.random(4)],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": hashlib.sha256(f"{k}".encode()).hexdigest(),
        "prompt_hash": hashlib.sha256(f"p{k}".encode()).hexdigest(),
        "target_hash": hashlib.sha256(f"t{k}".encode()).hexdigest(),
        "acc": right,
        "acc_norm": right,
    }


def make(folder: Path, gigabytes: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    written, k = 0, 0
    with (folder / f"samples_big_{STAMP}.jsonl").open("wb") as file:
        while written < gigabytes * 1e9:
            written += file.write(json.dumps(row(k, rng)).encode() + b"\n")
            k += 1


class Needed(msgspec.Struct):
    doc_id: Any
    doc_hash: Any
    filter: Any
    metrics: Any
    acc: Any
    acc_norm: Any


def bare(folder: Path) -> int:
    decoder = msgspec.json.Decoder(Needed)
    rows = 0
    for path in folder.glob("*.jsonl"):
        with path.open("rb") as file:
            for line in file:
                decoder.decode(line)
                rows += 1
    return rows


def nstar(folder: Path) -> int:
    return matrices(scan(folder).batches)[0].shape[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", type=float, metavar="GIGABYTES")
    add_options(parser)
    given = parser.parse_args()
    if given.make:
        make(given.folder, given.make)
    else:
        load_readers()
        run(given, __file__, bare, nstar)


if __name__ == "__main__":
    main()

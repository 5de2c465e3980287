"""A leaderboard in Parquet to a bit-packed matrix, against pyarrow reading it and doing nothing.

4,576 models × 21,606 items are 98.9 million rows. Each side runs in a process of its own, in
turns; the figures are wall and CPU seconds and the peak memory of the process. The bare side
reads the same three columns with the two names as dictionaries, file by file.

    python benchmarks/read_parquet.py FOLDER --make sorted      46 files of 100 models
    python benchmarks/read_parquet.py FOLDER --make models      a file per model
    python benchmarks/read_parquet.py FOLDER --repeat 3

Limits: 2 × bare in wall time, 1.5 GB of memory.
"""

# ruff: noqa: D103
import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from turns import add_options, load_readers, run  # noqa: E402

from nstar._data.align import matrices  # noqa: E402
from nstar.readers import scan  # noqa: E402

MODELS, ITEMS = 4576, 21606
PER_FILE = {"sorted": 100, "models": 1}


def make(folder: Path, layout: str, models: int, items: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    names = pa.array([f"task-{k // 500:02d}/question-{k:05d}" for k in range(items)])
    difficulty = rng.normal(size=items)
    step = PER_FILE[layout]
    for first in range(0, models, step):
        several = range(first, min(first + step, models))
        own = [f"organization-{k % 700:03d}/model-{k:04d}-7b" for k in several]
        scores = rng.normal(size=(len(own), items)) + rng.normal(size=(len(own), 1)) > difficulty
        model = np.repeat(np.arange(len(own), dtype=np.int32), items)
        item = np.tile(np.arange(items, dtype=np.int32), len(own))
        table = pa.table(
            {
                "model": pa.DictionaryArray.from_arrays(model, pa.array(own)),
                "item": pa.DictionaryArray.from_arrays(item, names),
                "score": pa.array(scores.ravel().astype(np.int8)),
            }
        )
        pq.write_table(table, folder / f"part-{first:05d}.parquet")


def bare(folder: Path) -> int:
    rows = 0
    for path in sorted(folder.glob("*.parquet")):
        table = pq.read_table(
            path, columns=["model", "item", "score"], read_dictionary=["model", "item"]
        )
        rows += table.num_rows
    return rows


def nstar(folder: Path) -> int:
    (matrix,) = matrices(scan(folder).batches)
    if not matrix.binary:
        sys.exit("the matrix is not binary")
    return matrix.shape[0] * matrix.shape[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", choices=PER_FILE)
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--items", type=int, default=ITEMS)
    add_options(parser)
    given = parser.parse_args()
    if given.make:
        make(given.folder, given.make, given.models, given.items)
    else:
        load_readers()
        run(given, __file__, bare, nstar)


if __name__ == "__main__":
    main()

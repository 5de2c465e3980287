"""A user who sets the limit that a message suggests needs at most two retries."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nstar
from nstar._data.read_limits import Limits
from nstar.errors import NstarError
from nstar.readers._base import ReaderOptions
from nstar.readers._files import Place
from nstar.readers._votes._layout import VoteSelection
from nstar.readers._votes._read import read_votes
from nstar.readers._zip import Archive
from unit.readers.test_zip import build

MOST = 2


def retries(work: Callable[[Limits], Any], **limits: int) -> int:
    """Do the work with the limits, and again with each limit that a message suggests."""
    for done in range(MOST + 1):
        try:
            work(Limits(**limits))
        except NstarError as error:
            (advice,) = re.findall(
                r'If you trust the file, set limits=\{"(\w+)": (\d+)\}', str(error)
            )
            limits[advice[0]] = int(advice[1])
        else:
            return done
    pytest.fail(f"{MOST} retries are not enough: {limits}")


def table(path: Path, models: list[str], items: list[str], group: int, **more: Any) -> None:
    columns = {"model": models, "item": items, "score": [1] * len(items)}
    pq.write_table(pa.table({**columns, **more}), path, row_group_size=group)


def limited(limits: Limits) -> dict[str, int]:
    return {name: getattr(limits, name) for name in limits.__slots__}


def test_names(tmp_path: Path) -> None:
    """Each group of rows brings new names, and is counted by itself."""
    items = [f"q{k // 2}" for k in range(4000)]
    table(tmp_path / "s.parquet", ["a", "b"] * 2000, items, 100)

    def work(limits: Limits) -> None:
        nstar.compare(str(tmp_path), limits=limited(limits))

    assert 1 <= retries(work, names=100) <= MOST


def test_models_of_votes(tmp_path: Path) -> None:
    for k in range(30):
        rows = (f"a{k}-{j},b{k}-{j},tie" for j in range(20 + k))
        text = "\n".join(("model_a,model_b,winner", *rows))
        (tmp_path / f"{k:02}.csv").write_text(text, "utf-8")

    def work(limits: Limits) -> None:
        read_votes(str(tmp_path), ReaderOptions(limits=limits), VoteSelection())

    assert 1 <= retries(work, names=50) <= MOST


def test_rows_of_growing_logs(tmp_path: Path) -> None:
    """The suggestion for the first log is enough for longer ones."""
    for k in range(8):
        n = 30_000 + 5000 * k
        table(tmp_path / f"{k}.parquet", ["m"] * n, ["q"] * n, n)

    def work(limits: Limits) -> None:
        nstar.read(str(tmp_path), limits=limited(limits))

    assert 1 <= retries(work, rows=100) <= MOST


def test_rows_that_must_be_sorted(tmp_path: Path) -> None:
    models = ["a", "b"] * 2000
    items = [str(k // 2 % 50) for k in range(4000)]
    runs = [str(k // 100) for k in range(4000)]
    table(tmp_path / "s.parquet", models, items, 100, run=runs)

    def work(limits: Limits) -> None:
        nstar.compare(str(tmp_path), limits=limited(limits))

    assert 1 <= retries(work, rows=100) <= MOST


def test_unpacked_text(tmp_path: Path) -> None:
    path = tmp_path / "s.csv.gz"
    path.write_bytes(gzip.compress(b"model,item,score\n" + b"m,q,1\n" * 1_000_000))

    def work(limits: Limits) -> None:
        nstar.read(str(path), limits=limited(limits))

    assert 1 <= retries(work, unpacked=1 << 20) <= MOST


@pytest.mark.parametrize("name", ["unpacked", "kept"])
def test_members_of_an_archive(tmp_path: Path, name: str) -> None:
    text = b'"' + b" " * (1 << 18) + b'"'
    path = tmp_path / "log.eval"
    path.write_bytes(build({f"{k}.json": text for k in range(60)}, 93))

    def work(limits: Limits) -> None:
        with Archive(Place(str(path)), limits) as opened:
            for member in opened.names():
                opened.json(member, Any)

    assert 1 <= retries(work, **{name: 1 << 20}) <= MOST

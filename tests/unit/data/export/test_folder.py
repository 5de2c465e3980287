"""Where results go: a directory, or an address; each file whole or not there."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from helpers.boards import board, scores
from nstar import audit
from nstar._base.address import without_secrets
from nstar._data.export.files import NewFile
from nstar._data.export.folder import OutputFolder, folder
from nstar._engine.work import Execution
from nstar.cli import main
from nstar.errors import DataError


@pytest.fixture(params=["path", "file://"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> OutputFolder:
    root = tmp_path / "new" / "dir"
    return folder(str(root) if request.param == "path" else root.as_uri())


def test_a_file_is_written_read_and_found(place: OutputFolder) -> None:
    assert place.names() == []
    assert place.read("a.txt") is None
    assert place.size("below/b.txt") is None
    place.write("a.txt", b"one")
    place.write("below/b.txt", b"two")
    assert sorted(place.names()) == ["a.txt", "below"]
    assert place.names("below") == ["b.txt"]
    assert place.size("below/b.txt") == 3
    assert place.read("below/b.txt") == b"two"
    assert b"".join(place.chunks("below/b.txt")) == b"two"
    place.write("a.txt", b"three")
    assert place.read("a.txt") == b"three"


def test_nothing_remains_of_what_failed(place: OutputFolder, tmp_path: Path) -> None:
    place.write("a.txt", b"one")

    def fail() -> None:
        with place.new("b.txt") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [p.name for p in (tmp_path / "new" / "dir").iterdir()] == ["a.txt"]


def test_a_worker_gets_the_address(place: OutputFolder) -> None:
    place.write("a.txt", b"one")
    sent = pickle.dumps(place)
    assert len(sent) < 500
    other: OutputFolder = pickle.loads(sent)  # noqa: S301 our own
    assert other.read("a.txt") == b"one"


def test_only_the_first_claims_a_name(place: OutputFolder) -> None:
    place.claim("a.txt", b"one")
    place.claim("a.txt", b"two")
    assert place.read("a.txt") == b"one"


def test_a_claim_where_there_are_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", none)
    place = folder(str(tmp_path))
    place.claim("a.txt", b"one")
    place.claim("a.txt", b"two")
    assert place.read("a.txt") == b"one"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_what_nobody_writes_any_more_is_deleted(place: OutputFolder, tmp_path: Path) -> None:
    place.write("a.txt", b"one")
    root = tmp_path / "new" / "dir"
    with NewFile(root) as file:
        old = root / ".nstar-0123"
        old.write_bytes(b"half")
        os.utime(old, (1, 1))
        place.tidy()
        file.keep("b.txt")
    assert sorted(p.name for p in root.iterdir()) == ["a.txt", "b.txt"]


SECRETS = [
    "s3://KEYKEY:SECRET@bucket/x?region=QUERY",
    "s3://KEYKEY:SEC/SECRET@bucket/x",
    "s3://KEYKEY:SEC?SECRET@bucket/x",
    "s3://KEYKEY:SECRET with space@bucket/x",
    "nowhere://KEYKEY:SECRET@bucket/x?token=QUERY",
    "s3://bucket/x?nobody_knows=QUERY",
]


@pytest.mark.parametrize("address", SECRETS)
def test_no_message_has_a_secret(address: str) -> None:
    place = folder(address)
    assert place.where.endswith("://bucket/x")
    for what in (place.where, without_secrets(address, f"x {address} y")):
        assert not [s for s in ("KEY", "SEC", "QUERY") if s in what]
    if "region" in address:  # nothing is wrong with it
        return
    with pytest.raises(DataError, match=r"Cannot reach or write .*://bucket/x: ") as caught:
        place.write("a.txt", b"")
    assert not [s for s in ("KEYKEY", "SECRET", "QUERY") if s in str(caught.value)]
    assert caught.value.__cause__ is None


def test_what_helps_is_told() -> None:
    address = "s3://bucket/x?region=eu-west-9&nobody_knows=QUERY&endpoint_override=host:9000"
    said = "no region eu-west-9 at host:9000, 'nobody_knows' is QUERY"
    told = "no region eu-west-9 at host:9000, 'nobody_knows' is …"
    assert without_secrets(address, said) == told


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("s3://bucket/x/", "s3://bucket/x"),
        ("s3://user@bucket/x", "s3://bucket/x"),
        ("hdfs://host:8020/x", "hdfs://host:8020/x"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("s3://KEY:SECRET", "s3://…"),
        ("results/a?b", "results/a?b"),
        ("s3://K:S@T@bucket/x", "s3://bucket/x"),
    ],
)
def test_what_is_shown_of_an_address(given: str, shown: str) -> None:
    assert without_secrets(given) == shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "TABLE", "--work"),
        ("read", "TABLE", "--out"),
        ("simulate", "--scenario", "paired-bernoulli", "--out"),
        ("site", "TABLE", "-o"),
        ("gate", "--baseline", "TABLE", "--candidate", "TABLE", "--margin", "5pp", "--out"),
    ],
)
def test_commands_that_write_to_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("TABLE").write_text("model,item,score\na,1,1\nb,1,0\n")
    done = CliRunner().invoke(main, [*arguments, "s3://KEY:SECRET@bucket/x?token=QUERY"])
    assert done.exit_code == 2, done.output
    assert "s3://bucket/x is an address. Choose a" in " ".join(done.output.split())
    assert not [s for s in ("KEY", "SECRET", "QUERY") if s in done.output]
    assert [p.name for p in tmp_path.iterdir()] == ["TABLE"]


def test_no_message_of_a_command_has_a_secret(tmp_path: Path) -> None:
    address = "nowhere://KEYKEY:SECRET@bucket/x?token=QUERY"
    (tmp_path / "t.csv").write_text("model,item,score\na,1,1\nb,1,0\na,2,0\nb,2,0\n")
    for given in (["audit", str(tmp_path / "t.csv"), "--out", address], ["read", address]):
        done = CliRunner().invoke(main, given)
        assert done.exit_code == 3, done.output
        assert "nowhere://bucket/x: " in done.output
        assert not [s for s in ("KEYKEY", "SECRET", "QUERY") if s in done.output]


def test_an_address_that_nobody_knows() -> None:
    with pytest.raises(DataError, match=r"^Cannot reach or write nowhere://x: "):
        folder("nowhere://x?secret=1").write("a.txt", b"")


def test_pairs_go_to_an_address(tmp_path: Path) -> None:
    matrix = board(scores(12, models=9, items=130))
    audit(matrix, execution=Execution(out=str(tmp_path / "path")), draws=999)
    audit(matrix, execution=Execution(out=(tmp_path / "uri").as_uri()), draws=999)
    for name in ("manifest.json", "pairs/part-00000.parquet"):
        assert (tmp_path / "uri" / name).read_bytes() == (tmp_path / "path" / name).read_bytes()
    with pytest.raises(DataError, match="another audit"):
        audit(matrix, execution=Execution(out=(tmp_path / "uri").as_uri()), draws=999, adjust="bh")


# --- a real S3 server, where one is available -----------------------------------------------


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, str]]:
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setitem(os.environ, name, "none")
    server.start()
    try:
        host, port = server.get_host_and_port()
        query = f"endpoint_override={host}:{port}&scheme=http&region=us-east-1"
        system, _ = pyarrow.fs.FileSystem.from_uri(
            f"s3://bucket/x?{query}&allow_bucket_creation=true"
        )
        system.create_dir("bucket")
        yield system, query
    finally:
        server.stop()


def listed(system: Any, root: str) -> list[str]:
    found = system.get_file_info(pyarrow.fs.FileSelector(root, recursive=True))
    return sorted(f.path.removeprefix(root) for f in found if f.is_file)


def test_pairs_go_to_a_bucket(bucket: tuple[Any, str], tmp_path: Path) -> None:
    system, query = bucket
    matrix, where = board(scores(12, models=300, items=130)), f"s3://bucket/out?{query}"
    audit(matrix, execution=Execution(out=where), adjust="holm", draws=199)
    audit(matrix, execution=Execution(out=str(tmp_path)), adjust="holm", draws=199)
    parts = [f"/pairs/part-0000{k}.parquet" for k in (0, 1)]
    names = ["/manifest.json", *parts, "/sums/part-00000.json", "/sums/part-00001.json"]
    assert listed(system, "bucket/out") == names
    for name in names:
        with system.open_input_stream(f"bucket/out{name}") as file:
            assert file.read() == (tmp_path / name[1:]).read_bytes()
    system.delete_file("bucket/out/pairs/part-00001.parquet")
    audit(matrix, execution=Execution(out=where), adjust="holm", draws=199)
    assert listed(system, "bucket/out") == names


def test_a_part_that_fails_is_not_in_the_bucket(
    bucket: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, query = bucket
    write = pq.ParquetWriter.write_batch

    def fail(self: Any, batch: pa.RecordBatch) -> None:
        write(self, batch)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_batch", fail)
    matrix, where = board(scores(12, models=30, items=130)), f"s3://bucket/broken?{query}"
    with pytest.raises(DataError, match="No space left on device"):
        audit(matrix, execution=Execution(out=where), draws=999)
    assert listed(system, "bucket/broken") == ["/manifest.json"]
    monkeypatch.setattr(pq.ParquetWriter, "write_batch", write)
    audit(matrix, execution=Execution(out=where), draws=999)
    parts = ["/pairs/part-00000.parquet", "/sums/part-00000.json"]
    assert listed(system, "bucket/broken") == ["/manifest.json", *parts]

"""``nstar read`` as a user meets it."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from helpers.commands import Command
from helpers.logs import FIXTURES
from nstar.cli import main

READ = Command("read")
EXAMPLE = Path(__file__).parents[3] / "examples" / "results.csv"


def test_the_example() -> None:
    text = READ.text(str(EXAMPLE))
    assert text.startswith("3 models × 800 items from 1 table: 1 warning.")
    assert "gamma lacks 60" in text


def test_json_has_everything() -> None:
    answer = READ.answer(str(EXAMPLE))
    (task,) = answer["tasks"]
    assert (task["n_items"], task["n_items_common"], task["n_groups"]) == (
        800,
        740,
        {"subject": 4},
    )
    assert [f["code"] for f in answer["findings"]] == ["missing-items"]


def test_the_tidy_table_says_the_same(tmp_path: Path) -> None:
    out = tmp_path / "results.parquet"
    first = READ.answer(str(EXAMPLE), "--out", str(out))
    again = READ.answer(str(out))
    assert again["tasks"] == first["tasks"]
    assert again["sources"][0]["path"] == str(EXAMPLE)
    assert pq.read_metadata(out).num_rows == 2340


def test_a_written_table_needs_no_options_and_forgets_nothing(tmp_path: Path) -> None:
    out = str(tmp_path / "out.parquet")
    log = FIXTURES / "lm_eval"
    first = READ.answer(str(log), "--reader", "lm_eval", "--out", out)
    assert first["tasks"] == READ.answer(out)["tasks"]
    assert first["findings"] == READ.answer(str(log), "--reader", "lm_eval")["findings"]
    rows = tmp_path / "log.csv"
    rows.write_text("who,qid,points\na,1,1\na,2,x\na,3,0\n")
    named = ("--column", "model=who", "--column", "item=qid", "--column", "score=points")
    told = READ.text(str(rows), *named, "--skip-bad", "1", "--out", out)
    assert "1 unreadable row was skipped" in told


def test_eee_is_written_below_the_folder_only(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("model,item,score\n../../evil,q,1\n../../evil,r,0\n")
    READ.answer(str(log), "--eee", str(tmp_path / "eee"))
    written = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) == 3
    assert all((tmp_path / "eee") in p.parents or p == log for p in written)


def test_fatal_findings_have_exit_status_1(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("model,item,score\na,q,1\na,q,0\nb,q,1\n")
    result = READ.run(str(log))
    assert result.exit_code == 1
    assert "Error: 1 row conflicts" in result.stdout
    assert READ.run(str(log), "--duplicates", "first").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["nowhere"], 3, "nowhere"),
        ([str(EXAMPLE), "--reader", "lmeval"], 3, "No reader 'lmeval'"),
        ([str(EXAMPLE), "--column", "item"], 2, "expected PART=COLUMN"),
        ([str(EXAMPLE), "--column", "item=qid"], 3, "model, item, subject, score"),
        ([str(EXAMPLE), "--allow", "nonsense"], 2, "No finding has the code 'nonsense'"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], status: int, says: str) -> None:
    result = READ.run(*arguments)
    assert result.exit_code == status, result.output
    assert says in result.stderr


def test_bad_rows_are_skipped_and_said(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"model":"a","item":1,"score":1}\n{"model":"a","item":2,"score":\n')
    result = READ.run(str(log))
    assert result.exit_code == 3
    assert "log.jsonl:2" in result.stderr
    assert "--skip-bad" in result.stderr
    assert "1 unreadable row was skipped" in READ.text(str(log), "--skip-bad", "1")


def test_a_log_is_not_written_over(tmp_path: Path) -> None:
    log = tmp_path / "log.parquet"
    READ.run(str(EXAMPLE), "--out", str(log))
    assert READ.run(str(EXAMPLE), "--out", str(log)).exit_code == 0
    pq.write_table(pq.read_table(log).replace_schema_metadata(None), log)
    before = log.read_bytes()
    result = READ.run(str(log), "--out", str(log))
    assert result.exit_code == 3
    assert "Choose another name" in result.stderr
    assert log.read_bytes() == before
    assert (
        "The extension must be .parquet (a table) or .pack"
        in READ.run(str(log), "--out", "log.csv").stderr
    )


def test_limits_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{k}" for k in range(40_000))
    path.write_text(f"item,score,{names}\nq,1,{','.join('0' * 40_000)}\n", "utf-8")
    refused = CliRunner().invoke(main, ["read", str(path)])
    assert refused.exit_code == 3
    told = " ".join(refused.stderr.split())
    assert "has 40,002 columns, more than the limit of 40,000." in told
    assert "set --limit columns=100000" in told
    assert CliRunner().invoke(main, ["read", str(path), "--limit", "columns=60k"]).exit_code == 0


@pytest.mark.parametrize("wrong", ["rows", "rows=", "rows=many", "rows=-1", "rows=0", "color=3"])
def test_limits_that_are_none(wrong: str) -> None:
    result = CliRunner().invoke(main, ["read", "x", "--limit", wrong])
    assert result.exit_code == 2
    assert "NAME=NUMBER, such as rows=50M" in " ".join(result.stderr.split())

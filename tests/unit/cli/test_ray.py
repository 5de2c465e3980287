"""``--ray`` as a user meets it; what a cluster does is in tests/cluster."""

import logging
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Command
from nstar._engine.work import Execution
from nstar._engine.work.retry import log_event
from nstar.cli.kit.progress import PairProgress
from nstar.cli.kit.ray import log_ray_events

AUDIT = Command("audit")
EXAMPLE = str(Path(__file__).parents[3] / "examples" / "results.csv")


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._engine.work.execution.find_spec", lambda _: None)
    found = AUDIT.run(EXAMPLE, "--ray")
    assert found.exit_code == 3
    assert found.stdout == ""
    assert found.stderr == "nstar: --ray needs Ray: pip install 'nstar[ray]'\n"


@pytest.mark.parametrize("address", [EXAMPLE, "results/", "host", "ray://host", "host:port"])
def test_a_path_is_no_address(address: str) -> None:
    found = AUDIT.run("--ray", address, EXAMPLE)
    assert found.exit_code == 2
    assert "use --ray without an address, put it last" in found.stderr


@pytest.mark.parametrize(
    ("given", "executor"),
    [
        ([], "local"),
        (["--ray"], "ray"),
        (["--ray", "auto"], "ray:auto"),
        (["--ray", "local"], "ray:local"),
        (["--ray", "10.0.0.1:6379"], "ray:10.0.0.1:6379"),
        (["--ray", "ray://head:10001"], "ray://head:10001"),
    ],
)
def test_addresses_name_executors(
    given: list[str], executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    for place in ("work", "work.execution"):
        monkeypatch.setattr(f"nstar._engine.{place}.check_executor", seen.append)
    AUDIT.run(EXAMPLE, *given)
    assert seen[0] == executor


def test_workers_are_threads_or_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def audited(_matrices: Any, _ask: Any, how: Execution, **_: Any) -> None:
        seen.append(how.workers)
        raise KeyboardInterrupt

    monkeypatch.setattr("nstar._verbs.audit.audit_board", audited)
    found = AUDIT.run(EXAMPLE, "--workers", "3")
    assert seen == [3]
    assert found.exit_code == 130
    assert found.stderr.endswith(
        "nstar: stopped: nothing was saved. With --out DIR or --work DIR, an audit can be "
        "resumed.\n"
    )
    found = AUDIT.run(EXAMPLE, "--work", "w", "--out", "s3://key:secret@bucket/x")
    assert "stopped: finished parts are in s3://bucket/x and w. Run the same" in found.stderr
    assert "secret" not in found.stderr


def test_what_happened_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with log_ray_events():
        log_event("1 node was lost on the way: 10.0.0.3")
    assert capsys.readouterr().err == "nstar: 1 node was lost on the way: 10.0.0.3\n"
    assert not logging.getLogger("nstar.work").handlers


def test_pairs_have_a_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("nstar.cli.kit.progress.time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = PairProgress()
    progress(0, 1000)
    now[0] = 10.0
    progress(100, 1000)
    assert capsys.readouterr().err.endswith("100 of 1,000 pairs, about 2 min left")

"""A run of today's Inspect that nstar stopped; ``tests/harness/run_inspect.sh`` made it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Command

FOLDER = Path(os.environ.get("NSTAR_FRESH_LOGS", "nowhere")) / "inspect"


def log_of(name: str) -> Any:
    logs = list((FOLDER / name).glob("*.json"))
    if not logs:
        pytest.skip("no fresh logs")
    return json.loads(logs[0].read_text("utf-8"))


def test_stopped_log_holds_the_decision() -> None:
    results = log_of("stopped")["results"]
    told = results["early_stopping"]
    assert told["manager"] == "nstar"
    assert told["metadata"]["verdict"] == "better"
    assert told["metadata"]["pvalue"] <= 0.05
    assert results["completed_samples"] == told["metadata"]["samples_scheduled"] < 300
    assert log_of("baseline")["results"]["completed_samples"] == 300


def test_watch_gives_the_same_word() -> None:
    told = log_of("stopped")["results"]["early_stopping"]["metadata"]
    paths = (str(FOLDER / "stopped"), str(FOLDER / "baseline"))
    data = Command("watch").answer(*paths, "--once", "--items", "300")
    assert data["verdict"] == told["verdict"]
    assert data["n_items"] <= told["samples_scheduled"]


def test_compare_refuses_a_run_that_was_stopped() -> None:
    log_of("stopped")
    result = Command("compare").run(str(FOLDER / "stopped"), str(FOLDER / "baseline"))
    assert result.exit_code == 3
    assert "was stopped early (by nstar, " in " ".join(result.stderr.split())


def test_a_short_baseline_refuses_a_longer_run() -> None:
    assert log_of("short")["results"]["completed_samples"] == 60
    refused = log_of("refused")
    assert refused["status"] == "error"
    assert "covers 60 of the 600 samples" in refused["error"]["message"]
    assert not refused.get("samples")

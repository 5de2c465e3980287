"""What docs/share.md says of publishing a site is a workflow, and its commands make one."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from nstar.cli import main

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "share.md").read_text("utf-8"), re.S)


@pytest.fixture(scope="module")
def workflow() -> Any:
    return yaml.safe_load(next(block for block in BLOCKS if "jobs:" in block))


def test_the_workflow_builds_what_it_publishes(
    workflow: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    shutil.copy(ROOT / "examples" / "results.csv", "results")
    steps = workflow["jobs"]["build"]["steps"]
    for step in steps:
        words = shlex.split(step.get("run", ""))
        if words[:1] == ["nstar"]:
            done = CliRunner().invoke(main, words[1:])
            assert not done.exit_code, done.output
    published = Path(next(s["with"]["path"] for s in steps if "upload" in s.get("uses", "")))
    assert "Our leaderboard" in (published / "index.html").read_text("utf-8")
    assert (published / "b" / "board" / "index.html").exists()


def test_the_workflow_uses_the_actions_that_we_use(workflow: Any) -> None:
    ours = (ROOT / ".github" / "workflows" / "docs.yml").read_text("utf-8")
    used = [s["uses"] for job in workflow["jobs"].values() for s in job["steps"] if "uses" in s]
    assert len(used) == 4
    assert all(action in ours for action in used)
    assert workflow["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_the_header_of_a_space_is_one() -> None:
    header = next(block for block in BLOCKS if "sdk:" in block)
    (found,) = (part for part in yaml.safe_load_all(header) if part)
    assert (found["sdk"], found["app_file"]) == ("static", "index.html")

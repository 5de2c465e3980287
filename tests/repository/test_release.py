"""What a release says of itself, in several places, is the same everywhere."""

import re
import tarfile
import tomllib
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import nstar
from helpers.scripts_as_modules import loaded

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def parsed(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_citation_names_this_version() -> None:
    assert parsed("CITATION.cff")["version"] == nstar.__version__


def test_conda_recipe_asks_for_the_same_as_the_wheel() -> None:
    recipe = parsed("recipe/recipe.yaml")
    run = {line.replace(" ", "") for line in recipe["requirements"]["run"][1:]}
    assert run == {text.partition(";")[0] for text in PROJECT["project"]["dependencies"]}
    host = {line.replace(" ", "") for line in recipe["requirements"]["host"][2:]}
    assert host == set(PROJECT["build-system"]["requires"])
    assert PROJECT["project"]["requires-python"] == f">={recipe['context']['python_min']}"
    assert recipe["about"]["license"] == PROJECT["project"]["license"]


@pytest.mark.parametrize(
    ("platform", "installed"),
    [
        ({}, True),
        ({"platform_machine": "arm64", "sys_platform": "darwin"}, True),
        ({"platform_machine": "AMD64", "sys_platform": "win32"}, True),
        ({"platform_python_implementation": "PyPy"}, False),
        ({"platform_machine": "armv7l"}, False),
        ({"platform_machine": "wasm32", "sys_platform": "emscripten"}, False),
        ({"python_version": "3.15"}, False),
    ],
)
def test_only_platforms_with_a_wheel_require_numkong(
    platform: dict[str, str], installed: bool
) -> None:
    """Platforms of the wheels of numkong 7.8.6; test_without_numkong.py audits without it."""
    known = {"platform_machine": "x86_64", "sys_platform": "linux", "python_version": "3.14"}
    known["platform_python_implementation"] = "CPython"
    dependencies = map(Requirement, PROJECT["project"]["dependencies"])
    conditional = [one for one in dependencies if one.marker is not None]
    assert [one.name for one in conditional] == ["numkong"]
    assert conditional[0].marker is not None
    assert conditional[0].marker.evaluate(known | platform) is installed


def test_ci_runs_every_python_that_is_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    run = parsed(".github/workflows/test.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert run == promised


def test_release_tools_are_those_of_the_build() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(PROJECT["dependency-groups"]["release"])


def test_actions_of_others_are_pinned_by_commit() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for used in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
            owner = used.partition("/")[0]
            assert owner in ("actions", ".") or re.search(r"@[0-9a-f]{40}$", used), used


def test_release_tools_are_pinned_by_hash() -> None:
    steps = parsed(".github/workflows/release.yml")["jobs"]["build"]["steps"]
    installs = [step["run"] for step in steps if "install" in step.get("run", "")]
    pins = ".github/release-requirements.txt"
    wanted = f"python -m pip install --require-hashes --only-binary :all: -r {pins}"
    assert installs == [wanted]
    lines = (ROOT / pins).read_text("utf-8").replace("\\\n", " ").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"\S+==\S+(?:\s+--hash=sha256:[0-9a-f]{64})+\s*", x) for x in pinned)
    versions = dict(line.split()[0].split("==") for line in pinned)
    for group in ("release", "sbom"):
        for text in PROJECT["dependency-groups"][group]:
            tool = Requirement(text)
            assert tool.specifier.contains(versions[canonicalize_name(tool.name)]), text


@pytest.mark.parametrize(
    ("version", "notes"), [("0.2.0", "### Added\n\n- Two."), ("0.1.0", "- One."), ("0.3.0", "")]
)
def test_notes_are_the_section_of_the_version(version: str, notes: str) -> None:
    changelog = (
        "# Changelog\n\n## 0.2.0 (2027-01-02)\n\n### Added\n\n- Two.\n\n"
        "## 0.1.0 (2026-12-01)\n\n- One.\n"
    )
    assert loaded("release_notes").section(changelog, version) == notes


INFO = "nstar-1.dist-info"
HELD = [
    *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"),
    "licenses/src/nstar/report/charts/fonts/LICENSE_FONT",
]


def wheel(path: Path, names: list[str], description: str = "") -> Path:
    with ZipFile(path, "w") as archive:
        for name in [*names, *(f"{INFO}/{n}" for n in HELD[1:])]:
            archive.writestr(name, "")
        archive.writestr(f"{INFO}/METADATA", f"Name: nstar\nVersion: 1\n\n{description}")
    return path


def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    check = loaded("release_check").of_wheel
    tracked = ["README.md", "src/nstar/__init__.py", "src/nstar/py.typed", "tests/test_a.py"]
    whole = wheel(tmp_path / "a.whl", ["nstar/__init__.py", "nstar/py.typed"])
    assert list(check(whole, tracked)) == []
    other = wheel(tmp_path / "b.whl", ["nstar/__init__.py", "tests/test_a.py"])
    assert list(check(other, tracked)) == [
        "wheel lacks nstar/py.typed",
        "wheel should not hold tests/test_a.py",
    ]
    data = [*tracked, "src/nstar/scores.parquet"]
    found = list(check(wheel(tmp_path / "c.whl", ["nstar/scores.parquet"]), data))
    assert found[-1] == "wheel holds a file of an unknown kind: nstar/scores.parquet"


def test_sdist_holds_the_repository(tmp_path: Path) -> None:
    path = tmp_path / "nstar-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("PKG-INFO", "README.md", "dist/old.whl"):
            archive.addfile(tarfile.TarInfo(f"nstar-1/{name}"), BytesIO())
    assert list(loaded("release_check").of_sdist(path, ["README.md", "docs/plan.md"])) == [
        "sdist lacks docs/plan.md",
        "sdist should not hold dist/old.whl",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a](https://github.com/nstar-eval/nstar/blob/v1/README.md)", ""),
        ("[a](#install) and [b](https://example.org)", ""),
        ("```python\nf[a](b)\n```", ""),
        ("[a](docs/plan.md)", "leads nowhere"),
        ('<img src="docs/figures/ladder.svg">', "leads nowhere"),
        ("[a](https://github.com/nstar-eval/nstar/blob/v1/no.md)", "not in this version"),
        ("[a](https://github.com/nstar-eval/nstar/blob/v0/README.md)", "not in this version"),
    ],
)
def test_description_has_whole_links(tmp_path: Path, text: str, problem: str) -> None:
    found = list(loaded("release_check").of_description(wheel(tmp_path / "a.whl", [], text)))
    assert [problem in line for line in found] == ([True] if problem else [])

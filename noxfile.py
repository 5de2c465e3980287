#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox[uv]>=2025"]
# ///
"""Sessions for contributors. Run `nox -s quick` while you work and `.ci/run` for all checks."""

from pathlib import Path

import nox

nox.needs_version = ">=2025"
nox.options.default_venv_backend = "uv|virtualenv"

PARALLEL = ("-n", "auto", "--dist", "worksteal")
PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))


def install(session: nox.Session, *groups: str) -> None:
    session.install("-e.", *(f"--group={group}" for group in groups))


@nox.session(default=False, reuse_venv=True)
def quick(session: nox.Session) -> None:
    """Style, import contracts, tests for uncommitted changes; `-- main`: for the whole branch."""
    install(session, "test", "lint")
    session.run("ruff", "check", "--quiet")
    session.run("ruff", "format", "--check", "--quiet")
    session.run("lint-imports")
    listing = session.run(
        "python", "scripts/changed_tests.py", *session.posargs, silent=True, log=False
    )
    tests = str(listing).split()
    if not tests:
        session.log("No changed file has tests of its own.")
        return
    session.log("Tests: %s", " ".join(tests))
    session.run("pytest", "-q", *PARALLEL, "-m", "not slow and not cluster", *tests)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, import contracts, and spelling."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")
    pages = sorted(str(p) for p in Path().glob("*.md"))
    folders = ("src", "tests", "docs", "scripts", "validation", "changelog.d", "paper", ".github")
    session.run("codespell", *folders, "llms.txt", *pages)


@nox.session
def types(session: nox.Session) -> None:
    """Strict mypy checks of all code."""
    install(session, "test", "lint")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Tests and doctests with the newest dependencies."""
    install(session, "test")
    session.run("pytest", *PARALLEL, "-m", "not slow and not cluster", *session.posargs)


@nox.session(venv_backend="uv", python=PYTHONS, default=False)
def minimums(session: nox.Session) -> None:
    """Tests with the oldest dependencies that pyproject.toml allows and that have wheels."""
    # Two steps, because nstar itself has no wheel to install.
    lowest = ("--resolution=lowest-direct", "--only-binary=:all:")
    session.install(*lowest, "-r", "pyproject.toml", "--group=test")
    session.install("--no-deps", "-e.")
    session.run("pytest", *PARALLEL, "-m", "not slow and not cluster", *session.posargs)


@nox.session(default=False)
def slow(session: nox.Session) -> None:
    """Monte Carlo calibration and the largest inputs."""
    install(session, "test")
    session.run("pytest", *PARALLEL, "-m", "slow and not cluster", *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Test coverage: at least 96% of the package and 95% of the kernel."""
    install(session, "test")
    measured = ("--cov=nstar", "--cov-report=")
    session.run("pytest", *PARALLEL, *measured, "-m", "not slow and not cluster", *session.posargs)
    # Most uncovered lines run on Ray nodes, in other processes, or before coverage starts.
    session.run("coverage", "report", "--skip-covered", "--sort=cover", "--fail-under=96")
    session.run("coverage", "report", "--include=src/nstar/stats/*", "--fail-under=95")


@nox.session(default=False)
def docs_check(session: nox.Session) -> None:
    """Check that generated pages are up to date and changelog fragments are valid."""
    install(session, "test")
    session.install("towncrier>=25")
    session.run("python", "scripts/check_generated.py")
    for script in ("console_blocks.py", "retired_words.py"):
        session.run("python", f"scripts/{script}", "--check")
    session.run("towncrier", "build", "--draft", "--version", "next")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the documentation site with warnings as errors, and check every link."""
    install(session, "docs")
    out = str(Path(session.create_tmp()) / "site")
    session.run("mkdocs", "build", "--strict", "--site-dir", out)
    session.run("python", "scripts/check_site.py", out)


@nox.session(default=False)
def release(session: nox.Session) -> None:
    """Release checks without GitHub: archives, bill of materials, workflows, and changelog."""
    session.install("--group=release", "--group=sbom")
    out = Path(session.create_tmp()) / "dist"
    session.run("python", "scripts/release_check.py", "--out", str(out))
    wheel = next(out.glob("*.whl"))
    session.run("python", "scripts/sbom.py", str(wheel), str(out.parent / "nstar.cdx.json"))
    session.run("towncrier", "build", "--draft", "--version", "next")
    session.run("zizmor", "--offline", ".github", "action.yml")
    session.run("repo-review", ".")
    session.install("cffconvert")  # last, because cffconvert installs an old jsonschema
    session.run("cffconvert", "--validate")


if __name__ == "__main__":
    nox.main()

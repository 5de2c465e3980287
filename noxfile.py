#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox[uv]>=2025"]
# ///
"""Sessions for contributors. While you work: `nox -s quick`. All that CI runs: `.ci/run`."""

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
    """Style, import contracts, tests of what changed; `-- main`: since the branch left main."""
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
    """Style, import order of the floors, spelling."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")
    pages = sorted(str(p) for p in Path().glob("*.md"))
    folders = ("src", "tests", "docs", "scripts", "changelog.d", "paper", ".github")
    session.run("codespell", *folders, "llms.txt", *pages)


@nox.session
def types(session: nox.Session) -> None:
    """Mypy, strict, on everything."""
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
    # nstar itself has no wheel to install, hence two steps.
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
    """Coverage by the tests: at least 96% of the package and 95% of the kernel."""
    install(session, "test")
    measured = ("--cov=nstar", "--cov-report=")
    session.run("pytest", *PARALLEL, *measured, "-m", "not slow and not cluster", *session.posargs)
    # Most of what is missing runs on nodes of Ray, in other processes, or before coverage starts.
    session.run("coverage", "report", "--skip-covered", "--sort=cover", "--fail-under=96")
    session.run("coverage", "report", "--include=src/nstar/stats/*", "--fail-under=95")


@nox.session(default=False)
def docs_check(session: nox.Session) -> None:
    """Generated pages are up to date and changelog fragments can be read."""
    install(session, "test")
    session.install("towncrier>=25")
    session.run("python", "scripts/check_generated.py")
    for script in ("console_blocks.py", "retired_words.py"):
        session.run("python", f"scripts/{script}", "--check")
    session.run("towncrier", "build", "--draft", "--version", "next")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """The documentation site, with warnings as errors, and every link of it."""
    install(session, "docs")
    out = str(Path(session.create_tmp()) / "site")
    session.run("mkdocs", "build", "--strict", "--site-dir", out)
    session.run("python", "scripts/check_site.py", out)


@nox.session(default=False)
def release(session: nox.Session) -> None:
    """All that a release does and that needs no GitHub: archives, parts, workflows, changelog."""
    session.install("--group=release", "--group=sbom")
    out = Path(session.create_tmp()) / "dist"
    session.run("python", "scripts/release_check.py", "--out", str(out))
    wheel = next(out.glob("*.whl"))
    session.run("python", "scripts/sbom.py", str(wheel), str(out.parent / "nstar.cdx.json"))
    session.run("towncrier", "build", "--draft", "--version", "next")
    session.run("zizmor", "--offline", ".github", "action.yml")
    session.run("repo-review", ".")
    session.install("cffconvert")  # last: it brings an old jsonschema
    session.run("cffconvert", "--validate")


if __name__ == "__main__":
    nox.main()

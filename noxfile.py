# /// script
# dependencies = ["nox[uv]>=2025"]
# ///
"""Sessions for contributors; `nox` alone runs lint, types and tests. All of CI: `.ci/run`."""

from pathlib import Path

import nox

nox.needs_version = ">=2025"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "types", "tests"]

PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))


def install(session: nox.Session, *groups: str) -> None:
    session.install("-e.", *(f"--group={group}" for group in groups))


@nox.session
def lint(session: nox.Session) -> None:
    """Style, import order of the floors, spelling."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")
    pages = sorted(str(p) for p in Path().glob("*.md"))
    session.run("codespell", "src", "tests", "docs", "scripts", "changelog.d", *pages)


@nox.session
def types(session: nox.Session) -> None:
    """Mypy, strict, on everything."""
    install(session, "test", "lint")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Tests and doctests with the newest dependencies."""
    install(session, "test")
    session.run("pytest", "-m", "not slow", *session.posargs)


@nox.session(venv_backend="uv", python=PYTHONS)
def minimums(session: nox.Session) -> None:
    """Tests with the oldest dependencies that pyproject.toml allows and that have wheels."""
    # nstar itself has no wheel to install, hence two steps.
    lowest = ("--resolution=lowest-direct", "--only-binary=:all:")
    session.install(*lowest, "-r", "pyproject.toml", "--group=test")
    session.install("--no-deps", "-e.")
    session.run("pytest", "-m", "not slow", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """Monte Carlo calibration."""
    install(session, "test")
    session.run("pytest", "-m", "slow", *session.posargs)


@nox.session
def docs_check(session: nox.Session) -> None:
    """Generated pages are up to date and changelog fragments can be read."""
    install(session, "test")
    session.install("towncrier>=25")
    for script in sorted(Path("scripts").glob("*.py")):
        if "--check" in script.read_text(encoding="utf-8"):
            session.run("python", str(script), "--check")
    session.run("towncrier", "build", "--draft", "--version", "next")


@nox.session
def build(session: nox.Session) -> None:
    """Make sdist and wheel, then run the wheel with nothing but its dependencies beside it."""
    session.install("build")
    out = session.create_tmp()
    session.run("python", "-m", "build", "--outdir", out)
    newest = max(Path(out).glob("nstar-*.whl"), key=lambda p: p.stat().st_mtime)
    session.install("--force-reinstall", str(newest))
    session.chdir(out)
    session.run("nstar", "selfcheck")

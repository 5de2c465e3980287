"""The package as a whole: light to import, every module documented and with a public list."""

import importlib
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import nstar
import nstar.stats
from helpers.cases import each

SRC = Path(nstar.__file__).parents[1]
MODULES = sorted(
    {"nstar", *(m.name for m in pkgutil.walk_packages(nstar.__path__, prefix="nstar."))}
    - {"nstar.__main__"}
)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        # `nstar --help` and shell completion must not wait for numerics
        ("nstar", {"numpy", "scipy", "rich", "click"}),
        ("nstar.cli", {"numpy", "scipy", "rich"}),
        # what is asked of a plan is checked before anything is loaded to answer it
        ("nstar._api.plan", {"numpy", "scipy", "pyarrow", "rich", "click"}),
        # the kernel needs scipy.special only, at a third of the cost of scipy.stats
        (
            "nstar._verbs.plan",
            {"scipy.stats", "scipy.optimize", "scipy.integrate", "rich", "click"},
        ),
        (
            "nstar._verbs.budget",
            {"scipy.stats", "pyarrow", "rich", "click", "nstar._verbs.simulate"},
        ),
        ("nstar.stats", {"scipy.stats", "scipy.optimize", "scipy.integrate", "rich", "click"}),
    ],
)
def test_light_import(module: str, heavy: set[str]) -> None:
    code = f"import {module}, sys; print(*sorted({heavy!r} & sys.modules.keys()))"
    path = os.pathsep.join(p for p in (str(SRC), os.environ.get("PYTHONPATH")) if p)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def defined_here(module: ModuleType) -> set[str]:
    """Public functions and classes that the module itself defines."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    }


def is_public(module: ModuleType) -> bool:
    """Whether users may import from it."""
    parts = module.__name__.split(".")[1:]
    ours = {("cli",), ("report", "prose"), ("report", "formats")}
    inner = tuple(parts[:1]) in ours or tuple(parts[:2]) in ours
    return not inner and not any(p.startswith("_") for p in parts)


RAY = {"nstar._engine.work.cluster", "nstar._engine.work.ray"}
EXTRA = dict.fromkeys(RAY, "ray") | {"nstar.integrations.inspect_hook": "inspect_ai"}
AT_HAND = [m for m in MODULES if m not in EXTRA or importlib.util.find_spec(EXTRA[m])]


INTERNAL_IMPORTS = {
    name
    for path in Path(nstar.__file__).parent.rglob("*.py")
    for names in re.findall(
        r"^ *from nstar\.stats\.\w+ import (\([^)]*\)|.*)$", path.read_text("utf-8"), re.M
    )
    for name in re.findall(r"\w+", names)
}
"""Names of the kernel that another module imports; these can be absent from ``__all__``."""


# The order within __all__ is ruff's business (RUF022).
@each(AT_HAND)
def test_module_has_docstring_and_complete_all(name: str) -> None:
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip()
    package = hasattr(module, "__path__")  # what others may take from a folder
    if not is_public(module) and not (package and hasattr(module, "__all__")):
        assert not hasattr(module, "__all__"), "__all__ is for public modules"
        return
    public = module.__all__
    assert len(public) == len(set(public))
    assert [n for n in public if not hasattr(module, n)] == []
    assert defined_here(module) - set(public) <= INTERNAL_IMPORTS


def test_the_kernel_publishes_all_names_of_its_modules() -> None:
    modules = (m for m in MODULES if m.startswith("nstar.stats.") and "._" not in m)
    listed = {name: m for m in modules for name in importlib.import_module(m).__all__}
    assert vars(nstar.stats)["_MODULES"] == listed

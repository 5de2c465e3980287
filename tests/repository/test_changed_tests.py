"""What ``nox -s quick`` runs for a change."""

import pytest

from helpers.scripts_as_modules import loaded

SELECTIONS = {
    "src/nstar/_verbs/compare/__init__.py": [
        "src/nstar/_verbs/compare/__init__.py",
        "tests/unit/cli/test_compare.py",
        "tests/unit/verbs/compare",
    ],
    "src/nstar/readers/helm.py": ["src/nstar/readers/helm.py", "tests/unit/readers/test_helm.py"],
    "src/nstar/report/page/assets/page.css": [
        "tests/unit/cli/test_page.py",
        "tests/unit/report/page",
    ],
    "src/nstar/readers/a_module_that_was_removed.py": ["tests/unit/readers"],
    "tests/laws/test_gram_laws.py": ["tests/laws/test_gram_laws.py"],
    "tests/browser/conftest.py": ["tests/browser"],
    "scripts/changed_tests.py": ["tests/repository/test_changed_tests.py"],
    "README.md": [],
}


@pytest.mark.parametrize("path", SELECTIONS)
def test_a_change_selects_its_tests(path: str) -> None:
    assert loaded("changed_tests").select_tests([path]) == SELECTIONS[path]


def test_a_path_inside_another_is_left_out() -> None:
    both = ["src/nstar/_verbs/compare/__init__.py", "tests/unit/verbs/compare/test_compare.py"]
    assert loaded("changed_tests").select_tests(both) == SELECTIONS[both[0]]

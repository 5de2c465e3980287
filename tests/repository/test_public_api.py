"""Nothing public changes unannounced: names, parameters, defaults, fields, options, JSON keys."""

from pathlib import Path

from helpers.scripts_as_modules import loaded

LISTED = Path(__file__).parents[1] / "public_api.txt"


def test_public_interface_is_as_listed() -> None:
    listed = LISTED.read_text(encoding="utf-8").splitlines()
    found = loaded("public_api").lines()
    gone, came = sorted(set(listed) - set(found)), sorted(set(found) - set(listed))
    mend = "if that is meant: python scripts/public_api.py, and a fragment in changelog.d"
    assert (gone, came) == ([], []), mend


def test_a_change_of_any_kind_is_seen() -> None:
    found = loaded("public_api").lines()
    for line in (
        "$ nstar plan --baseline",
        "class nstar.types.Interval(low, high)",
        "file nstar.matrix/1",
        "file nstar.plan/1 headline",
        "nstar.errors.ReadError(DataError)",
        "nstar.read(data, /, **reading)",
        "nstar.stats.mcnemar_default_pvalue(n10, n01, n)",
    ):
        assert line in found

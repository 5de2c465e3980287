"""What goes away warns at the user's line, and works until then."""

import warnings

import pytest

from nstar._base.deprecation import renamed_parameter, warn_deprecated
from nstar.errors import NstarDeprecationWarning, NstarWarning


@renamed_parameter("n", "items", until="0.4")
def halved(items: int = 8, *, up: bool = False) -> int:
    """Half of them."""
    return -(-items // 2) if up else items // 2


def test_new_name_is_silent() -> None:
    assert halved(items=6) == halved(6) == 3
    assert halved(7, up=True) == halved() == 4


def test_old_name_works_and_warns_where_it_is_used() -> None:
    with pytest.warns(NstarDeprecationWarning) as caught:
        assert halved(n=6) == 3  # type: ignore[call-arg]
    assert str(caught[0].message) == "halved(n=…) goes away in nstar 0.4; use items="
    assert caught[0].filename == __file__


def test_both_names_are_refused() -> None:
    with pytest.raises(TypeError, match="'n', which is its old name"):
        halved(items=6, n=6)  # type: ignore[call-arg]


def test_a_name_that_is_not_there_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="no parameter 'tasks'"):
        renamed_parameter("n", "tasks", until="0.4")(halved)


def test_signature_and_docstring_stay() -> None:
    assert halved.__doc__ == "Half of them."
    assert halved.__name__ == "halved"


def test_python_shows_it_in_scripts_only_and_users_can_filter_it() -> None:
    assert issubclass(NstarDeprecationWarning, NstarWarning)
    assert issubclass(NstarDeprecationWarning, DeprecationWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        with pytest.raises(NstarDeprecationWarning, match=r"use nstar\.new"):
            warn_deprecated("nstar.old", instead="nstar.new", until="0.4")

"""Refer to other outputs of a result, as methods or options."""

from nstar.errors import by_interface


def as_json() -> str:
    """Return the method or option that gives all rows of a result."""
    return by_interface(python="to_json()", command="--format json")


def as_csv() -> str:
    """Return the method or option that gives the main table of a result."""
    return by_interface(python="to_frame()", command="--format csv")

"""Where else a result is found, in the words of whoever reads: methods, or options."""

from nstar.errors import by_interface


def as_json() -> str:
    """How to get every row of a result."""
    return by_interface(python="to_json()", command="--format json")


def as_csv() -> str:
    """How to get the main table of a result."""
    return by_interface(python="to_frame()", command="--format csv")

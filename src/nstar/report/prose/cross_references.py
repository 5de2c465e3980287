"""References to other outputs of a result, as methods or options."""

from nstar.errors import by_interface


def as_json() -> str:
    """Return how to get every row of a result."""
    return by_interface(python="to_json()", command="--format json")


def as_csv() -> str:
    """Return how to get the main table of a result."""
    return by_interface(python="to_frame()", command="--format csv")

"""What a verb is asked: a frozen dataclass, every field with its type, unit and sentence."""

from typing import Any

from nstar.errors import QuestionError, arg


class Question:
    """Base of all questions. Conflicts between fields are refused in ``__post_init__``."""

    __slots__ = ()

    def one_of(self, *names: str, why: str) -> None:
        """At most one of these fields is given."""
        given = [name for name in names if is_given(getattr(self, name))]
        if len(given) > 1:
            msg = f"give {arg(given[0])} or {arg(given[1])}, not both: {why}"
            raise QuestionError(msg)

    def needs(self, name: str, *others: str, why: str) -> None:
        """These fields are given wherever the first one is."""
        if is_given(getattr(self, name)):
            for other in others:
                if not is_given(getattr(self, other)):
                    msg = f"{arg(name)} needs {arg(other)}: {why}"
                    raise QuestionError(msg)


def is_given(value: Any) -> bool:
    """Whether a field says anything: neither None nor a flag that is not set."""
    return value is not None and value is not False

"""Parameters that are passed on to a question."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from inspect import Parameter, signature

__all__ = ["refuse_unknown"]


def refuse_unknown(function: type, words: Iterable[str], known: Sequence[str]) -> None:
    """TypeError, as Python's own, for an unknown parameter; names the public function.

    Examples
    --------
    >>> from nstar.integrations.inspect import RaceStopping
    >>> RaceStopping(["a", "b"], magrin=0.02)
    Traceback (most recent call last):
    TypeError: RaceStopping() got an unexpected keyword argument 'magrin'; did you mean 'margin'?
    """
    own = [
        p.name
        for p in signature(function).parameters.values()
        if p.kind is not Parameter.VAR_KEYWORD
    ]
    for name in words:
        if name not in known:
            close = get_close_matches(name, (*own, *known), n=1)
            mend = f"; did you mean {close[0]!r}?" if close else ""
            msg = f"{function.__name__}() got an unexpected keyword argument {name!r}{mend}"
            raise TypeError(msg)

"""Declare a public function once. Every interface uses its signature and docstring.

The signature defines the name, unit, and default of each parameter, and the docstring describes
it. ``@verb`` adds rules about combinations of parameters, and checks values and rules before the
function runs. :func:`parameters` reads the declaration for the command line, the tools for agents,
and the reference.
"""

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache, wraps
from inspect import Parameter as Signed
from inspect import cleandoc, signature
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

from nstar._base.units import Unit, alternatives, join_words
from nstar.errors import ParameterError, QuestionError, arg

F = TypeVar("F", bound=Callable[..., Any])
Section: TypeAlias = Literal["main", "other", "output", "reading"]
"""Section of the help that lists a parameter."""

_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*)(?: : .*)?\n((?:    .*\n|\n)+)", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s")


class Rule(NamedTuple):
    """Condition on a combination of parameters."""

    kind: Literal["at most one", "at least one", "exactly one", "excludes", "needs", "together"]
    meanings: Mapping[str, str]
    """Meaning of each parameter, or an empty text, in the order in which the message lists
    them.
    """

    @property
    def is_exclusive(self) -> bool:
        """Return whether at most one of the parameters may be set."""
        return self.kind in ("at most one", "exactly one")

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise QuestionError if the values break the rule."""
        names = list(self.meanings)
        set_names = [name for name in names if is_given(values.get(name))]
        applies = self.is_exclusive or (self.kind == "excludes" and names[0] in set_names)
        if applies and len(set_names) > 1:
            first, second = (self._with_meaning(name) for name in set_names[:2])
            msg = f"Use either {first} or {second}, not both."
        elif self.kind in ("at least one", "exactly one") and not set_names:
            msg = f"Set {join_words(map(self._with_meaning, names), 'or')}."
        elif self.kind == "needs" and set_names == names[:1]:
            others = join_words(map(self._with_meaning, names[1:]), "or")
            msg = f"{arg(names[0])} also needs {others}."
        elif self.kind == "together" and 0 < len(set_names) < len(names):
            missing = next(name for name in names if name not in set_names)
            msg = f"{arg(set_names[0])} also needs {self._with_meaning(missing)}."
        else:
            return
        raise QuestionError(msg)

    def _with_meaning(self, name: str) -> str:
        meaning = self.meanings[name]
        return f"{arg(name)} ({meaning})" if meaning else arg(name)


def at_most_one(*names: str, **meanings: str) -> Rule:
    """Reject two of these parameters together. Keywords pass the meaning of a parameter."""
    return Rule("at most one", dict.fromkeys(names, "") | meanings)


def at_least_one(*names: str, **meanings: str) -> Rule:
    """Reject a call without any of these parameters."""
    return Rule("at least one", dict.fromkeys(names, "") | meanings)


def exactly_one(*names: str, **meanings: str) -> Rule:
    """Reject a call with none or several of these parameters."""
    return Rule("exactly one", dict.fromkeys(names, "") | meanings)


def excludes(*names: str, **meanings: str) -> Rule:
    """Reject the first of these parameters together with any of the others."""
    return Rule("excludes", dict.fromkeys(names, "") | meanings)


def needs(name: str, *others: str, **meanings: str) -> Rule:
    """Reject a parameter without any of the others."""
    return Rule("needs", {name: ""} | dict.fromkeys(others, "") | meanings)


def together(*names: str, **meanings: str) -> Rule:
    """Reject an incomplete set of these parameters."""
    return Rule("together", dict.fromkeys(names, "") | meanings)


def is_given(value: Any) -> bool:
    """Return whether a parameter has a value other than None or False."""
    return value is not None and value is not False


class Parameter(NamedTuple):
    """Declaration of a parameter."""

    name: str
    hint: Any
    default: Any
    sentence: str
    """First sentence of the docstring entry."""
    section: Section
    is_positional: bool = False
    is_required: bool = False

    @property
    def unit(self) -> Unit[Any] | None:
        """Return the unit of the value, if the hint has one."""
        return unit_of(self.hint)

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the words of a ``Literal``."""
        return _choices_of(self.hint)

    @property
    def is_flag(self) -> bool:
        """Return whether the value is True or False."""
        return self.hint is bool

    @property
    def is_switch(self) -> bool:
        """Return whether the value is True, False, or None, which lets the function choose."""
        return self.hint == (bool | None)

    @property
    def is_option(self) -> bool:
        """Return whether a user can write the value as text, which excludes callbacks."""
        has_words = bool(self.choices) or self.is_flag or self.is_switch
        return self.unit is not None or has_words

    def convert(self, value: Any) -> Any:
        """Check and convert a value from Python. None is accepted if it is the default."""
        if value is None and not self.is_flag:
            return None
        if self.is_flag or self.is_switch:
            if type(value).__name__ not in ("bool", "bool_"):
                msg = f"{arg(self.name)} must be True or False; got {value!r:.60}"
                raise ParameterError(msg)
            return bool(value)
        if self.unit is not None:
            return self.unit.convert(self.name, value)
        if self.choices and value not in self.choices:
            msg = f"{arg(self.name)} must be {alternatives(self.choices)}; got {value!r:.60}"
            raise ParameterError(msg)
        return value


def verb(*rules: Rule) -> Callable[[F], F]:
    """Decorate a public function, or ``__init__``, to check its parameters before it runs.

    >>> from nstar._base.parameter_types import Proportion
    >>> @verb(at_most_one("alpha", "level"))
    ... def size(*, alpha: Proportion | None = None, level: Proportion | None = None) -> float:
    ...     return alpha or level or 0.05
    >>> size(alpha=5)
    Traceback (most recent call last):
    nstar.errors.QuestionError: alpha 5 is above 1. Use 0.05.
    >>> size(alpha=0.1, level=0.9)
    Traceback (most recent call last):
    nstar.errors.QuestionError: Use either alpha or level, not both.
    """

    def decorate(function: F) -> F:
        @cache
        def declared() -> dict[str, Parameter]:
            return {p.name: p for p in _signed(function)}

        @wraps(function)
        def call(*args: Any, **values: Any) -> Any:
            known = declared()
            args = (
                tuple(
                    p.convert(value) if p.is_positional else value
                    for p, value in zip(known.values(), args, strict=False)
                )
                + args[len(known) :]
            )
            _check_names(function, values, known)
            values = {name: known[name].convert(value) for name, value in values.items()}
            all_values = dict(zip(known, args, strict=False)) | values
            for rule in rules:
                rule.check(all_values)
            return function(*args, **values)

        call.rules = rules  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def _check_names(
    function: Callable[..., Any], values: Mapping[str, Any], known: Mapping[str, Parameter]
) -> None:
    """Raise TypeError, as Python does, for a parameter that does not exist."""
    keywords = [name for name, p in known.items() if not p.is_positional]
    for name in values:
        if name not in keywords:
            from difflib import get_close_matches  # noqa: PLC0415 slow to import

            fix = ""
            if related := _related_with(function, name):
                fix = f" Use it with {' or '.join(f'nstar.{other}()' for other in related)}."
            elif close := get_close_matches(name, keywords, n=1):
                fix = f" Did you mean {close[0]}?"
            called = function.__qualname__.removesuffix(".__init__")
            msg = f"{called}() has no parameter {name}.{fix}"
            raise TypeError(msg)


def _related_with(function: Callable[..., Any], name: str) -> list[str]:
    """Return the related public functions with this parameter, such as ``plan_votes``."""
    package = sys.modules[function.__module__.partition(".")[0]]
    stem, public = function.__name__.partition("_")[0], getattr(package, "__all__", ())
    if stem not in public:
        return []
    related = [stem, *(other for other in public if other.startswith(f"{stem}_"))]
    matches = [x for x in related if name in signature(getattr(package, x)).parameters]
    return matches[:1] if stem in matches else matches[:2]


def unit_of(hint: Any) -> Unit[Any] | None:
    """Return the unit in ``Annotated[…]``, also in a union with None."""
    if get_origin(hint) is Annotated:
        return next((x for x in hint.__metadata__ if isinstance(x, Unit)), None)
    units = (unit_of(part) for part in get_args(hint))
    return next((unit for unit in units if unit is not None), None)


def _choices_of(hint: Any) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return next((words for part in get_args(hint) if (words := _choices_of(part))), ())


def parameters(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters that a user can write as text, with their descriptions, in order."""
    sections = docstring_sections(function.__doc__ or "")
    main = first_sentences(sections.get("Parameters", ""))
    other = first_sentences(sections.get("Other Parameters", ""))
    return [
        p._replace(
            sentence=p.sentence or main.get(p.name) or other.get(p.name, ""),
            section="other" if p.name in other and p.section == "main" else p.section,
        )
        for p in _signed(function)
        if p.is_option
    ]


def summary(function: Callable[..., Any]) -> str:
    """Return the text of the docstring before its first section."""
    return docstring_sections(function.__doc__ or "")[""].strip()


def docstring_sections(docstring: str) -> dict[str, str]:
    """Return the sections of a numpydoc docstring. The key of the text before them is ""."""
    text = cleandoc(docstring) + "\n"
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def first_sentences(section: str) -> dict[str, str]:
    r"""Return the first sentence about each parameter in a section of a docstring.

    >>> first_sentences("a, b\n    Two models. By name.\nseed : int\n    Random\n    seed.\n")
    {'a': 'Two models.', 'b': 'Two models.', 'seed': 'Random seed.'}
    """
    return {
        name: _SENTENCE_END.split(" ".join(text.split()))[0]
        for names, text in _ENTRY.findall(section)
        for name in names.split(", ")
    }


def _signed(function: Callable[..., Any]) -> list[Parameter]:
    """Return every parameter of the signature, without descriptions."""
    result: list[Parameter] = []
    for name, signed in signature(function).parameters.items():
        if signed.kind is Signed.VAR_KEYWORD:
            result += _unpacked(signed.annotation)
            continue
        is_required = signed.default is Signed.empty
        default = None if is_required else signed.default
        is_positional = signed.kind is Signed.POSITIONAL_ONLY
        unit = unit_of(signed.annotation)
        section: Section = "output" if unit is not None and unit.is_about_output else "main"
        result.append(
            Parameter(name, signed.annotation, default, "", section, is_positional, is_required)
        )
    return result


def _unpacked(hint: Any) -> list[Parameter]:
    """Return the parameters of ``**reading: Unpack[Words]``, as described in ``Words``."""
    (words,) = get_args(hint)
    sentences: dict[str, str] = {}
    for cls in vars(sys.modules[words.__module__]).values():  # a TypedDict forgets its bases
        if isinstance(cls, type) and cls.__module__ == words.__module__:
            sentences |= first_sentences(cleandoc(cls.__doc__ or "") + "\n")
    return [
        Parameter(name, hint, None, sentences.get(name, ""), "reading")
        for name, hint in words.__annotations__.items()
    ]

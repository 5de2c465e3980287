"""A record is what a frozen dataclass is."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from inspect import signature
from typing import Any

import pytest

from nstar._base.record import record


@record()
class Made:
    """A record of keywords."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list)
    cache: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The same as Python makes it."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list)
    cache: Any = field(default=None, compare=False, repr=False)


@record(kw_only=False)
class Place:
    """A record of positions."""

    path: str
    far: bool = False


@record(kw_only=False)
class Longer(Place):
    """A record that adds to another."""

    size: int = 0


@record(slots=False, eq=False)
class Loose:
    """Neither slots nor equality."""

    x: int


def test_it_prints_compares_and_counts_as_a_dataclass() -> None:
    made, known = Made(name="a", cache=3), Known(name="a", cache=3)
    assert repr(made) == repr(known).replace("Known", "Made")
    assert made == Made(name="a", cache=4)
    assert made != Made(name="b")
    assert made.__eq__(known) is NotImplemented
    assert [f.name for f in fields(made)] == [f.name for f in fields(known)]
    assert asdict(made) == asdict(known)
    assert replace(made, size=2).size == 2
    assert hash(Place("x")) == hash(Place("x", far=False))
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_its_parameters_are_those_of_a_dataclass() -> None:
    for made, known in ((Made, Known),):
        ours, theirs = (signature(c).parameters for c in (made, known))
        assert [(p.name, p.kind) for p in ours.values()] == [
            (p.name, p.kind) for p in theirs.values()
        ]
    assert list(signature(Longer).parameters) == ["path", "far", "size"]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'name'"):
        Made()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'another'"):
        Made(another="a")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="-1"):
        Made(name="a", size=-1)


def test_lists_are_made_for_each() -> None:
    assert Made(name="a").parts is not Made(name="a").parts


def test_it_is_frozen() -> None:
    made = Made(name="a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'size'"):
        made.size = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'size'"):
        del made.size
    assert not hasattr(made, "__dict__")


def test_it_is_copied_and_pickled() -> None:
    for one in (Made(name="a", parts=[1]), Longer("x", far=True, size=3)):
        assert copy.deepcopy(one) == one
        assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    loose = Loose(x=1)
    assert pickle.loads(pickle.dumps(loose)).x == 1  # noqa: S301
    assert loose != Loose(x=1)


def test_one_that_adds_to_another_has_all_fields() -> None:
    assert Longer("x", far=True, size=2) == Longer("x", far=True, size=2)
    assert repr(Place("x")) == "Place(path='x', far=False)"
    assert repr(Longer("x")) == "Longer(path='x', far=False, size=0)"
    assert isinstance(Longer("x"), Place)

"""What every verb returns: declared once, it prints, saves, and goes to JSON and back."""

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from os import PathLike

VERSION = 1
"""Of every schema."""

_MAX_REPR_CHARACTERS = 500
"""Characters of a report's beginning that stand for it."""

_HEAD = {"schema": "string", "nstar": "string", "headline": "string"}
_WORDS = ("notes", "assumptions")


Format: TypeAlias = Literal["text", "json", "markdown", "html", "latex", "csv"]
"""How a result is written."""


Level: TypeAlias = Literal["brief", "short", "full"]
"""How much of a report is shown: its headline, one screen, everything."""


class FigureProtocol(Protocol):
    """A picture of a result."""

    svg: str
    """The picture, standalone."""
    title: str
    """What it shows."""
    alt: str
    """What it shows, in words."""

    def save(self, path: "str | PathLike[str]") -> None:
        """To a file, by the end of its name: svg, pdf or png."""


def _no_report() -> ModuleType:
    msg = "the report of a result needs nstar to be imported"
    raise RuntimeError(msg)


class Result:  # noqa: PLW1641 results are not hashable
    """Base of all results: frozen dataclasses with ``repr=False, eq=False``.

    JSON has a key for each field and each derived property, under its own name. Two results are
    equal if their fields are: arrays elementwise, NaN like NaN. They are not hashable.
    """

    __slots__ = ()

    _report: "Callable[[], ModuleType]" = staticmethod(_no_report)
    """Hands out the floor that knows words; ``nstar`` itself, above both, puts it here."""

    @classmethod
    def schema_name(cls) -> str:
        """Name and version of the schema, such as ``nstar.plan/1``."""
        return f"nstar.{cls.__name__.lower()}/{VERSION}"

    def to_dict(self) -> dict[str, Any]:
        """Fields and derived values as plain values that JSON can hold."""
        from nstar._base.codec import codec  # noqa: PLC0415

        return dict(codec(type(self)).dump(self))

    def to_json(self) -> str:
        """As ``--format json`` prints it: the values, with headline, notes and assumptions."""
        return str(self._report().render(self, "json"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The result of which these are the values.

        Raises
        ------
        DataError
            If something is missing or is not what it should be; names its place.
        """
        from nstar._base.codec import codec  # noqa: PLC0415
        from nstar.errors import DataError  # noqa: PLC0415

        named = data.get("schema", cls.schema_name())
        if named != cls.schema_name():
            msg = f"{named!r:.60} is not {cls.schema_name()}"
            raise DataError(msg)
        read: Self = codec(cls).load(data, "$")
        return read

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The result that was written by :meth:`to_json`, words left out.

        Raises
        ------
        DataError
            If the text is not JSON of this schema; names the place.
        """
        import msgspec  # noqa: PLC0415

        from nstar.errors import DataError  # noqa: PLC0415

        try:
            data = msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            msg = f"no JSON: {error}"
            raise DataError(msg) from error
        if not isinstance(data, dict):
            msg = f"Not a valid {cls.schema_name()}: {data!r:.60}"
            raise DataError(msg)
        return cls.from_dict(data)

    @classmethod
    def schema(cls, describe: "Callable[[type], Any] | None" = None) -> dict[str, Any]:
        """JSON schema of what :meth:`to_json` writes; ``describe`` gives sentences on fields."""
        from nstar._base.codec import _DataclassCodec, codec  # noqa: PLC0415

        defs: dict[str, Any] = {}
        inner = codec(cls)
        if not isinstance(inner, _DataclassCodec):
            raise TypeError(cls)
        body = inner.body(defs, describe or (lambda _: {}))
        head: dict[str, Any] = {key: {"type": kind} for key, kind in _HEAD.items()}
        head["schema"] = {"const": cls.schema_name()}
        words = {key: {"type": "array", "items": {"type": "string"}} for key in _WORDS}
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": cls.schema_name(),
            "description": (cls.__doc__ or "").strip().split("\n")[0],
            "type": "object",
            "properties": {**head, **body["properties"], **words, "paragraph": {"type": "string"}},
            "required": list(dict.fromkeys([*head, *body["required"], *words])),
            "$defs": dict(sorted(defs.items())),
        }

    def save(self, path: "str | PathLike[str]") -> None:
        """To a file, by the end of its name: html, svg, pdf, png, tex, csv, md, txt or json."""
        self._report().save(self, path)

    def render(
        self,
        format: Format = "text",  # noqa: A002
        *,
        level: Level = "short",
        paragraph: bool = False,
        where: str | None = None,
    ) -> str:
        """As ``--format`` prints it: text, json, markdown, html, latex, or csv of the main table.

        ``level`` is ``brief`` for the headline alone, ``short`` for one screen or ``full`` for
        everything. ``paragraph`` adds text to paste into a paper; of a ranking, ``where`` is the
        model whose place comes first.
        """
        said = self._report().render(self, format, level=level, paragraph=paragraph, where=where)
        return str(said)

    def figure(self, kind: str | None = None, *, where: str | None = None) -> FigureProtocol:
        """A picture that a notebook shows and ``save`` writes: its usual kind, or this one.

        Of a ranking, ``where`` is the model that stands out.
        """
        drawn: FigureProtocol = self._report().figure(self, kind, where=where)
        return drawn

    def to_frame(self) -> Any:
        """The main table as a data frame: of pandas, or of polars if there is no pandas."""
        return self._report().to_frame(self)

    def __eq__(self, other: object) -> bool:
        from nstar._base.codec import same  # noqa: PLC0415

        return same(self, other) if type(self) is type(other) else NotImplemented

    @property
    def headline(self) -> str:
        """The answer, with which the report begins; a key of its JSON too."""
        return str(self._report().document(self, level="brief").headline)

    def __str__(self) -> str:
        """The report as plain text."""
        return str(self._report().render(self, "text")).rstrip()

    def __repr__(self) -> str:
        """How the report begins, in one line."""
        said = " ".join(self.headline.split())
        short = (
            said if len(said) <= _MAX_REPR_CHARACTERS else said[: _MAX_REPR_CHARACTERS - 1] + "…"
        )
        return f"<{type(self).__name__}: {short}>"

    def _repr_html_(self) -> str:
        """The report for a notebook; names from logs are escaped."""
        return str(self._report().render(self, "html"))

"""Base class of all results: rendering, saving, and conversion to and from JSON."""

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from os import PathLike

VERSION = 1
"""Version of every schema."""

_MAX_REPR_CHARACTERS = 500
"""Number of characters of a report that ``repr`` shows."""

_HEAD = {"schema": "string", "nstar": "string", "headline": "string"}
_WORDS = ("notes", "assumptions")


Format: TypeAlias = Literal["text", "json", "markdown", "html", "latex", "csv"]
"""Output format of a result."""


Level: TypeAlias = Literal["brief", "short", "full"]
"""Amount of detail in a report: its headline, one screen, or everything."""


class FigureProtocol(Protocol):
    """A figure of a result."""

    svg: str
    """The figure as a standalone SVG."""
    title: str
    """Title of the figure."""
    alt: str
    """Description of the figure in words."""
    caption: str
    """Caption: what the figure shows, and how to read it."""

    def save(self, path: "str | PathLike[str]") -> None:
        """Save the figure. The suffix of the name sets the format: svg, pdf, or png."""


def _no_report() -> ModuleType:
    msg = "A result needs the package nstar for its report. Run import nstar first."
    raise RuntimeError(msg)


class Result:  # noqa: PLW1641 results are not hashable
    """Base of all results: frozen dataclasses with ``repr=False, eq=False``.

    JSON has a key of the same name for each field and each derived property. Two results are equal
    if their fields are equal. Arrays are compared elementwise, and NaN equals NaN. Results are not
    hashable.
    """

    __slots__ = ()

    _report: "Callable[[], ModuleType]" = staticmethod(_no_report)
    """Report layer, which ``nstar`` registers here because this layer cannot import it."""

    @classmethod
    def schema_name(cls) -> str:
        """Return the name and version of the schema, such as ``nstar.plan/1``."""
        return f"nstar.{cls.__name__.lower()}/{VERSION}"

    def to_dict(self) -> dict[str, Any]:
        """Return fields and derived properties as plain values for JSON."""
        from nstar._base.codec import codec  # noqa: PLC0415

        return dict(codec(type(self)).dump(self))

    def to_json(self) -> str:
        """Return the JSON of ``--format json``: values, headline, notes, and assumptions."""
        return str(self._report().render(self, "json"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild a result from the values of :meth:`to_dict`.

        Raises
        ------
        DataError
            A value is missing or has a wrong type. The message contains its path.
        """
        from nstar._base.codec import codec  # noqa: PLC0415
        from nstar.errors import DataError  # noqa: PLC0415

        schema_name = data.get("schema", cls.schema_name())
        if schema_name != cls.schema_name():
            msg = f"The schema must be {cls.schema_name()}; got {schema_name!r:.60}"
            raise DataError(msg)
        read: Self = codec(cls).load(data, "$")
        return read

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Rebuild a result from the JSON of :meth:`to_json`. The sentences in it are ignored.

        Raises
        ------
        DataError
            The text is not JSON of this schema. The message contains the path.
        """
        import msgspec  # noqa: PLC0415

        from nstar.errors import DataError  # noqa: PLC0415

        try:
            data = msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            msg = f"Not valid JSON: {error}. Save the result again."
            raise DataError(msg) from error
        if not isinstance(data, dict):
            msg = f"Not a valid {cls.schema_name()}: {data!r:.60}"
            raise DataError(msg)
        return cls.from_dict(data)

    @classmethod
    def schema(cls, describe: "Callable[[type], Any] | None" = None) -> dict[str, Any]:
        """Return the JSON schema of :meth:`to_json`.

        ``describe`` returns the descriptions of the fields of a class.
        """
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
        """Save the report.

        The suffix sets the format: html, svg, pdf, png, tex, csv, md, txt, or json.
        """
        self._report().save(self, path)

    def render(
        self,
        format: Format = "text",  # noqa: A002
        *,
        level: Level = "short",
        paragraph: bool = False,
        where: str | None = None,
    ) -> str:
        """Render the report as text, JSON, Markdown, HTML, LaTeX, or CSV of the main table.

        ``level`` is ``brief`` for only the headline, ``short`` for one screen, or ``full`` for
        everything. LaTeX of one screen is the main table. ``paragraph`` adds text for a paper.
        For a ranking, ``where`` is the model that is reported first.
        """
        text = self._report().render(self, format, level=level, paragraph=paragraph, where=where)
        return str(text)

    def checklist(self) -> "Result":
        """Return the reporting rules of the field, with those that this report answers.

        Results of compare, audit, battles, gate, and claim have a checklist.

        Raises
        ------
        ParameterError
            This kind of result has no checklist.
        """
        rules: Result = self._report().checklist(self)
        return rules

    def figure(self, kind: str | None = None, *, where: str | None = None) -> FigureProtocol:
        """Draw a figure of the default or given kind. Notebooks show it, and ``save`` writes it.

        For a ranking, ``where`` is the model that is highlighted.
        """
        picture: FigureProtocol = self._report().figure(self, kind, where=where)
        return picture

    def to_frame(self) -> Any:
        """Return the main table as a pandas data frame, or a polars one if pandas is missing."""
        return self._report().to_frame(self)

    def __eq__(self, other: object) -> bool:
        from nstar._base.codec import same  # noqa: PLC0415

        return same(self, other) if type(self) is type(other) else NotImplemented

    @property
    def headline(self) -> str:
        """Return the main finding, with which the report begins. It is also a key of the JSON."""
        return str(self._report().document(self, level="brief").headline)

    def __str__(self) -> str:
        """Return the report as plain text."""
        return str(self._report().render(self, "text")).rstrip()

    def __repr__(self) -> str:
        """Return the beginning of the report in one line."""
        text = " ".join(self.headline.split())
        short = (
            text if len(text) <= _MAX_REPR_CHARACTERS else text[: _MAX_REPR_CHARACTERS - 1] + "…"
        )
        return f"<{type(self).__name__}: {short}>"

    def _repr_html_(self) -> str:
        """Return the report for a notebook. Names from logs are escaped."""
        return str(self._report().render(self, "html"))

"""Server that offers tools of the Model Context Protocol over standard input and output."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from nstar._base.version import __version__
from nstar._base.visible import escaped, with_visible
from nstar.cli.mcp.tools import all_tools
from nstar.errors import NstarError, Speller, spelling

P = ParamSpec("P")

INSTRUCTIONS = (
    "nstar tests which differences between AI models an evaluation supports. Call plan "
    "before you run an evaluation, claim before you repeat reported accuracies, and "
    "compare or audit before you call one model better than another. Report the first "
    "sentence of a result with its interval. Inconclusive means that the data do not "
    "show which model is better, not that the models are equal. Numbers are "
    "proportions: 0.01 is one percentage point. A gap is the score of the first model "
    "minus the score of the second model."
)


_KINDS = {"array": "list", "integer": "whole number"}
"""JSON types in plain English."""


class _RecordingSpeller(Speller):
    """Speller that uses Python names, and records the parameters that it spells."""

    def __init__(self) -> None:
        self.spellings: dict[str, str] = {}

    def spell(self, name: str, value: str | None) -> str:
        """Spell a parameter, with its value if there is one."""
        text = super().spell(name, value)
        self.spellings[text] = name
        return text

    def parameters_in(self, message: str) -> list[str]:
        """Return the parameters that a message names."""
        names = (
            name
            for text, name in self.spellings.items()
            if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message)
        )
        return list(dict.fromkeys(names))


def _missing_parameter_hint(tool: Callable[P, str], names: Sequence[str]) -> str:
    """Return a hint about parameters that an error message names and the tool lacks."""
    known = signature(tool).parameters
    lacking = [name for name in names if name not in known]
    if not lacking:
        return ""
    verb = getattr(tool, "__name__", "")
    return (
        f". This tool has no {' or '.join(lacking)}. Use nstar.{verb} in Python, or the "
        "command line"
    )


def _readable(tool: Callable[P, str]) -> Callable[P, str]:
    """Return the tool with errors that an agent can read."""

    @wraps(tool)
    def answer(*args: P.args, **kwargs: P.kwargs) -> str:
        speller = _RecordingSpeller()
        try:
            with spelling(speller):
                return with_visible(tool(*args, **kwargs), lambda c: c if c == "\n" else "?")
        except NstarError as error:
            elsewhere = _missing_parameter_hint(tool, speller.parameters_in(str(error)))
            msg = f"{str(error).rstrip('.')}{elsewhere}"
            raise ToolError(msg) from error

    return answer


def _describe_problems(error: ValidationError, properties: Mapping[str, Any]) -> str:
    """Describe arguments that are missing or have a wrong type, with the expected values."""
    problems: dict[str, str] = {}
    for problem in error.errors(include_url=False):
        name = str(problem["loc"][0])
        known = properties[name]
        kinds = [one.get("type", "value") for one in known.get("anyOf", [known])]
        kind = " or ".join(_KINDS.get(one, one) for one in kinds if one != "null")
        wrong = f"cannot be {problem['input']!a:.60}"
        if problem["type"] == "missing":
            wrong = "is missing"
        problems[name] = (
            f"{name} {wrong}. Expected: {kind}: {known.get('description', name).rstrip('.')}"
        )
    return ". ".join(problems.values())


@contextmanager
def _one_visible_line() -> Iterator[None]:
    """Escape hidden characters and line breaks in the message of an error.

    Messages quote names from logs, paths, and arguments. An agent must see every character of a
    name, and a name must not begin a line that looks like an instruction.
    """
    try:
        yield
    except (ToolError, ResourceError, ValueError) as error:
        error.args = (escaped(str(error)),)
        raise


class Server(MCPServer[Any]):  # type: ignore[misc] # nothing is known of it without the extra
    """Server with the tools. A tool rejects a parameter that it does not have."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(
            "nstar", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
        )
        hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        for tool in all_tools(folders):
            self.add_tool(_readable(tool), annotations=hints, structured_output=False)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raise ToolError for an unknown parameter."""
        with _one_visible_line():
            return await self._asked(name, arguments, context)

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Raise an error, because the server has no resources."""
        with _one_visible_line():
            return await super().read_resource(uri, context)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> Any:
        """Raise an error, because the server has no prompts."""
        with _one_visible_line():
            return await super().get_prompt(name, arguments, context)

    async def _asked(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None
    ) -> CallToolResult | InputRequiredResult:
        listed = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        known = listed.get(name)
        if known is None:  # told by the SDK
            return await super().call_tool(name, arguments, context)
        unknown = [argument for argument in arguments if argument not in known]
        if unknown:
            msg = f"{name} has no parameter {unknown[0][:80]!r}. Available: {', '.join(known)}."
            raise ToolError(msg)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                msg = f"{name}: {_describe_problems(error.__cause__, known)}"
                raise ToolError(msg) from error
            raise


def serve(folders: Sequence[str]) -> None:
    """Serve requests until the client closes the connection."""
    Server(folders).run("stdio")

"""The server: tools of the Model Context Protocol over standard input and output."""

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
from nstar.cli.mcp.tools import Tools
from nstar.errors import NstarError, Speller, spelling

P = ParamSpec("P")

INSTRUCTIONS = (
    "nstar tests which differences between AI models an evaluation supports. Call plan "
    "before you run an evaluation, claim before you repeat reported accuracies, and "
    "compare or audit before you call one model better than another. Report the first "
    "sentence of an answer with its interval. Inconclusive means that the data do not "
    "show which model is better, not that the models are equal. Numbers are "
    "proportions: 0.01 is one percentage point. Gaps are first minus second."
)


_KINDS = {"array": "list", "integer": "whole number"}
"""Types of JSON in words."""


class _RecordingSpeller(Speller):
    """Spells as Python does, and remembers the parameters that messages name."""

    def __init__(self) -> None:
        self.spellings: dict[str, str] = {}

    def spell(self, name: str, value: str | None) -> str:
        """Spell a parameter, with its value if there is one."""
        text = super().spell(name, value)
        self.spellings[text] = name
        return text

    def parameters_in(self, message: str) -> list[str]:
        """The parameters that a message names."""
        names = (
            name
            for text, name in self.spellings.items()
            if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message)
        )
        return list(dict.fromkeys(names))


def _elsewhere(tool: Callable[P, str], names: Sequence[str]) -> str:
    """Where the parameters are that a refusal names and the tool does not have."""
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
    """The tool, whose refusals an agent can read."""

    @wraps(tool)
    def answer(*args: P.args, **kwargs: P.kwargs) -> str:
        speller = _RecordingSpeller()
        try:
            with spelling(speller):
                return with_visible(tool(*args, **kwargs), lambda c: c if c == "\n" else "?")
        except NstarError as error:
            elsewhere = _elsewhere(tool, speller.parameters_in(str(error)))
            msg = f"{str(error).rstrip('.')}{elsewhere}"
            raise ToolError(msg) from error

    return answer


def _unfit(error: ValidationError, properties: Mapping[str, Any]) -> str:
    """Arguments that are missing or of a wrong type, and what each of them is."""
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
    """Escape what hides in the message of an error, and its line breaks.

    Messages quote names from logs, paths and arguments. An agent must see all of a name, and a
    name must not begin a line that reads like an instruction.
    """
    try:
        yield
    except (ToolError, ResourceError, ValueError) as error:
        error.args = (escaped(str(error)),)
        raise


class Server(MCPServer[Any]):  # type: ignore[misc] # nothing is known of it without the extra
    """The tools. A parameter that a tool does not have is refused."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(
            "nstar", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
        )
        tools = Tools(folders)
        hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        for tool in tools.all:
            self.add_tool(_readable(tool), annotations=hints, structured_output=False)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Ask a tool; ToolError if it has no such parameter."""
        with _one_visible_line():
            return await self._asked(name, arguments, context)

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Refuse: there are no resources."""
        with _one_visible_line():
            return await super().read_resource(uri, context)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> Any:
        """Refuse: there are no prompts."""
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
            msg = f"{name} has no parameter {unknown[0][:80]!r}. Available: {', '.join(known)}"
            raise ToolError(msg)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                msg = f"{name}: {_unfit(error.__cause__, known)}"
                raise ToolError(msg) from error
            raise


def serve(folders: Sequence[str]) -> None:
    """Answer until the other side hangs up."""
    Server(folders).run("stdio")

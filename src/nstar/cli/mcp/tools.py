"""Tools for agents. Each tool calls one public function and returns its report."""

from collections.abc import Callable, Sequence
from typing import Any

import nstar
from nstar.cli.mcp.folders import AllowedFolders
from nstar.cli.mcp.from_function import tool_from

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    nstar.coverage,
    nstar.plan,
    nstar.plan_margin,
    nstar.plan_board,
    nstar.plan_labels,
    nstar.plan_looks,
    nstar.plan_runs,
    nstar.plan_votes,
    nstar.compare,
    nstar.compare_judged,
    nstar.compare_known,
    nstar.audit,
    nstar.claim,
    nstar.claim_unpaired,
    nstar.claim_scores,
    nstar.claim_table,
    nstar.claim_wins,
    nstar.items,
    nstar.shrink,
    nstar.battles,
    nstar.runs,
    nstar.judges,
)


class Tools:
    """Tools with the folders that they may read."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = AllowedFolders(folders)

    @property
    def all(self) -> list[Callable[..., str]]:
        """Return every tool. All tools only read data and return a report."""
        return [tool_from(function, self._folders) for function in _FUNCTIONS]

"""What agents may ask: each tool asks one verb, in the words of Python, and tells its report."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import Field

import nstar
from nstar.cli.mcp.folders import AllowedFolders
from nstar.cli.mcp.from_function import report_text, tool_from

_SHARE = "a proportion; 0.01 is one percentage point"

Full: TypeAlias = Annotated[bool, Field(description="All that is known, not one screen.")]
Alpha: TypeAlias = Annotated[float, Field(description="Level of the test.")]
Power: TypeAlias = Annotated[float, Field(description="Wanted power.")]


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    nstar.coverage,
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
    """The tools, with the folders that they read from."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = AllowedFolders(folders)

    @property
    def all(self) -> list[Callable[..., str]]:
        """Every tool: those of functions that only read data, and answer."""
        tools = [tool_from(function, self._folders) for function in _FUNCTIONS]
        return [self.plan, *tools]

    def plan(
        self,
        *,
        delta: Annotated[float | None, Field(description=f"Gap to detect, {_SHARE}.")] = None,
        items: Annotated[int | None, Field(description="Items both models answer.")] = None,
        baseline: Annotated[
            float | None, Field(description="Accuracy of about both models, a proportion.")
        ] = None,
        rho: Annotated[
            float | None, Field(description="Correlation of the two models over items.")
        ] = None,
        psi: Annotated[
            float | None, Field(description="Share of items on which exactly one is right.")
        ] = None,
        sd_diff: Annotated[
            float | None, Field(description="Graded scores: sd of the per-item difference.")
        ] = None,
        sd: Annotated[
            float | None, Field(description="Graded scores: sd over items of one model.")
        ] = None,
        benchmark: Annotated[
            str | None, Field(description="Benchmark whose published correlation is taken.")
        ] = None,
        margin: Annotated[
            float | None, Field(description=f"Show that a gap is smaller than this, {_SHARE}.")
        ] = None,
        alpha: Alpha = 0.05,
        power: Power = 0.8,
        full: Full = False,
    ) -> str:
        """Before an evaluation: how many items a gap takes (delta), or what items can detect.

        Give delta, items, or both; with baseline and rho, or psi; for graded scores sd or sd_diff.
        """
        given: dict[str, Any] = {
            "delta": delta,
            "items": items,
            "baseline": baseline,
            "rho": rho,
            "psi": psi,
            "sd_diff": sd_diff,
            "sd": sd,
            "benchmark": benchmark,
            "margin": margin,
        }
        found = nstar.plan(alpha=alpha, power=power, **given)
        return report_text(found, full=full)

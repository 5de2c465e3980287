"""A pytest fixture that lets a test pass only if a candidate is shown to hold up.

Installed with nstar and found by pytest by itself. Nothing but pytest is imported until a test
asks for the fixture.

::

    def test_release(nstar_gate):
        nstar_gate("runs/new", "runs/old", margin=0.01)
"""

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nstar._verbs.gate import Gate

__all__ = ["GateFixture", "Undecided", "nstar_gate"]

Undecided: TypeAlias = Literal["fail", "skip"]


class GateFixture:
    """What the fixture ``nstar_gate`` is: call it with a candidate and a baseline."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node

    def __call__(
        self,
        candidate: Any,
        baseline: Any = None,
        *,
        inconclusive: Undecided = "fail",
        tasks: "Sequence[str]" = (),
        metric: str | None = None,
        runs: Literal["latest", "all"] = "latest",
        allow: "Sequence[str]" = (),
        **question: Any,
    ) -> "Gate":
        """Pass if the gate passes; else fail and show its report.

        Parameters
        ----------
        candidate, baseline
            Two paths as in ``nstar gate``, ``PATH::MODEL`` included; or scores in any form that
            :func:`nstar.gate` takes.
        inconclusive
            ``fail``, or ``skip``: too few items are not a failure of the model.
        tasks, metric, runs, allow
            For paths: ``--task`` (tasks with a guardrail are added), ``--metric``, ``--runs`` and
            ``--allow`` of ``nstar gate``.
        **question
            ``margin``, ``superiority``, ``guardrails``, ``strata``, ``cluster``, ``alpha`` … of
            :func:`nstar.gate`.

        Returns
        -------
        Gate
            The result of a gate that passed.
        """
        __tracebackhide__ = True
        _check_undecided(inconclusive)
        guarded = [t for t in question.get("guardrails") or () if tasks and t not in tasks]
        if isinstance(candidate, str | PathLike):
            question = {"runs": runs, "allow": tuple(allow)} | question
        question = {"tasks": (*tasks, *guarded), "metric": metric} | question
        return self._judged(_asked(candidate, baseline, question), inconclusive)

    def _judged(self, found: "Gate", inconclusive: Undecided) -> "Gate":
        __tracebackhide__ = True
        report = str(found)
        self._node.user_properties.append(("nstar.answer", found.answer))
        if found.answer == "PASS":
            self._node.add_report_section("call", "nstar gate", report)
            return found
        text = f"nstar gate: {found.answer}\n\n{report}"
        if found.answer == "INCONCLUSIVE" and inconclusive == "skip":
            pytest.skip(text)
        pytest.fail(text, pytrace=False)


def _check_undecided(inconclusive: str) -> None:
    from nstar.errors import ParameterError

    if inconclusive not in get_args(Undecided):
        msg = f"inconclusive must be 'fail' or 'skip'; got {inconclusive!r}"
        raise ParameterError(msg)


def _asked(candidate: Any, baseline: Any, question: dict[str, Any]) -> "Gate":
    from nstar._api.gate import gate

    return gate(candidate, baseline, **question)


@pytest.fixture
def nstar_gate(request: pytest.FixtureRequest) -> GateFixture:
    """Assert that a candidate is shown not to be worse than a baseline by more than a margin."""
    return GateFixture(request)

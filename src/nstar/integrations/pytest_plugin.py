"""Pytest fixture for tests that pass only if a candidate is shown to be no worse than a baseline.

The plugin is installed with nstar, and pytest loads it automatically. Nothing but pytest is
imported until a test requests the fixture.

::

    def test_release(nstar_gate):
        nstar_gate("runs/new", "runs/old", margin=0.01)
"""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from nstar._verbs.gate import Gate

__all__ = ["GateFixture", "Undecided", "nstar_gate"]

Undecided: TypeAlias = Literal["fail", "skip"]


class GateFixture:
    """Type of the fixture ``nstar_gate``. Call it with a candidate and a baseline."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node

    def __call__(
        self,
        candidate: Any,
        baseline: Any = None,
        *,
        inconclusive: Undecided = "fail",
        **parameters: Any,
    ) -> "Gate":
        """Return the gate if it passes. Otherwise fail the test and show the report.

        Parameters
        ----------
        candidate, baseline : object
            Two paths as in ``nstar gate``, including ``PATH::MODEL``, or scores in any form that
            :func:`nstar.gate` takes.
        inconclusive : {"fail", "skip"}, default "fail"
            Outcome of the test if the gate is inconclusive. Use ``skip`` if too few items should
            not fail the test.
        **parameters
            Parameters of :func:`nstar.gate`, such as ``margin``, ``superiority``, ``guardrails``,
            ``strata``, ``cluster``, and ``alpha``.

        Returns
        -------
        Gate
            The result of a gate that passed.
        """
        __tracebackhide__ = True
        from nstar._api.gate import gate

        return self._judged(gate, candidate, baseline, inconclusive, parameters)

    def looks(
        self,
        candidate: Any,
        baseline: Any = None,
        *,
        inconclusive: Undecided = "fail",
        **parameters: Any,
    ) -> "Gate":
        """Call :func:`nstar.gate_looks`, which is valid at every look."""
        __tracebackhide__ = True
        from nstar._api.gate_looks import gate_looks

        return self._judged(gate_looks, candidate, baseline, inconclusive, parameters)

    def runs(
        self,
        candidate: Any,
        baseline: Any = None,
        *,
        inconclusive: Undecided = "fail",
        **parameters: Any,
    ) -> "Gate":
        """Call :func:`nstar.gate_runs`, which applies a rule to repeated runs."""
        __tracebackhide__ = True
        from nstar._api.gate_runs import gate_runs

        return self._judged(gate_runs, candidate, baseline, inconclusive, parameters)

    def _judged(
        self,
        function: "Callable[..., Gate]",
        candidate: Any,
        baseline: Any,
        inconclusive: Undecided,
        parameters: dict[str, Any],
    ) -> "Gate":
        __tracebackhide__ = True
        from nstar.errors import ParameterError

        if inconclusive not in get_args(Undecided):
            msg = f"inconclusive must be 'fail' or 'skip'; got {inconclusive!r}"
            raise ParameterError(msg)
        gate = function(candidate, baseline, **parameters)
        report = str(gate)
        self._node.user_properties.append(("nstar.verdict", gate.verdict))
        if gate.verdict == "pass":
            self._node.add_report_section("call", "nstar gate", report)
            return gate
        text = f"nstar gate\n\n{report}"
        if gate.verdict == "inconclusive" and inconclusive == "skip":
            pytest.skip(text)
        pytest.fail(text, pytrace=False)


@pytest.fixture
def nstar_gate(request: pytest.FixtureRequest) -> GateFixture:
    """Assert that a candidate is shown not to be worse than a baseline by more than a margin."""
    return GateFixture(request)

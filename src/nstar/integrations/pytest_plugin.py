"""A pytest fixture that lets a test pass only if a candidate is shown to hold up.

Installed with nstar and found by pytest by itself. Nothing but pytest is imported until a test
asks for the fixture.

::

    def test_release(nstar_gate):
        nstar_gate("runs/new", "runs/old", margin=0.01)
"""

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nstar._verbs.gate import Gate
    from nstar.cli.kit.reading import ReadingOptions, TaskOptions
    from nstar.cli.kit.sides import ComparedSides

__all__ = ["GateFixture", "Undecided", "nstar_gate"]

Undecided: TypeAlias = Literal["fail", "skip"]

_REASON_LIMIT = 4_000


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
            ``fail``, or ``skip``: too few items are no failure of the model.
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
        if isinstance(candidate, str | PathLike):
            from nstar.cli.kit.params import defaults
            from nstar.cli.kit.reading import ReadingOptions, TaskOptions

            guarded = [t for t in question.get("guardrails") or () if tasks and t not in tasks]
            tasks = (*tasks, *guarded)
            reading = defaults(ReadingOptions, runs=runs, allow=tuple(allow))
            wanted = defaults(TaskOptions, tasks=tuple(tasks), metric=metric)
            both = _read(candidate, baseline, reading, wanted)
            question = {"names": both.names, "findings": both.coverage.findings} | question
            candidate, baseline = both.matrices, None
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
    from nstar._verbs.gate import gate

    return gate(candidate, baseline, **question)


def _read(
    candidate: "str | PathLike[str]",
    baseline: Any,
    reading: "ReadingOptions",
    wanted: "TaskOptions",
) -> "ComparedSides":
    """Both logs, aligned by item; one that cannot be read fails the test in one line."""
    __tracebackhide__ = True
    from nstar.cli.kit.sides import load_sides, parse_sides
    from nstar.errors import DataError, ParameterError

    if not isinstance(baseline, str | PathLike):
        msg = f"candidate is a path, so baseline must be one; got {type(baseline).__name__}"
        raise ParameterError(msg)
    sides = parse_sides((fspath(candidate), fspath(baseline)), None, None)
    try:
        both = load_sides(sides, reading, wanted, named=True)
    except DataError as error:
        _refuse(str(error))
    gone = [f.text for f in both.coverage.findings if f.code == "task-left-out"]
    if gone and "task-left-out" not in reading.allow:
        _refuse(f"{gone[0]}; name those to judge in tasks, or allow=['task-left-out']")
    return both


def _refuse(why: str) -> NoReturn:
    __tracebackhide__ = True
    from nstar.report.words.numbers import name

    pytest.fail(f"nstar gate: INVALID DATA\n\n{name(why, limit=_REASON_LIMIT)}", pytrace=False)


@pytest.fixture
def nstar_gate(request: pytest.FixtureRequest) -> GateFixture:
    """Assert that a candidate is shown not to be worse than a baseline by more than a margin."""
    return GateFixture(request)

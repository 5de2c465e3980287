"""``nstar gate``: may this candidate replace the baseline?"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from nstar.cli.gate.ci import (
    STATUS,
    UNSAID,
    GateCommand,
    prepare,
    tell_github,
    unread,
    write_reports,
)
from nstar.cli.gate.options import GateOptions, refuse_tuning, refuse_unused, settled, without_file
from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.config import settings_file
from nstar.cli.kit.gap_options import in_points, refuse_points
from nstar.cli.kit.options import ACCURACY, refuse_both_designs
from nstar.cli.kit.output import (
    emit,
    error_for_cli,
    make_folder,
    refuse_usage,
    usage_errors,
    write_text,
)
from nstar.cli.kit.params import takes
from nstar.cli.kit.reading import ReadingOptions

if TYPE_CHECKING:
    from nstar._api.inputs.aligned_pair import AlignedPair
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.gate import Alarms, Basis, Gate, GateQuestion, History, Outlook

_R = TypeVar("_R", "Gate", "Outlook", "Alarms")

_HISTORY_FILE = "gate.jsonl"
_BUSY = "another nstar gate has been at work on this history for a minute; try again"
_PATIENCE = 60.0
"""Seconds to wait for another gate to be done with the history."""


@contextmanager
def held_history(folder: Path) -> Iterator[None]:
    """Keep other gates from the history meanwhile; the folder is made if need be.

    It is replaced whole at each evaluation, so one process must have it to itself from reading it
    to writing it, or what others gathered in between would be lost.
    """
    from nstar._data.export.files import sweep
    from nstar.cli.kit.lock import FileLock

    make_folder(folder)
    hold = FileLock(str(folder / _HISTORY_FILE), "history", _BUSY, _PATIENCE)
    try:
        sweep(folder)
        yield
    finally:
        hold.release()


def read_history(folder: Path, *, fresh: bool) -> "History":
    """What was gathered there; an empty history if there is none."""
    from nstar._verbs.gate import History
    from nstar.errors import DataError

    path = folder / _HISTORY_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return History(fresh=fresh)
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise DataError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: is not text, and so no history of nstar gate"
        raise DataError(msg) from error
    try:
        history = History.parse(text)
    except DataError as error:
        raise error.within(str(path)) from error
    if history.fresh != fresh:
        which = "with" if history.fresh else "without"
        msg = f"{path}: was begun {which} --fresh-items, which cannot change later"
        raise DataError(msg)
    return history


def keep_history(folder: Path, history: "History") -> None:
    """Write it, whole or not at all."""
    from nstar.cli.kit.output import write_whole

    write_whole(str(folder / _HISTORY_FILE), history.text().encode("utf-8"), "history")


def _refuse_scales(
    margins: Iterable[float | None], matrices: "list[ScoreMatrix]", names: tuple[str, str]
) -> None:
    """DataError if one model's scores fit neither the margin nor the other's.

    ParameterError if both models are on another scale than a margin in points.
    """
    from nstar._verbs.data_summary.finding_text import where
    from nstar._verbs.gate.scale_mismatch import refuse_misfit

    given = list(margins)
    points = any(in_points(margin) for margin in given)
    for matrix in matrices:
        measured = matrix.means is not None and matrix.correction is None
        if measured and set(names) <= set(matrix.models):
            rows = (matrix.row(names[0]), matrix.row(names[1]))
            refuse_misfit(rows, names, matrix.items, points=points, where=where(matrix))
    for margin in given:
        refuse_points(matrices, margin=margin)


def _question(options: GateOptions) -> "GateQuestion":
    from nstar._verbs.gate import PSI_PLANNED, GateQuestion, gate_criteria
    from nstar._verbs.runs import TaskRule

    basis: Basis = "sequential" if options.sequential else "fixed"
    if options.history:
        basis = "history"
    return GateQuestion(
        margin=options.margin,
        superiority=options.superiority,
        guardrails=options.guardrails,
        strata=options.strata,
        cluster=options.cluster,
        loss=options.loss,
        criteria=gate_criteria(options.alpha, options.power),
        basis=basis,
        items=options.items,
        psi=options.psi if options.psi is not None else PSI_PLANNED,
        missing=options.missing,
        score_range=options.score_range,
        at_least=None if options.at_least is None else TaskRule.parse(options.at_least),
        seed=options.seed,
    )


def _naming_settings(result: _R) -> _R:
    """The result, with the settings file that set parts of its question."""
    return replace(result, settings_file=settings_file())


def _show(result: "Gate | Outlook | Alarms", options: GateOptions) -> None:
    if options.format_ == "junit":
        from nstar._verbs.gate import Gate
        from nstar.report.formats.junit import junit

        if not isinstance(result, Gate):
            refuse_usage("--format junit is for a gate of two models")
        write_text(junit(result), failed=UNSAID)
    else:
        emit(result, options, failed=UNSAID)


def _tell(result: "Gate | Outlook | Alarms", options: GateOptions) -> None:
    """Print it; whether anybody reads on changes no answer."""
    with unread(sys.stdout):
        _show(result, options)


def _judge(options: GateOptions, ask: "GateQuestion") -> "Gate":
    from nstar._verbs.gate import invalid
    from nstar.cli.kit.sides import load_sides, parse_sides
    from nstar.errors import DataError

    sides = parse_sides((options.candidate or "", options.baseline or ""), None, None)
    named = (sides[0].label or "candidate", sides[1].label or "baseline")
    try:
        judged = options.reading().judged
        ready = load_sides(sides, options, options, named=True, judged=judged)
        if judged is not None:
            ask.refuse_judged()
            ready = ready.corrected(ask.criteria.alpha)
        margins = (options.margin, *options.guardrails.values())
        _refuse_scales(margins, ready.matrices, ready.names)
        ready = _by_weights(ready, options, ask)
        return _weighed(ready, options, ask)
    except DataError as error:
        return invalid(error_for_cli(error), ask=ask, names=named)


def _by_weights(ready: "AlignedPair", options: GateOptions, ask: "GateQuestion") -> "AlignedPair":
    """With items that count as they weigh, where weights are given."""
    if options.weights is None:
        return ready
    from nstar._api.gate import WHOLE
    from nstar._api.inputs.two_models import ModelPairData
    from nstar._api.inputs.weights import weights_of

    ask.refuse_weighted()
    both = ModelPairData(ready.names, ready.matrices, judged=ready.judged)
    both, said = both.weighed(weights_of(options.weights), whole_or=WHOLE)
    found = replace(ready.coverage, findings=(*ready.coverage.findings, *said))
    return replace(ready, matrices=both.matrices, coverage=found)


def _weighed(ready: "AlignedPair", options: GateOptions, ask: "GateQuestion") -> "Gate":
    """The answer; with a history, while no other gate can change it, and kept there."""
    from nstar._api.gate import ended
    from nstar._verbs.gate import invalid, judge
    from nstar.errors import DataError

    folder, history = options.history, None
    with ExitStack() as stack:
        if folder is not None:
            stack.enter_context(held_history(folder))
            history = read_history(folder, fresh=options.fresh_items)
        found, names = ready.coverage.findings, ready.names
        now = replace(ask, ended=ended(ready.coverage.sources, names[0]))
        try:
            result = judge(
                ready.matrices,
                now,
                names=names,
                history=history,
                findings=found,
                allowed=options.allow,
            )
        except DataError as error:
            return invalid(error_for_cli(error), ask=now, names=names, findings=found)
        seen = result.gathered is not None and result.gathered.repeated
        if folder is not None and result.history is not None and not seen:
            keep_history(folder, result.history)
    return replace(result, judged=ready.judged)


def _run_gate(options: GateOptions) -> None:
    for name in ("candidate", "baseline"):
        if getattr(options, name) is None:
            refuse_usage(f"give --{name}: the logs of the {name}")
    if options.fresh_items and not options.history:
        refuse_usage("--fresh-items goes with --history")
    if options.history and options.sequential:
        refuse_usage("--history is valid at every look already; leave --sequential out")
    if options.margin is None and not options.superiority:
        refuse_usage("give --margin (which loss is harmless? 1pp) or --superiority")
    refuse_tuning(options)
    with usage_errors():
        result = _answered(options, _question(options))
    with unread(sys.stderr):
        tell_github(result)
    _tell(result, options)
    sys.exit(STATUS[result.answer])


def _answered(options: GateOptions, ask: "GateQuestion") -> "Gate":
    """Judged and kept; INVALID DATA if the history was not, no PASS if a report was not."""
    from nstar._verbs.gate import invalid
    from nstar.errors import DataError

    try:
        prepare(options.out)
    except DataError as error:
        return _naming_settings(invalid(error_for_cli(error), ask=ask))
    result = _naming_settings(_judge(options, ask))
    try:
        write_reports(result, options.out, options.comment_key)
    except DataError as error:
        if result.passed:
            wrong = invalid(error_for_cli(error), ask=ask, names=result.names)
            return _naming_settings(wrong)
        click.echo(f"nstar: {error_for_cli(error)}", err=True)
    return result


_PLANNED = {"dry_run", "items", "margin", "psi", "baseline", "rho", "alpha", "power"}
_PLANNED |= {"format_", "full", "brief", "config"}
"""What --dry-run makes use of."""
_PILOT = {"paths", "tasks", "metric", "at_least", *(f.name for f in fields(ReadingOptions))}
"""And what with runs of the baseline."""
_NOT_TRIED = {"baseline", "candidate", "history", "sequential", "fresh_items", "items", "psi"}
_NOT_TRIED |= {"rho", "out", "comment_key", "weights"}
"""What --aa makes no use of."""


def _refuse_clusters(options: GateOptions) -> None:
    """A dry run is of independent items, and clusters pass less often."""
    if options.cluster is not None:
        refuse_usage(
            "--dry-run plans independent items; leave --cluster out, or plan clusters with "
            "nstar plan --margin 5pp --non-inferiority --icc 0.1 --clusters 60"
        )


def _dry_run(options: GateOptions) -> None:
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.gate import gate_criteria, outlook
    from nstar._verbs.plan import PairedPsi, PairedRho

    if options.superiority:
        hint = "use nstar plan --alternative greater"
        refuse_usage(f"--dry-run plans one look at a margin; leave --superiority out; {hint}")
    used = _PLANNED | _PILOT if options.paths else _PLANNED
    why = "--dry-run plans one look at one task with a margin"
    if options.at_least is not None:
        why += ", by a rule for every task only if runs of the baseline are named (RUN…)"
    refuse_unused(why, used)
    if options.paths:
        _rehearse(options)
        return
    if options.items is None or options.margin is None:
        refuse_usage("--dry-run needs --items and --margin, or --margin and runs of the baseline")
    with usage_errors():
        if options.psi is not None:
            noise: PairedPsi | PairedRho = PairedPsi(psi=options.psi)
            source = "given"
        elif options.baseline is not None:
            rate = ACCURACY.convert(options.baseline, None, None)
            rho = TYPICAL.mean if options.rho is None else options.rho
            noise = PairedRho(baseline=rate, rho=rho)
            source = "rho assumed" if options.rho is None else "given"
        else:
            refuse_usage(
                "--dry-run needs --psi (the share of items on which exactly one model is right), "
                "or --baseline (its accuracy) with --rho"
            )
        result = outlook(
            options.items,
            margin=options.margin,
            noise=noise,
            criteria=gate_criteria(options.alpha, options.power),
            source=source,
        )
    _tell(_naming_settings(result), options)
    sys.exit(0 if result.likely else STATUS["INCONCLUSIVE"])


def _rehearse(options: GateOptions) -> None:
    """The same from repeated runs of the baseline, which tell how much runs differ."""
    from nstar._verbs.gate import gate_criteria, rehearsed
    from nstar._verbs.runs import TaskRule
    from nstar.cli.gate.runs import load_pilot
    from nstar.errors import DataError

    for name in ("psi", "rho", "baseline"):
        if getattr(options, name) is not None:
            refuse_usage(f"the runs tell how often answers differ; leave --{name} out")
    if options.margin is None:
        refuse_usage("--dry-run needs --margin: which loss is harmless? 1pp")
    with usage_errors():
        rule = gate_criteria(options.alpha, options.power)
        at_least = None if options.at_least is None else TaskRule.parse(options.at_least)
        try:
            table = load_pilot(options)
            result = rehearsed(
                table,
                margin=options.margin,
                items=options.items,
                criteria=rule,
                at_least=at_least,
            )
        except DataError as error:
            click.echo(f"nstar: INVALID DATA: {error_for_cli(error)}", err=True)
            sys.exit(STATUS["INVALID DATA"])
    _tell(_naming_settings(result), options)
    sys.exit(0 if result.likely else STATUS["INCONCLUSIVE"])


def _try_runs(options: GateOptions) -> None:
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.gate import false_alarms
    from nstar.cli.gate.runs import load_runs
    from nstar.errors import DataError

    if not options.paths:
        refuse_usage("--aa needs logs: two runs of one model or more")
    if options.at_least is not None:
        refuse_usage("--aa holds single runs against each other, and --at-least is about several")
    there = {str(p.name) for p in click.get_current_context().command.params}
    refuse_unused("--aa tries the gate of one look on runs of one model", there - _NOT_TRIED)
    with usage_errors():
        ask = _question(options)
        try:
            matrices, found = load_runs(options)
            refuse_fatal(found)
            result = false_alarms(matrices, ask)
        except DataError as error:
            click.echo(f"nstar: INVALID DATA: {error_for_cli(error)}", err=True)
            sys.exit(STATUS["INVALID DATA"])
    _tell(_naming_settings(result), options)


@click.command(
    "gate",
    cls=GateCommand,
    short_help=SUMMARIES["gate"],
    most_used=("baseline", "candidate", "margin", "dry_run", "out"),
)
@takes(options=GateOptions)
def gate_command(options: GateOptions) -> None:
    """Answer PASS, REGRESSION, INCONCLUSIVE or INVALID DATA: exit status 0, 1, 3, 4.

    Settings can also be in nstar.toml under [gate], or in pyproject.toml under [tool.nstar.gate].

    \b
    nstar gate --baseline old/ --candidate new/ --margin 1pp
    nstar gate --dry-run --items 2000 --margin 1pp --psi 10%
    nstar gate --dry-run --margin 5pp runs-of-the-baseline/*
    nstar gate --aa --margin 1pp runs/*
    """  # noqa: D301
    refuse_both_designs(options.strata, options.cluster)
    options = settled(options)
    if options.aa or options.dry_run:
        options = without_file(options)
    if options.paths and not options.aa and not options.dry_run:
        refuse_usage(
            "logs go behind --baseline and --candidate: nstar gate --baseline OLD --candidate NEW "
            "--margin 1pp; only --aa and --dry-run take runs as they are"
        )
    if options.aa and options.dry_run:
        refuse_usage("--aa and --dry-run answer different questions; give one of them")
    if options.aa:
        _try_runs(options)
    elif options.dry_run:
        _refuse_clusters(options)
        _dry_run(options)
    else:
        _run_gate(options)

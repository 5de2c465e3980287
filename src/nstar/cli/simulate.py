"""``nstar simulate``: what tests and intervals really do, by Monte Carlo."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import ACCURACY, LOCAL_FOLDER, ReportOptions, seed_option
from nstar.cli.kit.output import emit, refuse_usage, reported_errors
from nstar.cli.kit.params import Command, Heading, group, option, takes
from nstar.cli.kit.progress import BatchProgress
from nstar.cli.kit.ray import WorkOptions, log_ray_events
from nstar.cli.kit.value_lists import NAMES, SETTING, SIZES, VALUES

if TYPE_CHECKING:
    from nstar._data.export.simulation_log import SimulationLog
    from nstar._verbs.simulate import Simulation, Study
    from nstar._verbs.simulate.batch import BatchTally
    from nstar._verbs.simulate.question import SimulateQuestion

PRESETS = ("embedding-study",)
_FIXED = (
    *("scenario", "pilot", "items", "rho", "delta", "models", "tests", "intervals", "set_"),
    *("precision", "alpha"),
)
"""Options that a preset decides."""
_FED_ELSEWHERE = ("pilot-runs",)
"""Scenarios whose data no option here brings; ``nstar plan runs LOG --resample`` uses them."""


@group
class _ScenarioOptions:
    scenario: str | None = option(
        "--scenario",
        under=Heading.INPUT,
        metavar="NAME",
        help="How scores arise; see --list.",
    )
    pilot: tuple[str, ...] = option(
        "--pilot",
        under=Heading.INPUT,
        metavar="FILE",
        multiple=True,
        help="Draw items from a real evaluation: a column of differences, or the logs of two "
        "models, in one file or two.",
    )
    items: tuple[int, ...] | None = option(
        "--items", under=Heading.INPUT, type=SIZES, help="Items per evaluation: 50,100,200."
    )
    rho: tuple[float, ...] | None = option(
        "--rho",
        under=Heading.INPUT,
        type=VALUES,
        help="Item correlation of the models: 0.5,0.8,0.95.",
    )
    delta: tuple[float, ...] | None = option(
        "--delta",
        under=Heading.INPUT,
        type=VALUES,
        help="True gap, of a board that of neighbours: 0,1pp or 0:0.1 (11 values).",
    )
    models: tuple[int, ...] | None = option(
        "--models", under=Heading.INPUT, type=SIZES, help="Models of a board: 5,10,20."
    )
    set_: tuple[tuple[str, tuple[float, ...]], ...] = option(
        "--set",
        under=Heading.INPUT,
        type=SETTING,
        multiple=True,
        help="Another parameter of the scenario: sd=0.1,0.2 or psi=0.1:0.3:0.05. One value of "
        "several numbers has slashes: rates=0.5/0.48/0.47.",
    )
    tests: tuple[str, ...] | None = option(
        "--test",
        under=Heading.STATISTICS,
        type=NAMES,
        help="Tests: how often do they reject? For example t,equivalent:2pp.",
    )
    intervals: tuple[str, ...] | None = option(
        "--interval",
        under=Heading.STATISTICS,
        type=NAMES,
        help="Intervals: how often do they contain the truth?",
    )
    preset: str | None = option(
        "--preset",
        under=Heading.INPUT,
        type=click.Choice(PRESETS),
        help="A published simulation, beside its tables.",
    )
    list_: bool = option(
        "--list", under=Heading.OUTPUT, is_flag=True, help="Show scenarios, tests and intervals."
    )
    reps: int | None = option(
        "--reps",
        under=Heading.STATISTICS,
        type=click.IntRange(min=1),
        help="Replications per cell.  [default: 1000]",
    )
    precision: float | None = option(
        "--precision",
        under=Heading.STATISTICS,
        type=ACCURACY,
        help="Continue until each rate has this Monte Carlo standard error: 0.1%.",
    )
    alpha: float = option(
        "--alpha",
        under=Heading.STATISTICS,
        type=ACCURACY,
        default="0.05",
        show_default=True,
        help="Significance level.",
    )
    seed: int = seed_option()
    common: bool = option(
        "--common",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Share random numbers between cells with the same items.",
    )
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Save finished work in this folder, resume from it, and write the rates as Parquet "
        "and JSON.",
    )


@group
class SimulateOptions(ReportOptions, PageOptions, FigureOptions, WorkOptions, _ScenarioOptions):
    """Everything that can be said to ``nstar simulate``."""

    figure_kind: str | None = figure_kind("simulate")


def _listed() -> None:
    """Everything that can be simulated, with the first line of its docstring."""
    from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS

    for title, registry in (("Scenarios", SCENARIOS), ("Tests", TESTS), ("Intervals", INTERVALS)):
        click.echo(f"{title}\n")
        for name in (n for n in registry if n not in _FED_ELSEWHERE):
            click.echo(f"  {name}: {registry.about(name)}")
            given = registry.parameters(name)
            if given:
                click.echo("      " + ", ".join(f"{k} = {v}" for k, v in given.items()))
        click.echo()
    click.echo(f"Presets\n\n  {PRESETS[0]}: the published grid of 150 cells, t and Wilcoxon")


def _values(options: SimulateOptions) -> dict[str, tuple[Any, ...]]:
    """Parameters of the scenario."""
    given: dict[str, tuple[Any, ...]] = dict(options.set_)
    for name in ("rho", "delta", "models"):
        if getattr(options, name) is not None:
            if name in given:
                refuse_usage(f"--{name} and --set {name}=… say the same; give one of them")
            given[name] = getattr(options, name)
    if options.pilot:
        from nstar.cli.kit.pilot import pilot_differences

        given["d"] = (pilot_differences(options.pilot),)
    return given


def _question(options: SimulateOptions) -> "SimulateQuestion":
    from nstar._verbs.simulate.question import SimulateQuestion

    return SimulateQuestion(
        scenario=options.scenario or "",
        items=options.items or (),
        tests=options.tests or (),
        intervals=options.intervals or (),
        values=_values(options),
        reps=options.reps or 1000,
        precision=options.precision,
        alpha=options.alpha,
        seed=options.seed,
        common=options.common,
    )


def _run(
    options: SimulateOptions,
    ask: "SimulateQuestion | None",
    progress: BatchProgress,
    journal: "SimulationLog[BatchTally] | None",
) -> "Simulation | Study":
    """Of a question, or of the preset if there is none."""
    from nstar._engine.work import Execution
    from nstar._verbs.simulate import embedding_study
    from nstar._verbs.simulate.run import simulated

    how = Execution(workers=options.workers, executor=options.executor, progress=progress)
    if ask is not None:
        return simulated(ask, how, journal)
    reps = options.reps or 1000
    seed, common = options.seed, options.common
    return embedding_study(reps=reps, seed=seed, common=common, execution=how, journal=journal)


def _about(options: SimulateOptions, ask: "SimulateQuestion | None") -> dict[str, object]:
    """What the numbers depend on, for the manifest of a folder."""
    if ask is not None:
        return ask.identity()
    reps = options.reps or 1000
    return {
        "preset": options.preset,
        "reps": reps,
        "seed": options.seed,
        "common": options.common,
    }


def _stopped(progress: BatchProgress, log: "SimulationLog[BatchTally] | None") -> NoReturn:
    """Say what is kept, and how to go on."""
    progress.clear()
    if log is None:
        said = "nothing was kept; with --out DIR a simulation can go on where it was stopped"
    else:
        said = f"{log.reps:,} replications are kept in {log.root}; the same command goes on"
    click.echo(f"nstar: stopped: {said}", err=True)
    sys.exit(130)


def _simulated(options: SimulateOptions) -> "Simulation | Study":
    asked = None if options.preset else _question(options)
    progress, log = BatchProgress(), None
    try:
        with ExitStack() as stack, log_ray_events():
            if options.out is not None:
                from nstar._data.export.simulation_log import SimulationLog
                from nstar._verbs.simulate.batch import BatchTally

                kept = SimulationLog(options.out, _about(options, asked), BatchTally)
                log = stack.enter_context(kept)
            result = _run(options, asked, progress, log)
    except KeyboardInterrupt:
        _stopped(progress, log)
    finally:
        progress.clear()
    return result


def _write(result: "Simulation | Study", directory: str) -> None:
    from nstar._data.export.simulation_log import write_rates
    from nstar.report import render

    write_rates(directory, result.columns(), render(result, "json"))


def _with_pilot(options: SimulateOptions) -> SimulateOptions:
    """--pilot is the scenario pilot, and the other way round."""
    if options.pilot:
        if options.scenario not in (None, "pilot"):
            refuse_usage(f"--pilot is a scenario; leave out --scenario {options.scenario}")
        if "d" in dict(options.set_):
            refuse_usage("--pilot and --set d=… say the same; give one of them")
        return replace(options, scenario="pilot")
    if options.scenario == "pilot":
        refuse_usage("the scenario pilot needs --pilot FILE, an evaluation whose items are drawn")
    return options


def _with_board(options: SimulateOptions) -> SimulateOptions:
    """--models is of the scenario board."""
    if options.models is not None and options.scenario is None:
        return replace(options, scenario="board")
    return options


def _checked(ctx: click.Context, options: SimulateOptions) -> SimulateOptions:
    """Refuse what would silently be ignored, and ask for what is missing."""
    if options.preset:
        for name in _FIXED:
            source = ctx.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                refuse_usage(
                    f"--preset {options.preset} decides --{name.strip('_')}; leave it out"
                )
        return options
    if options.reps is not None and options.precision is not None:
        refuse_usage("--reps and --precision both say when a cell is done; give one of them")
    options = _with_board(_with_pilot(options))
    if options.scenario is None:
        refuse_usage(
            "give --scenario NAME, or --preset embedding-study; --list shows what there is"
        )
    if options.items is None:
        refuse_usage("give --items, one or several numbers: 50,100,200")
    if not options.tests and not options.intervals and options.scenario != "board":
        refuse_usage("give --test or --interval; --list shows what there is")
    return options


@click.command(
    "simulate",
    cls=Command,
    short_help=SUMMARIES["simulate"],
    most_used=("scenario", "items", "delta", "tests", "list_"),
)
@takes(options=SimulateOptions)
@click.pass_context
def simulate_command(ctx: click.Context, options: SimulateOptions) -> None:
    """Simulate evaluations: type I error, power and coverage of any test or interval.

    \b
    nstar simulate --scenario bernoulli --items 200 --delta 0,5pp --test midp,exact
    nstar simulate --scenario beta --rho 0.5,0.8 --delta 0:0.1 --items 50,200 --test t,wilcoxon
    nstar simulate --scenario board --models 10 --delta 1pp --items 800
    nstar simulate --pilot results.parquet --items 500,1000 --delta 1pp --test better
    nstar simulate --preset embedding-study --out study/
    """  # noqa: D301
    if options.list_:
        with reported_errors():
            _listed()
        return
    options = _checked(ctx, options)
    with reported_errors():
        result = _simulated(options)
        if options.out is not None:
            _write(result, options.out)
        emit(result, options)
        options.draw(result)
        options.write(result)

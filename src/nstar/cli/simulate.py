"""``nstar simulate``: what tests and intervals really do, by Monte Carlo."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.grid import NAMES, SETTING, SIZES, VALUES
from nstar.cli.kit.options import ACCURACY, LOCAL_FOLDER, format_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.page import html_option, write_page
from nstar.cli.kit.ray import cluster_told, ray_option
from nstar.cli.kit.reading import BatchProgress

if TYPE_CHECKING:
    from nstar._data.export.simulation_log import SimulationLog
    from nstar._verbs.simulate import Simulation, Study
    from nstar._verbs.simulate.batch import Tally

PRESETS = ("embedding-study",)
_FIXED = (
    *("scenario", "pilot", "items", "rho", "delta", "test", "interval", "set_"),
    *("precision", "alpha"),
)
"""Options that a preset decides."""
_FED_ELSEWHERE = ("pilot-runs",)
"""Scenarios whose data no option here brings; ``nstar plan --pilot LOG --resample`` uses them."""


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


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


def _values(options: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Parameters of the scenario."""
    given = dict(options["set_"])
    for name in ("rho", "delta"):
        if options[name] is not None:
            if name in given:
                _refuse(f"--{name} and --set {name}=… say the same; give one of them")
            given[name] = options[name]
    if options["pilot"]:
        from nstar.cli.plan.pilot import pilot_differences

        given["d"] = (pilot_differences(options["pilot"]),)
    return given


def _asked(options: dict[str, Any]) -> dict[str, Any]:
    """The call, without what does not change the numbers."""
    shared = {"seed": options["seed"], "common": options["common"]}
    if options["preset"]:
        return {"reps": options["reps"] or 1000, **shared}
    return {
        "items": options["items"],
        "tests": options["test"] or (),
        "intervals": options["interval"] or (),
        "values": _values(options),
        "reps": options["reps"] or 1000,
        "precision": options["precision"],
        "alpha": options["alpha"],
        **shared,
    }


def _about(options: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """What the numbers depend on, defaults of the scenario included."""
    if options["preset"]:
        return {"preset": options["preset"], **asked}
    from nstar._verbs.simulate import SCENARIOS

    defaults = {k: (v,) for k, v in SCENARIOS.parameters(options["scenario"]).items()}
    values = {**defaults, **asked["values"]}
    return {"scenario": options["scenario"], **asked, "values": values}


def _run(options: dict[str, Any], asked: dict[str, Any], **how: Any) -> "Simulation | Study":
    from nstar._verbs.simulate import embedding_study, simulate

    call = {**asked, **how, "workers": options["workers"], "executor": options["executor"]}
    if options["preset"]:
        return embedding_study(**call)
    return simulate(options["scenario"], **call)


def _stopped(progress: BatchProgress, log: "SimulationLog[Tally] | None") -> NoReturn:
    """Say what is kept, and how to go on."""
    progress.clear()
    if log is None:
        said = "nothing was kept; with --out DIR a simulation can go on where it was stopped"
    else:
        said = f"{log.reps:,} replications are kept in {log.root}; the same command goes on"
    click.echo(f"nstar: stopped: {said}", err=True)
    sys.exit(130)


def _simulated(options: dict[str, Any]) -> "Simulation | Study":
    asked = _asked(options)
    progress, log = BatchProgress(), None
    try:
        with ExitStack() as stack, cluster_told():
            if options["out"] is not None:
                from nstar._data.export.simulation_log import SimulationLog
                from nstar._verbs.simulate.batch import Tally

                kept = SimulationLog(options["out"], _about(options, asked), Tally)
                log = stack.enter_context(kept)
            result = _run(options, asked, progress=progress, journal=log)
    except KeyboardInterrupt:
        _stopped(progress, log)
    finally:
        progress.clear()
    return result


def _write(result: "Simulation | Study", directory: str) -> None:
    from nstar._data.export.simulation_log import write_rates
    from nstar.report import render

    write_rates(directory, result.columns(), render(result, "json"))


def _check_pilot(options: dict[str, Any]) -> None:
    """--pilot is the scenario pilot, and the other way round."""
    if options["pilot"]:
        if options["scenario"] not in (None, "pilot"):
            _refuse(f"--pilot is a scenario; leave out --scenario {options['scenario']}")
        if "d" in dict(options["set_"]):
            _refuse("--pilot and --set d=… say the same; give one of them")
        options["scenario"] = "pilot"
    elif options["scenario"] == "pilot":
        _refuse("the scenario pilot needs --pilot FILE, an evaluation whose items are drawn")


def _check(ctx: click.Context, options: dict[str, Any]) -> None:
    """Refuse what would silently be ignored, and ask for what is missing."""
    if options["preset"]:
        for name in _FIXED:
            source = ctx.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                _refuse(f"--preset {options['preset']} decides --{name.strip('_')}; leave it out")
        return
    if options["reps"] is not None and options["precision"] is not None:
        _refuse("--reps and --precision both say when a cell is done; give one of them")
    _check_pilot(options)
    if options["scenario"] is None:
        _refuse("give --scenario NAME, or --preset embedding-study; --list shows what there is")
    if options["items"] is None:
        _refuse("give --items, one or several numbers: 50,100,200")
    if not options["test"] and not options["interval"]:
        _refuse("give --test or --interval; --list shows what there is")


@click.command("simulate", short_help="What do tests and intervals really do?")
@click.option("--scenario", metavar="NAME", help="How scores come about; see --list.")
@click.option(
    "--pilot",
    metavar="FILE",
    multiple=True,
    help="Draw items of an evaluation at hand: a column of differences, or the logs of two "
    "models, in one file or two.",
)
@click.option("--items", type=SIZES, help="Items of an evaluation: 50,100,200.")
@click.option("--rho", type=VALUES, help="Item correlation of the models: 0.5,0.8,0.95.")
@click.option("--delta", type=VALUES, help="True gap: 0,1pp or 0:0.1 (11 values).")
@click.option(
    "--set",
    "set_",
    type=SETTING,
    multiple=True,
    help="Another parameter of the scenario: sd=0.1,0.2 or psi=0.1:0.3:0.05.",
)
@click.option("--test", type=NAMES, help="Tests: how often do they reject?  t,equivalent:2pp")
@click.option("--interval", type=NAMES, help="Intervals: how often do they hold the truth?")
@click.option(
    "--preset", type=click.Choice(PRESETS), help="A published simulation, beside its tables."
)
@click.option("--list", "list_", is_flag=True, help="Show scenarios, tests and intervals.")
@click.option(
    "--reps", type=click.IntRange(min=1), help="Replications of a cell.  [default: 1000]"
)
@click.option(
    "--precision",
    type=ACCURACY,
    help="Go on until each rate has this Monte Carlo standard error: 0.1%.",
)
@click.option("--alpha", type=ACCURACY, default="0.05", show_default=True, help="Level.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of random numbers."
)
@click.option("--common", is_flag=True, help="Cells with the same items share random numbers.")
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=0,
    help="Threads; the answer is the same for any.  [default: one per processor]",
)
@ray_option
@click.option(
    "--out",
    metavar="DIR",
    type=LOCAL_FOLDER,
    help="Keep finished work there, go on from it, and write the rates as Parquet and JSON.",
)
@click.option("--paragraph", is_flag=True, help="Add a paragraph to paste into a paper.")
@figure_option("simulate")
@html_option()
@format_option
@click.pass_context
def simulate_command(ctx: click.Context, /, **options: Any) -> None:
    """Simulate evaluations: type I error, power and coverage of any test or interval.

    \b
    nstar simulate --scenario bernoulli --items 200 --delta 0,5pp --test midp,exact
    nstar simulate --scenario beta --rho 0.5,0.8 --delta 0:0.1 --items 50,200 --test t,wilcoxon
    nstar simulate --pilot results.parquet --items 500,1000 --delta 1pp --test better
    nstar simulate --preset embedding-study --out study/
    """  # noqa: D301
    if options["list_"]:
        with reported_errors():
            _listed()
        return
    _check(ctx, options)
    with reported_errors():
        result = _simulated(options)
        if options["out"] is not None:
            _write(result, options["out"])
        emit(result, options["format_"], paragraph=options["paragraph"])
        draw_figure(result, options)
        write_page(result, options)

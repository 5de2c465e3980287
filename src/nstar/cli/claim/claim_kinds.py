"""The five forms of the question, each with the options that it has no use for refused."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from nstar.cli.claim.options import ClaimOptions
from nstar.cli.claim.values import as_accuracies
from nstar.cli.kit.output import refuse_usage, usage_errors
from nstar.cli.kit.params import Heading, Option

if TYPE_CHECKING:
    from nstar._verbs.claim import Claim, ScoreClaim, TableClaim, UnpairedClaim, WinsClaim

    AnyClaim = Claim | ScoreClaim | TableClaim | UnpairedClaim | WinsClaim

_WITH_TABLE = {"first", "items", "alpha"}
"""Options of a table; a format and a length go with everything."""
_WITH_WINS = {"first", "second", "best_on", "ties", "models", "picked_from"}
_WITH_WINS |= {"alpha", "power", "conf"}
"""Those of a count of wins; two values are refused where it is made."""


def _typed_beside(known: set[str]) -> list[str]:
    """What was typed that is neither known here nor about output, as it is spelled."""
    context = click.get_current_context()
    return [
        "SECOND" if param.name == "second" else param.opts[0]
        for param in context.command.params
        if context.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        and param.name not in known
        and not (isinstance(param, Option) and param.under is Heading.OUTPUT)
    ]


def of_table(options: ClaimOptions) -> "TableClaim":
    """A whole table, with the items of its columns."""
    from nstar._api.claim_table import claim_table, printed_table

    path = "" if options.first is None else options.first.text
    for typed in _typed_beside(_WITH_TABLE):
        refuse_usage(f"{typed} does not go with a table; leave it out")
    if options.items is None:
        printed_table(path)  # what is wrong with the file comes first
        refuse_usage(
            "Missing option '--items': a table needs the items of its columns, a file of "
            "benchmark,items or one number for all"
        )
    return claim_table(path, options.items, alpha=options.alpha)


def of_wins(options: ClaimOptions) -> "WinsClaim":
    """Best on so many of so many."""
    from nstar._api.claim_wins import claim_wins

    if beside := ", ".join(_typed_beside(_WITH_WINS)):
        refuse_usage(
            f"--best-on counts benchmarks and has no use for {beside}; leave out what is named"
        )
    if options.first is not None:
        refuse_usage("--best-on stands instead of two values; leave them out")
    wins, of = options.best_on or (0, 0)
    with usage_errors():
        return claim_wins(
            wins,
            of,
            ties=options.ties,
            models=options.models,
            picked_from=options.picked_from,
            alpha=options.alpha,
        )


def of_scores(options: ClaimOptions) -> "ScoreClaim":
    """Two values with an error each."""
    from nstar._api.claim_scores import claim_scores

    figures = ("p", options.p), ("ci", options.ci), ("printed-n", options.printed_n)
    for name, value in figures:
        if value is not None:
            refuse_usage(
                f"--{name} is checked against accuracies without ±; leave it out with --pm"
            )
    errors = options.pm or ()
    first, second = options.both()
    return claim_scores(
        first.text,
        second.text,
        errors[0] if len(errors) == 1 else (errors[0], errors[1]),
        pm_is=options.pm_is,  # type: ignore[arg-type]  # a Choice of these
        seeds=options.runs_each(),
        items=options.count(),
        items_b=options.items_b,
        unpaired=options.unpaired,
        rho=options.rho,
        benchmark=options.benchmark,
        conf=options.conf,
        alpha=options.alpha,
        one_sided=options.one_sided,
    )


def of_different_items(options: ClaimOptions) -> "UnpairedClaim":
    """Two accuracies, each on items of its own."""
    from nstar._api.claim import refuse_paired
    from nstar._verbs.claim import PrintedFigures, judged_apart

    items = options.needed()
    read = as_accuracies(*options.both(), items)
    refuse_paired(
        rho=options.rho,
        benchmark=options.benchmark,
        p=options.p,
        ci=options.ci,
        printed_n=options.printed_n,
    )
    return judged_apart(
        *read.shares,
        items,
        options.items_b,
        printed=PrintedFigures(decimals=read.decimals, bare=read.bare),
        criteria=options.criteria(),
    )


def of_shared_items(options: ClaimOptions) -> "Claim":
    """Two accuracies on the same items."""
    from nstar._verbs.claim import judged
    from nstar.stats import psi_from_rho

    items = options.needed()
    read = as_accuracies(*options.both(), items)
    typical = options.typical()
    if options.rho is not None:
        psi_from_rho(*read.shares, options.rho)  # refuses what is impossible
    return judged(
        *read.shares,
        items,
        typical=typical,
        printed=options.printed(read),
        criteria=options.criteria(),
    )


def answered(options: ClaimOptions) -> "AnyClaim":
    """The question that these options ask, answered."""
    if options.first is not None and options.first.file:
        return of_table(options)
    if options.best_on is not None:
        return of_wins(options)
    if options.ties or options.models != 2 or options.picked_from is not None:
        refuse_usage(
            "--ties, --models and --picked-from are about wins; give these with --best-on 7/9"
        )
    options.both()
    if options.pm is not None:
        return of_scores(options)
    for name, value in (("--seeds", options.seeds), ("--pm-is", options.pm_is)):
        if value is not None:
            refuse_usage(f"{name} is about what was printed after ±; give that with --pm")
    if options.unpaired or options.items_b is not None:
        return of_different_items(options)
    return of_shared_items(options)

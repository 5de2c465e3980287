"""``nstar plan --sequential``: options about looking on the way, and the plan they ask for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

if TYPE_CHECKING:
    from nstar._verbs.plan import Design
    from nstar._verbs.plan.sequential_result import SequentialPlan
    from nstar._verbs.verdict import Criteria

F = TypeVar("F", bound=Callable[..., Any])

_LOOKS = ("obrien-fleming", "pocock", "lan-demets-of", "lan-demets-pocock")
_EVERY_ITEM = ("e-process", "bets", "asymptotic")
_USUAL_LOOKS = 5
_MENDS = {
    "margin": "a margin is watched with nstar watch --margin, and planned for one look",
    "non_inferiority": "a margin is watched with nstar watch --margin, and planned for one look",
    "half_width": "an interval of a given width is planned for one look",
    "icc": "looks are planned for independent items",
    "cluster_size": "looks are planned for independent items",
    "clusters": "looks are planned for independent items",
    "unpaired": "looks are planned for two models on the same items",
    "figure": "no figure is drawn of it",
    "figure_kind": "no figure is drawn of it",
}
"""Options that mean nothing beside --sequential, and why."""


def sequential_options(command: F) -> F:
    """``--sequential`` and ``--looks``."""
    way = click.option(
        "--sequential",
        type=click.Choice([*_EVERY_ITEM, *_LOOKS]),
        help="Look while it runs: items at most, items on average.",
    )
    looks = click.option(
        "--looks",
        type=click.IntRange(min=1, max=100),
        help=f"Planned looks of {_LOOKS[0]}, pocock …  [default: {_USUAL_LOOKS}]",
    )
    return way(looks(command))


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


def check_sequential(options: dict[str, Any], other: list[str]) -> bool:
    """Whether looks are planned; refuses what would silently be ignored.

    ``other`` are the options given that ask for tasks and runs.
    """
    if options["sequential"] is None:
        if options["looks"] is not None:
            _refuse(f"--looks needs --sequential {_LOOKS[0]} or another way with planned looks")
        return False
    if other:
        _refuse(f"--sequential plans items, {other[0]} tasks and runs; leave one out")
    _check_question(options)
    _check_way(options, options["sequential"])
    return True


def _check_question(options: dict[str, Any]) -> None:
    """One comparison, one gap, independent items."""
    for name, why in _MENDS.items():
        if options[name] not in (None, False):
            _refuse(f"--sequential: {why}; leave --{name.replace('_', '-')} out")
    if options["models"] > 2:
        _refuse("--sequential plans one comparison of two models; leave --models out")
    for name in ("delta", "rho"):
        if len(options[name] or ()) > 1:
            _refuse(f"--{name} takes one value beside --sequential, whose table is of methods")


def _check_way(options: dict[str, Any], way: str) -> None:
    """What this way of looking is for."""
    graded = options["sd"] is not None or options["sd_diff"] is not None
    for name, cap in (("sd", 0.5), ("sd_diff", 1.0)):
        if options[name] is not None and options[name] > cap:
            _refuse(
                f"--{name.replace('_', '-')} {options[name]:g}: looks are planned for scores in "
                f"[0, 1], which have one of at most {cap:g}; divide the scores and the gap by "
                "their range"
            )
    if way == "e-process" and graded:
        _refuse("e-process is for 0/1 scores; with --sd or --sd-diff choose bets or asymptotic")
    if way == "asymptotic" and not graded:
        _refuse("asymptotic is for graded scores (--sd, --sd-diff); 0/1 scores have e-process")
    if way in _LOOKS:
        return
    if options["looks"] is not None:
        _refuse(f"{way} looks after every item; leave --looks out, or choose {_LOOKS[0]}")
    if options["one_sided"]:
        _refuse(f"{way} looks for either model; leave --one-sided out, or choose {_LOOKS[0]}")


def solve_sequential(
    design: "Design", criteria: "Criteria", delta: float | None, options: dict[str, Any]
) -> "SequentialPlan":
    """The plan that the options ask for."""
    from nstar._verbs.plan.sequential import plan_sequential

    if delta is None and options["items"] is None:
        _refuse(
            "give --delta (how many items are needed?), --items (what gap can they detect?) "
            "or both (with what power?)"
        )
    return plan_sequential(
        design,
        options["sequential"],
        delta=delta,
        items=options["items"],
        looks=options["looks"] or _USUAL_LOOKS,
        criteria=criteria,
    )

"""``nstar plan --sequential``: options about looking on the way, and the plan they ask for."""

from typing import TYPE_CHECKING, NoReturn

import click

from nstar.cli.plan.options import LOOKS, USUAL_LOOKS, PlanOptions

if TYPE_CHECKING:
    from nstar._verbs.plan import Design
    from nstar._verbs.plan.result import SequentialPlan
    from nstar._verbs.verdict import Criteria

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


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


def check_sequential(options: PlanOptions, other: list[str]) -> bool:
    """Whether looks are planned; refuses what would silently be ignored.

    ``other`` are the options given that ask for tasks and runs.
    """
    if options.sequential is None:
        if options.looks is not None:
            _refuse(f"--looks needs --sequential {LOOKS[0]} or another way with planned looks")
        return False
    if other:
        _refuse(f"--sequential plans items, {other[0]} tasks and runs; leave one out")
    _check_question(options)
    _check_way(options, options.sequential)
    return True


def _check_question(options: PlanOptions) -> None:
    """One comparison, one gap, independent items."""
    for name, why in _MENDS.items():
        if getattr(options, name) not in (None, False):
            _refuse(f"--sequential: {why}; leave --{name.replace('_', '-')} out")
    if options.models > 2:
        _refuse("--sequential plans one comparison of two models; leave --models out")
    for name in ("delta", "rho"):
        if len(getattr(options, name) or ()) > 1:
            _refuse(f"--{name} takes one value beside --sequential, whose table is of methods")


def _check_way(options: PlanOptions, way: str) -> None:
    """What this way of looking is for."""
    graded = options.sd is not None or options.sd_diff is not None
    for name, cap in (("sd", 0.5), ("sd_diff", 1.0)):
        if getattr(options, name) is not None and getattr(options, name) > cap:
            _refuse(
                f"{options.said(name)[0]} {getattr(options, name):g}: looks are for scores "
                f"in [0, 1], which have one of at most {cap:g}; divide the scores and the gap by "
                "their range"
            )
    if way == "e-process" and graded:
        _refuse("e-process is for 0/1 scores; with --sd or --sd-diff choose bets or asymptotic")
    if way == "asymptotic" and not graded:
        _refuse("asymptotic is for graded scores (--sd, --sd-diff); 0/1 scores have e-process")
    if way in LOOKS:
        return
    if options.looks is not None:
        _refuse(f"{way} looks after every item; leave --looks out, or choose {LOOKS[0]}")
    if options.one_sided:
        _refuse(f"{way} looks for either model; leave --one-sided out, or choose {LOOKS[0]}")


def solve_sequential(
    design: "Design", criteria: "Criteria", delta: float | None, options: PlanOptions
) -> "SequentialPlan":
    """The plan that the options ask for."""
    from nstar._verbs.plan.sequential import plan_sequential

    if delta is None and options.items is None:
        _refuse(
            "give --delta (how many items are needed?), --items (what gap can they detect?) "
            "or both (with what power?)"
        )
    if options.sequential is None:
        raise AssertionError
    return plan_sequential(
        design,
        options.sequential,
        delta=delta,
        items=options.items,
        looks=options.looks or USUAL_LOOKS,
        criteria=criteria,
    )

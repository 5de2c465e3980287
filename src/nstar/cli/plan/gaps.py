"""Gaps of a plan: proportions of accuracies, score units where ``--sd`` or a pilot says so."""

import click

from nstar.cli.kit.score_gap import in_points, refuse_large, refuse_points_of
from nstar.cli.plan.options import PlanOptions

_SDS = (("sd", 0.5), ("sd_diff", 1.0), ("sd_between", 1.0), ("sd_within", 0.5))
"""Standard deviations, and the largest that scores from 0 to 1 can have."""
_ABSURD = 3.0
"""Nobody plans for a gap of so many standard deviations."""


def _given(options: PlanOptions) -> list[tuple[str, float]]:
    """Every gap with the name of its option."""
    return [
        *(("delta", gap) for gap in options.delta or ()),
        *(
            (name, getattr(options, name))
            for name in ("margin", "half_width")
            if getattr(options, name) is not None
        ),
    ]


def _largest_sd(options: PlanOptions) -> tuple[str, float, float] | None:
    """The option, its value and the cap of the largest standard deviation beside its cap."""
    found = []
    for name, cap in _SDS:
        value = getattr(options, name)
        if value is not None:
            sd = max(value) if isinstance(value, tuple) else value
            found.append((name, sd, cap))
    return max(found, key=lambda sd: sd[1] / sd[2], default=None)


def _refuse(name: str, gap: float, why: str) -> None:
    shown = f"{100 * gap:g}pp" if in_points(gap) else f"{gap:g}"
    msg = f"--{name.replace('_', '-')} {shown}: {why}"
    raise click.UsageError(msg)


def check_gaps(options: PlanOptions) -> None:
    """Refuse gaps that are not in the units of the scores; those of a pilot are not known yet.

    Raises
    ------
    click.UsageError
        With what to write instead.
    """
    if options.pilot:
        return
    sd = _largest_sd(options)
    for name, gap in _given(options):
        if sd is None:
            if abs(gap) >= 1:
                _refuse(
                    name,
                    gap,
                    f"too large for a proportion; write {gap:g}pp for percentage points or "
                    f"{gap / 100:g} (score units go with --sd or --sd-diff)",
                )
            continue
        option = f"--{sd[0].replace('_', '-')} {sd[1]:g}"
        if in_points(gap) and sd[1] > sd[2]:
            _refuse(
                name, gap, f"with {option} scores do not run from 0 to 1; give it in their units"
            )
        if abs(gap) >= 1 and sd[1] <= sd[2] and abs(gap) > _ABSURD * sd[1]:
            _refuse(
                name,
                gap,
                f"gaps are in the units of {option}; write {gap / 100:g} or {gap:g}pp if scores "
                "run from 0 to 1",
            )


def check_pilot_gaps(options: PlanOptions, limits: tuple[float, float]) -> None:
    """The same once the scores of a pilot are there.

    Raises
    ------
    ParameterError
        With what to write instead.
    """
    for name, gap in _given(options):
        refuse_points_of(name, gap, limits)
        refuse_large(name, gap, limits)

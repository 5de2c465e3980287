"""The feasibility of a gate in words."""

from nstar._verbs.gate import AnswerProbabilities, GateFeasibility, PilotNoise
from nstar._verbs.plan import PairedPsi
from nstar._verbs.verdict import ABSURD
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, percent, pp, probability, set_by_file, share


def _psi(plan: GateFeasibility) -> str:
    graded = isinstance(plan.noise, PilotNoise) and plan.noise.n_passes_needed is None
    return "mean square" if graded else "psi"


def _units(plan: GateFeasibility) -> str:
    return "tasks" if isinstance(plan.noise, PilotNoise) else "items"


def _size(plan: GateFeasibility) -> str:
    """What is planned: items, or tasks and their runs."""
    if not isinstance(plan.noise, PilotNoise):
        return items(plan.n_items)
    runs = plan.noise.n_runs
    if plan.noise.n_passes_needed is not None:
        needed = f"{plan.noise.n_passes_needed:,} of {runs:,} runs"
        return f"{plan.n_items:,} tasks (a task passes if at least {needed} do)"
    return f"{plan.n_items:,} tasks with {runs:,} run{'s'[: runs != 1]} of each model"


def _need(plan: GateFeasibility) -> str:
    units = _units(plan)
    if plan.n_star > ABSURD:
        return f"no sensible number of {units} would do"
    if plan.n_star_stable > plan.n_star:
        return f"{count(plan.n_star)} {units} would do, from {count(plan.n_star_stable)} on always"
    also = ""
    if isinstance(plan.noise, PilotNoise) and not plan.is_sufficient:
        enough = [s.n_runs for s in plan.noise.steps if s.pass_probability >= plan.criteria.power]
        also = f", or {enough[0]:,} runs of each on these" if enough else ""
    return f"{count(plan.n_star)} {units} would do{also}"


def _headline(plan: GateFeasibility) -> str:
    size, margin = _size(plan), pp(plan.margin)
    wanted = percent(plan.criteria.power)
    if not plan.can_pass:
        return (
            f"PASS is out of reach: no answers of equal models pass on {size} with a margin of "
            f"{margin}; {_need(plan)}."
        )
    chance = probability(plan.scenarios[0].pass_probability)
    if not plan.identical_scores_pass and not plan.is_sufficient:
        return (
            f"PASS is unlikely: of equal models {chance} pass on {size} with a margin of {margin} "
            f"({wanted} wanted), by luck alone, because identical answers need "
            f"{plan.min_items_to_pass:,} "
            f"{_units(plan)}; {_need(plan)}."
        )
    if plan.is_sufficient:
        return (
            f"PASS is within reach: of equal models {chance} pass on {size} with a margin of "
            f"{margin} ({wanted} wanted; {_need(plan)})."
        )
    return (
        f"PASS is possible but not likely: of equal models {chance} pass on {size} with a margin "
        f"of {margin} ({wanted} wanted); {_need(plan)}, or a margin of {pp(plan.min_margin)}."
    )


def _row(at: AnswerProbabilities) -> tuple[str, ...]:
    return (
        pp(at.delta, sign=at.delta != 0),
        share(at.psi),
        probability(at.pass_probability),
        probability(at.inconclusive_probability),
        probability(at.regression_probability),
    )


def _noise(plan: GateFeasibility) -> str:
    if isinstance(plan.noise, PilotNoise):
        pilot = plan.noise
        met = ""
        if pilot.rule_met_share is not None:
            met = (
                f", and it is expected to meet the rule on {percent(pilot.rule_met_share, 1)} of "
                "its tasks"
            )
        return (
            f"From the pilot ({pilot.n_tasks:,} tasks): the baseline passes "
            f"{percent(pilot.mean, 1)} of its runs, and two runs of a task differ with "
            f"probability {probability(pilot.flip_probability)}{met}; an equal candidate has the "
            "same chance "
            "on every task, a worse one loses the same share of its successes on every task; a "
            "candidate that is better on some tasks and worse on others passes less often"
        )
    if isinstance(plan.noise, PairedPsi):
        return (
            f"Exactly one model is right on {percent(plan.noise.psi)} of the items "
            f"({plan.noise_source})"
        )
    return (
        f"Baseline {percent(plan.noise.baseline)} right, item correlation {plan.noise.rho:g} "
        f"({plan.noise_source})"
    )


def _notes(plan: GateFeasibility) -> tuple[str, ...]:
    last = plan.scenarios[-1]
    said = []
    if last.delta == -2 * plan.margin:
        said.append(
            f"A candidate worse by twice the margin is called REGRESSION with a chance of "
            f"{probability(last.regression_probability)}."
        )
    else:
        said.append("A loss of twice the margin cannot be, with so little disagreement.")
    said.append(
        f"Fewest {_units(plan)} at which identical answers pass: {plan.min_items_to_pass:,}."
    )
    return tuple(said)


def _steps(plan: GateFeasibility) -> tuple[TextTable, ...]:
    """A PASS of equal models by number of runs, with what the pilot leaves open."""
    if not isinstance(plan.noise, PilotNoise) or not plan.noise.steps:
        return ()
    steps = plan.noise.steps
    conf = percent(1 - 2 * plan.criteria.alpha)
    return (
        TextTable(
            title=f"PASS of equal models on {plan.n_items:,} tasks, by number of runs",
            header=("runs of each model", "PASS", f"by the pilot's {conf} interval"),
            rows=tuple(
                (
                    f"{s.n_runs:,}",
                    probability(s.pass_probability),
                    f"{probability(s.pass_probability_low)} to "
                    f"{probability(s.pass_probability_high)}",
                )
                for s in steps
            ),
            marked=next((i for i, s in enumerate(steps) if s.n_runs == plan.noise.n_runs), None),
        ),
    )


def _method(plan: GateFeasibility) -> str:
    if not isinstance(plan.noise, PilotNoise) or plan.noise.n_passes_needed is not None:
        return "chances are exact, by enumeration"
    if plan.noise.n_runs == 1:
        return "chances of each answer are exact, those by number of runs by a formula"
    return (
        f"chances of each answer are from {plan.noise.n_draws:,} draws, those by number of runs "
        "by "
        "a formula"
    )


def document(plan: GateFeasibility) -> Document:
    """Whether a PASS is possible, then every answer by true gap."""
    one = "one benchmark" if isinstance(plan.noise, PilotNoise) else "one task"
    return Document(
        headline=_headline(plan) + set_by_file(plan.settings_file),
        grids=(
            TextTable(
                title=f"Chance of each answer on {_size(plan)}, by true gap",
                header=("true gap", _psi(plan), "PASS", "INCONCLUSIVE", "REGRESSION"),
                rows=tuple(map(_row, plan.scenarios)),
                marked=0,
            ),
            *_steps(plan),
        ),
        notes=_notes(plan),
        assumptions=(
            f"{_noise(plan)}; 0/1 scores, independent {_units(plan)}, none missing, {one}. "
            f"With several {one.split()[1]}s every one must pass, so the chance is smaller.",
            f"One look, one-sided α = {plan.criteria.alpha:g}; {_method(plan)}.",
        ),
    )

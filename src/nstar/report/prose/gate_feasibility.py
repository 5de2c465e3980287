"""Write the report of the feasibility of a gate."""

from nstar._verbs.gate import AnswerProbabilities, GateFeasibility, PilotNoise
from nstar._verbs.plan import PairedPsi
from nstar._verbs.verdict import ABSURD
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, percent, pp, probability, set_by_file, share
from nstar.report.prose.plan_terms import with_article


def _psi(plan: GateFeasibility) -> str:
    graded = isinstance(plan.noise, PilotNoise) and plan.noise.n_passes_needed is None
    return "mean square" if graded else "psi"


def _units(plan: GateFeasibility) -> str:
    return "tasks" if isinstance(plan.noise, PilotNoise) else "items"


def _size(plan: GateFeasibility) -> str:
    """Return the planned size: items, or tasks and their runs."""
    if not isinstance(plan.noise, PilotNoise):
        return items(plan.n_items)
    runs = plan.noise.n_runs
    return f"{plan.n_items:,} tasks with {runs:,} run{'s'[: runs != 1]} per model"


def _rule(plan: GateFeasibility) -> str:
    """Return a sentence that says when a task passes; empty without a rule."""
    if not isinstance(plan.noise, PilotNoise) or plan.noise.n_passes_needed is None:
        return ""
    needed = f"{plan.noise.n_passes_needed:,} of {plan.noise.n_runs:,} runs"
    return f" A task passes if at least {needed} pass."


def _need(plan: GateFeasibility) -> str:
    """Return the size that passes with the target power."""
    units, power = _units(plan), probability(plan.criteria.power)
    if plan.n_star > ABSURD:
        return f"No practical number of {units} gives {with_article(power)} probability of PASS."
    also = ""
    if plan.can_pass and not plan.is_sufficient:
        if isinstance(plan.noise, PilotNoise):
            steps = plan.noise.steps
            run_counts = [s.n_runs for s in steps if s.pass_probability >= plan.criteria.power]
            also = f" or {run_counts[0]:,} runs per model" if run_counts else ""
        if plan.identical_scores_pass:
            also = f"{also} or a {pp(plan.min_margin)} margin"
    if plan.n_star_stable > plan.n_star:
        first = (
            f"{with_article(power).capitalize()} probability is first reached at "
            f"{count(plan.n_star)} {units}"
        )
        return f"{first}{also}, and is always reached from {count(plan.n_star_stable)} on."
    return (
        f"{with_article(power).capitalize()} probability takes {count(plan.n_star)} {units}{also}."
    )


def _headline(plan: GateFeasibility) -> str:
    size, power = _size(plan), probability(plan.criteria.power)
    word = "likely" if plan.is_sufficient else "unlikely"
    if not plan.can_pass:
        first = f"PASS is impossible for an equal model on {size} at a {pp(plan.margin)} margin."
    else:
        chance = probability(plan.scenarios[0].pass_probability)
        first = (
            f"PASS is {word}: an equal model passes {chance} of the time on {size} at a "
            f"{pp(plan.margin)} margin (target {power})."
        )
    minimum_text = ""
    if not plan.identical_scores_pass:
        minimum_text = (
            f" Even identical scores pass only with at least {plan.min_items_to_pass:,} "
            f"{_units(plan)}."
        )
    return f"{first}{_rule(plan)}{minimum_text} {_need(plan)}"


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
                f" and is expected to meet the rule on {percent(pilot.rule_met_share, 1)} of "
                "the tasks"
            )
        return (
            f"In the pilot ({pilot.n_tasks:,} tasks), the baseline passes "
            f"{percent(pilot.mean, 1)} of its runs{met}. Two runs of a task differ "
            f"{probability(pilot.flip_probability)} of the time. An equal candidate has the same "
            "success rate on every task; a worse candidate loses the same share of its successes "
            "on every task. A candidate that is better on some tasks and worse on others passes "
            "less often"
        )
    source = "" if plan.noise_source == "given" else f" ({plan.noise_source.removeprefix('rho ')})"
    if isinstance(plan.noise, PairedPsi):
        return f"On {percent(plan.noise.psi)} of the items, exactly one model is right{source}"
    return (
        f"The baseline accuracy is {percent(plan.noise.baseline)}, and the item correlation is "
        f"{plan.noise.rho:g}{source}"
    )


def _basis(plan: GateFeasibility) -> str:
    """Return the assumptions in short phrases."""
    source = "" if plan.noise_source == "given" else f" ({plan.noise_source.removeprefix('rho ')})"
    noise = "noise of the pilot"
    if isinstance(plan.noise, PairedPsi):
        noise = f"psi = {percent(plan.noise.psi)}{source}"
    elif not isinstance(plan.noise, PilotNoise):
        noise = f"{percent(plan.noise.baseline)} baseline; rho = {plan.noise.rho:g}{source}"
    return (
        f"{noise}; independent {_units(plan)}, scored 0/1, none missing; one-sided "
        f"α = {plan.criteria.alpha:g}."
    )


def _notes(plan: GateFeasibility) -> tuple[str, ...]:
    last = plan.scenarios[-1]
    notes = ["A loss of twice the margin is impossible with so little disagreement."]
    if last.delta == -2 * plan.margin:
        chance = probability(last.regression_probability)
        notes = [
            f"A candidate that is worse by twice the margin gets REGRESSION {chance} of the time."
        ]
    if plan.identical_scores_pass:
        notes.append(
            f"Identical answers pass with at least {plan.min_items_to_pass:,} {_units(plan)}."
        )
    return tuple(notes)


def _steps(plan: GateFeasibility) -> tuple[TextTable, ...]:
    """Return the probability that an equal model passes by number of runs, with its interval."""
    if not isinstance(plan.noise, PilotNoise) or not plan.noise.steps:
        return ()
    steps = plan.noise.steps
    conf = percent(1 - 2 * plan.criteria.alpha)
    return (
        TextTable(
            title=(
                f"Probability that an equal model passes on {plan.n_items:,} tasks, by number "
                "of runs"
            ),
            header=("runs per model", "PASS", f"{conf} CI (pilot)"),
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
        return "the probabilities are exact, by enumeration"
    if plan.noise.n_runs == 1:
        return "the probabilities by verdict are exact; those by number of runs use a formula"
    return (
        f"the probabilities by verdict are from {plan.noise.n_draws:,} draws; those by number "
        "of runs use a formula"
    )


def document(plan: GateFeasibility) -> Document:
    """Return the report: whether a PASS is possible, then the verdicts by true gap."""
    one = "one benchmark" if isinstance(plan.noise, PilotNoise) else "one task"
    return Document(
        headline=_headline(plan) + set_by_file(plan.settings_file),
        grids=(
            TextTable(
                title=f"Probability of each verdict on {_size(plan)}, by true gap",
                header=("true gap", _psi(plan), "PASS", "INCONCLUSIVE", "REGRESSION"),
                rows=tuple(map(_row, plan.scenarios)),
                marked=0,
            ),
            *_steps(plan),
        ),
        notes=_notes(plan),
        basis=_basis(plan),
        assumptions=(
            f"{_noise(plan)}. Scores are 0/1; {_units(plan)} are independent and none is missing.",
            f"The probability is for {one}. With several {one.split()[1]}s, all must pass, so the "
            "probability is lower.",
            f"There is one analysis at one-sided α = {plan.criteria.alpha:g}; {_method(plan)}.",
        ),
    )

"""A rule for every task in a gate: what it decides, what it loses by luck, what it refuses."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats as reference

import nstar
from nstar._verbs.gate import GateQuestion, PilotNoise, gate_criteria, rehearsed
from nstar._verbs.runs import TaskRule, table_of
from nstar.cli import main
from nstar.errors import ParameterError
from nstar.report.prose.gate_feasibility import document
from nstar.stats._hypergeometric import dealt, rule_scores

EXAMPLE = Path(__file__).parents[4] / "examples" / "agents.csv"
RULE = TaskRule(needed=4, runs=5)
LAW = (0.8, 0.5)


def runs_of(p: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((len(p), runs)) < p[:, None]).astype(float)


def test_deals_are_hypergeometric() -> None:
    passed, runs, hand = np.array([0, 3, 7, 40]), np.array([4, 8, 7, 100]), np.array([2, 5, 7, 60])
    law = dealt(passed, runs, hand)
    for row, k, n, drawn in zip(law, passed, runs, hand, strict=True):
        wanted = reference.hypergeom.pmf(np.arange(61), n, k, drawn)
        assert row == pytest.approx(wanted, abs=1e-12)


def test_more_runs_than_the_rule_are_every_choice_of_so_many() -> None:
    for passed in range(8):
        cell = np.array([1] * passed + [0] * (7 - passed))
        wanted = np.mean([cell[list(some)].sum() >= 4 for some in combinations(range(7), 5)])
        got = rule_scores(np.array([passed]), np.array([7]), needed=4, of=5)
        assert got[0] == pytest.approx(wanted, abs=1e-12)


def test_more_runs_do_not_move_the_score_of_a_task() -> None:
    """The share of passes would: of 20 runs four fifths pass less often than of 5."""
    p, x = 0.75, np.arange(21)
    many = rule_scores(x, np.full(21, 20), needed=4, of=5)
    mean = float(many @ reference.binom.pmf(x, 20, p))
    assert mean == pytest.approx(reference.binom.sf(3, 5, p), abs=1e-12)
    assert reference.binom.sf(15, 20, p) < mean - 0.2


def test_fewer_runs_decide_only_what_the_rest_cannot_change() -> None:
    got = rule_scores(np.array([4, 3, 2, 0]), np.array([4, 4, 4, 1]), needed=4, of=5)
    assert np.array_equal(got, [1.0, np.nan, 0.0, np.nan], equal_nan=True)


def test_the_gate_is_that_of_tasks_that_pass_or_fail() -> None:
    rng = np.random.default_rng(4)
    p = rng.beta(*LAW, 150)
    new, old = runs_of(p, 5, rng), runs_of(p, 5, rng)
    by_rule = nstar.gate_runs(new, old, margin=0.1, at_least="4/5")
    by_hand = nstar.gate(new.sum(1) >= 4, old.sum(1) >= 4, margin=0.1)
    assert by_rule.tasks[0].evidence == by_hand.tasks[0].evidence
    assert by_rule.verdict == by_hand.verdict
    flips = by_rule.tasks[0].task_rule
    assert flips is not None
    assert (flips.n_lost, flips.n_gained) == (by_hand.tasks[0].n_losses, by_hand.tasks[0].n_wins)
    assert flips.n_lost + flips.n_gained == len(flips.changed_tasks)
    assert by_hand.tasks[0].task_rule is None


def test_luck_is_that_of_runs_dealt_at_random() -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(*LAW, 40)
    new, old = runs_of(p, 3, rng), runs_of(p, 5, rng)
    flips = nstar.gate_runs(new, old, margin=0.1, at_least="2/3").tasks[0].task_rule
    assert flips is not None
    lost = []
    for _ in range(1000):
        mixed = rng.permuted(np.hstack([new, old]), axis=1)
        keeps = rule_scores(mixed[:, 3:].sum(1).astype(int), np.full(40, 5), needed=2, of=3)
        lost.append(int(((keeps >= 0.5) & (mixed[:, :3].sum(1) < 2)).sum()))
    assert flips.n_lost_by_chance == pytest.approx(np.mean(lost), abs=0.2)
    assert flips.any_lost_probability == pytest.approx(np.mean(np.array(lost) > 0), abs=0.02)
    inside = np.mean(
        [flips.n_lost_by_chance_range[0] <= x <= flips.n_lost_by_chance_range[1] for x in lost]
    )
    assert inside >= 0.89


def test_single_tasks_are_told_with_their_own_chance() -> None:
    new, old = np.ones((30, 5)), np.ones((30, 5))
    new[7, :4] = 0.0
    old[9, :2] = 0.0
    flips = nstar.gate_runs(new, old, margin=0.1, at_least="4/5").tasks[0].task_rule
    assert flips is not None
    first, second = flips.changed_tasks
    assert (first.task, first.is_lost, first.candidate, first.baseline) == (
        "7",
        True,
        (1, 5),
        (5, 5),
    )
    assert first.pvalue == pytest.approx(
        reference.fisher_exact(np.array([[1, 4], [5, 0]]), "less").pvalue
    )
    assert (second.task, second.is_lost) == ("9", False)


def test_equal_models_are_called_worse_no_oftener_than_the_level() -> None:
    """Exact, over the tasks that a pilot shows."""
    rng = np.random.default_rng(6)
    pilot = table_of(runs_of(rng.beta(*LAW, 60), 5, rng), "old")
    for rule in (RULE, TaskRule(needed=5, runs=5), TaskRule(needed=3, runs=3)):
        found = rehearsed(
            pilot, margin=0.1, items=120, criteria=gate_criteria(0.05, 0.8), at_least=rule
        )
        equal, _, at_margin, twice = found.scenarios
        assert equal.regression_probability <= 0.0502
        assert at_margin.pass_probability <= 0.053
        assert twice.regression_probability > equal.regression_probability
        assert isinstance(found.noise, PilotNoise)
        assert (found.noise.n_passes_needed, found.noise.n_runs) == (rule.needed, rule.runs)


def test_words_of_a_rehearsal_name_the_rule() -> None:
    rng = np.random.default_rng(8)
    pilot = table_of(runs_of(rng.beta(*LAW, 60), 5, rng), "old")
    ask = {"margin": 0.1, "items": None, "criteria": gate_criteria(0.05, 0.8)}
    said = document(rehearsed(pilot, at_least=RULE, **ask))  # type: ignore[arg-type]
    assert "A task passes if at least 4 of 5 runs pass." in said.headline
    assert len(said.grids) == 1


def answers(draws: int, runs: tuple[int, int], seed: int) -> tuple[float, float, float]:
    """Of equal models: shares called worse and with a task lost, and tasks lost less expected."""
    rng, worse, some, excess = np.random.default_rng(seed), 0, 0, 0.0
    for _ in range(draws):
        p = rng.beta(*LAW, 60)
        found = nstar.gate_runs(*(runs_of(p, r, rng) for r in runs), margin=0.02, at_least="4/5")
        flips = found.tasks[0].task_rule
        assert flips is not None
        worse += found.verdict == "regression"
        some += flips.n_lost > 0
        excess += flips.n_lost - flips.n_lost_by_chance
    return worse / draws, some / draws, excess / draws


def test_a_gate_on_single_tasks_would_nearly_always_fail() -> None:
    worse, some, excess = answers(40, (5, 5), seed=9)
    assert worse <= 0.2
    assert some >= 0.9
    assert abs(excess) < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("runs", [(5, 5), (5, 15)])
def test_the_level_holds_in_simulation(runs: tuple[int, int]) -> None:
    worse, some, excess = answers(1500, runs, seed=10)
    assert worse <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)
    assert some >= 0.95
    assert abs(excess) < 0.25


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"at_least": "4"}, "must be PASSING/RUNS, such as 4/5"),
        ({"at_least": "6/5"}, "must be PASSING/RUNS.*got 6/5"),
    ],
)
def test_wrong_rules(more: dict[str, object], said: str) -> None:
    scores = np.ones((50, 5))
    with pytest.raises(ParameterError, match=said):
        nstar.gate_runs(scores, scores, margin=0.1, **({"at_least": "4/5"} | more))  # type: ignore[arg-type]


def test_what_it_cannot_be_asked_of() -> None:
    ones = np.ones((50, 5))
    few = nstar.gate_runs(ones[:, :3], ones, margin=0.1, at_least="4/5")
    assert few.verdict == "invalid_data"
    assert "the candidate has at most 3 runs on 50 of its 50 tasks" in (few.invalid_reason or "")
    for graded in (0.5 * ones, np.where(np.arange(5) % 2, 0.25, 0.75) * ones):
        found = nstar.gate_runs(ones, graded, margin=0.1, at_least="4/5")
        assert "at_least needs 0/1 scores" in (found.invalid_reason or "")
    empty = nstar.gate_runs(ones, np.full_like(ones, np.nan), margin=0.1, at_least="4/5")
    assert "No shared items" in (empty.invalid_reason or "")


def test_two_halves_are_not_a_pass() -> None:
    """Means that are whole numbers of runs may be of scores that are not."""
    ones = np.ones((50, 2))
    found = nstar.gate_runs(ones, 0.5 * ones, margin=0.1, at_least="1/2")
    assert "at_least needs 0/1 scores" in (found.invalid_reason or "")


def test_runs_that_are_missing_are_taken_at_their_worst() -> None:
    rng = np.random.default_rng(11)
    ones = np.ones((100, 5))
    ones[0] = 0.0
    new = ones.copy()
    new[rng.choice(np.arange(1, 100), 3, replace=False), 3:] = np.nan
    found = nstar.gate_runs(new, ones, margin=0.06, at_least="4/5")
    assert found.tasks[0].n_missing_candidate == 3
    assert nstar.gate_runs(ones, ones, margin=0.06, at_least="4/5").passed
    assert not found.passed


def said(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, ["gate", *words])
    return found.exit_code, " ".join(found.output.split())


def test_the_command(tmp_path: Path) -> None:
    sides = ["--candidate", f"{EXAMPLE}::bob", "--baseline", f"{EXAMPLE}::ada", "--margin", "5pp"]
    status, text = said("runs", *sides, "--at-least", "2/3")
    assert status == 1
    assert text.startswith("REGRESSION")
    assert "9 lost, 3 gained). By chance alone, 4.9" in text
    assert "t21 lost 0/3 5/5 0.018" in text
    assert "4 more lost: --format json" in text
    status, text = said("runs", *sides, "--at-least", "4/5")
    assert (status, "Run each task 5 times" in text) == (4, True)
    status, text = said("plan", "--margin", "5pp", f"{EXAMPLE}::ada", "--at-least", "4/5")
    assert (status, "chances are exact" in text or "404 tasks" in text) == (3, True)
    file = tmp_path / "nstar.toml"
    file.write_text('[gate]\nat-least = "4/5"\n', encoding="utf-8")
    status, text = said("runs", *sides, "--config", str(file))
    assert (status, "It belongs to nstar gate runs. Move it below [gate.runs]" in text) == (
        2,
        True,
    )
    file.write_text('[gate]\nmargin = "5pp"\n[gate.runs]\nat-least = "2/3"\n', encoding="utf-8")
    assert said("runs", *sides[:4], "--config", str(file))[0] == 1
    status, text = said("aa", "--margin", "5pp", f"{EXAMPLE}::ada", "--at-least", "4/5")
    assert (status, "Use it with nstar gate runs." in text) == (2, True)


def test_several_benchmarks_have_a_note_each() -> None:
    rng = np.random.default_rng(12)
    rows = [
        {"model": m, "task": t, "item": f"<b>{i}", "run": r, "score": int(rng.random() < 0.7)}
        for m in ("new", "old")
        for t in ("math", "law")
        for i in range(30)
        for r in range(5)
    ]
    found = nstar.gate_runs(rows, a="new", b="old", margin=0.2, at_least="4/5")
    text = " ".join(found.render(level="full").split())
    assert "math: Tasks that changed" in text
    assert "law: Tasks that changed" in text
    assert "tasks pass with old" in text
    assert "<b>" not in found.render("html", level="full")
    assert nstar.Gate.from_json(found.to_json()) == found


def test_the_question_keeps_its_rule() -> None:
    assert GateQuestion(margin=0.1, at_least=RULE).at_least == RULE


def open_by_a_rule(tmp_path: Path) -> str:
    """INCONCLUSIVE: 60 tasks of two models that lose eight tasks each by 4 of 5 runs."""
    rows = ["model,item,run,score"]
    for model, weak in (("old", range(8)), ("new", range(8, 16))):
        for task in range(60):
            passed = 2 if task in weak or task >= 45 else 5
            rows += [f"{model},t{task:02d},{run},{int(run < passed)}" for run in range(5)]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(rows), "utf-8")
    return str(path)


def test_tasks_are_counted_as_tasks_throughout(tmp_path: Path) -> None:
    path = open_by_a_rule(tmp_path)
    sides = ("--candidate", f"{path}::new", "--baseline", f"{path}::old", "--margin", "5pp")
    status, text = said("runs", *sides, "--at-least", "4/5", "--full")
    assert status == 3
    assert ", 60 tasks)" in text
    assert " tasks." in text
    assert not re.search(r"\d looks", text)  # a rule is for one look
    assert "60 tasks" in said("runs", *sides, "--at-least", "4/5", "--format", "junit")[1]

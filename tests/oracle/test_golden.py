"""All 437 reference values: each computed, or covered by a named test.

The functions that compute them are those of ``nstar selfcheck``, which takes the quick and
certain part of the same file. Four values that nstar can only simulate are computed here, and
one that needs another package's formula.
"""

import dataclasses
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.cases import each
from nstar import stats
from nstar._base.types import Interval
from nstar._verbs.selfcheck.reference import Evaluator, Inputs, agrees, leaves
from nstar._verbs.selfcheck.run import EVALUATORS, evaluator

HERE = Path(__file__).parent
GOLDEN: dict[str, dict[str, Any]] = {
    item["id"]: item
    for item in json.loads((HERE / "golden.json").read_text(encoding="utf-8"))["items"]
}

# --- values that nstar simulates: enough draws for an error well inside the tolerance -------


def boot_exact(x: Inputs) -> Any:
    """Constants from all 7⁷ resamples; intervals and se from 400,000 random ones."""
    d, conf, draws = x["data"], x["conf"], 400_000
    means = np.array(list(itertools.product(d, repeat=len(d)))).mean(axis=1)
    bca = stats.bca_constants(d, means)

    def interval(method: Any) -> Interval:
        return stats.bootstrap_interval(d, method=method, conf=conf, n_resamples=draws, rng=1)

    return {
        "percentile": interval("percentile"),
        "basic": interval("basic"),
        "z0_midrank": bca.z0,
        "z0_strict": stats.bca_constants(d, means + 1e-6).z0,  # ties now lie above
        "accel": bca.accel,
        "bca_levels": stats.bca_levels(bca.z0, bca.accel, conf=conf),
        "bca": interval("bca"),
        "student": interval("studentized"),
        "boot_se": stats.bootstrap_draws(d, n_resamples=draws, rng=1).std(),
    }


def max_t_critical(x: Inputs) -> Any:
    runs = (
        stats.max_t_critical(x["S"], alpha=x["alpha"], draws=1_000_000, rng=seed)
        for seed in range(16)
    )
    return np.mean(list(runs))


def normal_pvalue(t: float) -> float:
    z = stats.z_alpha(0.05)
    return stats.p_from_interval(t, Interval(t - z, t + z)).p_two_sided


def romano_wolf(x: Inputs) -> Any:
    pairs = np.asarray(x["pairs"]) - 1
    r = stats.max_t(x["theta"], x["cov_of_means"], pairs=pairs, draws=2_000_000, rng=1)
    return {
        "tstat": r.t,
        "p_raw": [normal_pvalue(t) for t in r.t.tolist()],
        "p_single": r.p_single,
        "p_stepdown": r.p_step,
        "crit": r.critical,
    }


def rank_sets(x: Inputs) -> Any:
    theta, cov, alpha = x["theta"], x["cov_of_means"], 1 - x["coverage"]
    step = stats.max_t(theta, cov, alpha=alpha, rng=1)
    single = dataclasses.replace(step, reject=step.p_single <= alpha)
    better = stats.beats(theta, step)
    sets = {
        "single_step": stats.rank_sets(stats.beats(theta, single)),
        "step_down": stats.rank_sets(better),
        "marginal": stats.marginal_rank_sets(theta, cov, alpha=alpha, rng=1),
    }
    lines = stats.tier_lines(better, np.arange(len(theta)))
    return {name: {"L": low, "U": high} for name, (low, high) in sets.items()} | {
        "guaranteed_cuts_stepdown": lines
    }


def bernstein(x: Inputs) -> Any:
    """Beside nstar's: the variant of the confseq package, which centers at the plain mean."""

    def low_end(unit: Any) -> float:
        t = np.arange(1.0, len(unit) + 1)
        drawn = (0.5 + np.cumsum(unit)) / (t + 1)
        variance = np.append(0.25, (0.25 + np.cumsum((unit - drawn) ** 2)) / (t + 1))[:-1]
        stake = np.sqrt(2 * np.log(2 / x["alpha"]) / (t * np.log(1 + t) * variance))
        stake = np.minimum(stake, x["truncation"])
        before = np.append(0.0, (np.cumsum(unit) / t)[:-1])
        spread = (unit - before) ** 2 @ (-np.log1p(-stake) - stake)
        return float((stake @ unit - np.log(2 / x["alpha"]) - spread) / stake.sum())

    unit = (np.array(x["D"]) + 1) / 2
    variant = [2 * low_end(unit) - 1, 1 - 2 * low_end(1 - unit)]
    low, high = stats.bernstein_sequence(x["D"], conf=1 - x["alpha"])
    return {"delta_lo": low, "delta_hi": high, "confseq_variant": variant}


SIMULATED: dict[str, Evaluator] = {
    "betting.prpl_eb": bernstein,
    "graded.boot_exact": boot_exact,
    "multi.maxt_crit": max_t_critical,
    "multi.rank_sets": rank_sets,
    "multi.romano_wolf": romano_wolf,
}

# --- values whose reference is a simulation, a coverage, or needs data: stem → test ---------

ANYTIME, CLUSTER, GRADED, PAIRED = (
    f"test_calibration_{x}.py" for x in ("anytime", "cluster", "graded", "paired")
)
ELSEWHERE = {
    "anytime.power_sim": f"{ANYTIME}::test_power_of_looking_after_every_item",
    "anytime.typeI_sim": f"{ANYTIME}::test_type_one_error_of_looking_after_every_item",
    "betting.N80_sim": f"{ANYTIME}::test_items_until_graded_scores_are_told_apart",
    "betting.typeI_sim": f"{ANYTIME}::test_type_one_error_of_bets",
    "boot.coverage": f"{GRADED}::test_coverage",
    "cluster.fixed_vs_random": (
        f"{CLUSTER}::test_fixed_subjects_are_strata_and_random_ones_clusters"
    ),
    "cluster.typeI": f"{CLUSTER}::test_type_one_error_with_few_clusters",
    "multi.fwer_sim": f"{CLUSTER}::test_familywise_error_and_rank_coverage",
    "paired.q_ci_coverage": f"{PAIRED}::test_coverage_of_intervals_for_q",
    "paired_ci.coverage": f"{PAIRED}::test_coverage_over_random_scenarios",
    "paired_ci.coverage_fixed": f"{PAIRED}::test_coverage_in_one_scenario",
    "real.mmlupro": "test_real_data.py::test_pair_statistics",
    "runs.typeI": f"{GRADED}::test_task_is_the_unit",
}


def stem(name: str) -> str:
    return name.split(" ", 1)[0]


def function_for(name: str) -> Evaluator | None:
    return SIMULATED.get(name) or evaluator(name)


COMPUTED = [name for name in GOLDEN if function_for(name) is not None]


@each(COMPUTED)
def test_value(name: str) -> None:
    item = GOLDEN[name]
    func = function_for(name)
    assert func is not None
    found = list(leaves(func(item["inputs"]), item["value"]))
    assert found
    assert [x for x in found if not agrees(x[1], x[2], item["tol"])] == []


@each([name for name in GOLDEN if stem(name) == "cluster.typeI"])
def test_certain_part_of_a_simulated_value(name: str) -> None:
    item = GOLDEN[name]
    found = stats.bell_mccaffrey_df(item["inputs"]["sizes"])
    assert found == pytest.approx(item["value"]["df_BM"], abs=1e-9)


def test_every_value_is_accounted_for_once() -> None:
    elsewhere = [name for name in GOLDEN if stem(name) in ELSEWHERE]
    count = Counter([*COMPUTED, *elsewhere])
    assert set(count) == set(GOLDEN)
    assert [name for name, times in count.items() if times > 1] == []
    parts = {"computed": len(COMPUTED), "elsewhere": len(elsewhere)}
    print(parts)  # noqa: T201
    assert parts == {"computed": 403, "elsewhere": 34}
    assert len(GOLDEN) == sum(parts.values()) == 437


def test_no_function_is_idle() -> None:
    asked = {key for name in GOLDEN for key in (name, stem(name))}
    next_file = ("arms.", "items.", "shrink.")  # test_golden_next.py
    third_file = ("board.", "gate.", "judge.", "metric.", "next.", "one.", "tasks.", "votes.")
    own = {name for name in EVALUATORS if not name.startswith((*next_file, *third_file))}
    assert own | set(SIMULATED) | set(ELSEWHERE) <= asked


@each(sorted(set(ELSEWHERE.values())))
def test_tests_named_here_exist(place: str) -> None:
    file, function = place.split("::")
    text = (HERE / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {function}\(", text, re.MULTILINE)

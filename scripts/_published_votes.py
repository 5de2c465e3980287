"""Figures in print about arenas and judges, for scripts/published_figures.py."""

import math

import numpy as np
from scipy import special

from _published import (
    ABOUT,
    Document,
    Row,
    attributed,
    between,
    claim,
    coherent,
    possible,
    rounds,
    same,
)
from nstar import stats
from nstar.types import Interval

__all__ = ["alpaca", "arena_hard", "judged_gap", "judging", "llama", "manuals", "weekly"]


def share(x: float, digits: int = 0) -> str:
    return f"{100 * x:.{digits}f}%"


def is_printed(printed: float, of: int, decimals: int = 3) -> bool:
    """Some whole number out of ``of`` is printed so; a half may be rounded either way."""
    return stats.grim(printed, of, decimals=decimals).possible


def limits(wins: float, of: float) -> tuple[float, float]:
    """95% interval of a share."""
    interval = stats.wilson_interval(wins, of)
    return float(interval.low), float(interval.high)


def two_share_pvalue(p: float, n: int, q: float, m: int) -> float:
    """Two-sided p of the gap of two independent shares."""
    pooled = (p * n + q * m) / (n + m)
    z = (p - q) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return float(2 * special.ndtr(-abs(z)))


# --- judges -------------------------------------------------------------------------------


def judging() -> Document:
    return Document(
        key="judging",
        title='"Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena" (arXiv 2306.05685)',
        summary="The shares are possible, and the strong effects are significant for any "
        "assignment of the answers. GPT-4 agrees with people as often as they agree with "
        "each other. The most quoted sentence, that it agrees more often, is not shown.",
        rows=(_agreement(), *_judge_shares(), _reference_guided()),
    )


def _agreement() -> Row:
    p = two_share_pvalue(0.85, 859, 0.81, 479)
    min_p, max_p = (
        two_share_pvalue(0.855, 859, 0.805, 479),
        two_share_pvalue(0.845, 859, 0.815, 479),
    )
    return Row(
        source="abstract, §4.2",
        quantity="GPT-4 and people, 85% of 859 votes, against people among themselves, 81% of 479",
        printed="the same level",
        nstar=f"{0.85 / 0.81:.2f} times, p = {p:.2f}",
        check=same(0.85, 0.81, rel=ABOUT),
        expect="right",
        why=f"p is {min_p:.2f} to {max_p:.2f} within rounding, and larger as votes on 80 "
        'questions are not independent: "even higher", as §4.2 has it, is not shown',
        values=(p, min_p, max_p),
    )


POSITION = (
    (0.238, 0.750, 0.000, 0.012),
    (0.562, 0.112, 0.287, 0.038),
    (0.462, 0.500, 0.012, 0.025),
    (0.512, 0.388, 0.062, 0.038),
    (0.650, 0.300, 0.050, 0.000),
    (0.662, 0.287, 0.050, 0.000),
)
"""Table 2: consistent, biased toward first, toward second, error; three judges, two prompts."""


def _judge_shares() -> list[Row]:
    consistent = limits(52, 80)
    attack = limits(2, 23)
    p = float(stats.mcnemar_pvalue(21, 2, method="exact"))
    return [
        Row(
            source="table 2",
            quantity="24 shares of 80 first-turn questions",
            printed="23.8% … 66.2%",
            nstar="19/80 … 53/80",
            check=possible(all(is_printed(x, 80) for row in POSITION for x in row)),
            expect="right",
            why='each is a whole number of questions; but "only GPT-4 in more than 60% of cases" '
            f"rests on 52 of 80, 95% interval {share(consistent[0])} to {share(consistent[1])}",
            values=consistent,
        ),
        Row(
            source="table 3",
            quantity="answers spoiled by a repeated list that GPT-4 and that Claude-v1 prefer, "
            "of 23",
            printed='8.7%, 91.3%, "significantly better"',
            nstar=f"2 and 21, p at most {p:.5f}",
            check=claim(is_printed(0.087, 23) and is_printed(0.913, 23) and p < 0.05),
            expect="right",
            why="McNemar's exact test at its worst, no answer failed by both; GPT-4's own rate is "
            f"known to {share(attack[0], 1)} to {share(attack[1], 1)}",
            values=(*attack, p),
        ),
    ]


def _reference_guided() -> Row:
    p = float(stats.mcnemar_pvalue(14, 3, method="exact"))
    return Row(
        source="table 4",
        quantity="failures in grading 20 mathematical answers, default against reference-guided",
        printed='70% to 15%, "a significant improvement"',
        nstar=f"14 and 3, p at most {p:.3f}",
        check=claim(is_printed(0.70, 20, 2) and is_printed(0.15, 20, 2) and p < 0.05),
        expect="right",
        why="whichever of the 20 they are: at worst no answer is failed under both prompts",
        values=(p,),
    )


GAPS = {
    "alpaca-13b": (582, -0.0550, -0.0817, -0.0283),
    "claude-v1": (594, 0.0370, 0.0063, 0.0678),
    "gpt-3.5-turbo": (678, -0.0273, -0.0560, 0.0015),
    "gpt-4": (578, 0.1272, 0.0953, 0.1591),
    "llama-13b": (611, -0.0622, -0.0847, -0.0397),
    "vicuna-13b-v1.2": (585, -0.0120, -0.0428, 0.0188),
}
"""Comparisons, GPT-4's win rate minus people's, and its 95% interval."""


def judged_gap() -> Document:
    counts = [n for n, *_ in GAPS.values()]
    left = sum(n * gap for n, gap, *_ in GAPS.values())
    tolerance = sum(n * 5e-5 for n in counts)
    ratings = np.repeat([[1, 1], [0, 0], [1, 0], [0, 1]], [477, 476, 63, 62], axis=0)
    kappa = float(stats.rater_agreement(ratings[:, :1], ratings[:, 1:]).kappa or 0)
    pvalue = stats.p_from_interval(
        0.1272, Interval(np.asarray(0.0953), np.asarray(0.1591))
    ).p_two_sided
    significant = [name for name, (_, _, low, high) in GAPS.items() if low > 0 or high < 0]
    return Document(
        key="gap",
        title='"Measured: GPT-4 agrees with humans 88% of the time here and still overstates its '
        'own win rate by 12.7 points" (huggingface.co/datasets/lmsys/mt_bench_human_judgments, '
        "discussion 4)",
        summary="All figures are right. A judge can agree with people on seven of eight "
        "comparisons and still be far off for one model. Agreement does not show this, but a "
        "difference in win rates does.",
        rows=(
            Row(
                source="text and table",
                quantity="comparisons of six models, each counted for two of them",
                printed="1,814",
                nstar=f"{sum(counts) / 2:,.0f}",
                check=coherent(sum(counts) == 2 * 1814),
                expect="right",
                why="the six counts add up to twice as many",
                values=(float(sum(counts)),),
            ),
            Row(
                source="table",
                quantity="gaps of all models, weighted by their comparisons",
                printed="-5.5 … +12.7 pp",
                nstar=f"{left:+.2f} comparisons in all",
                check=coherent(abs(left) <= tolerance),
                expect="right",
                why=f"what one model gains another loses: 0 but for rounding ({tolerance:.2f})",
                values=(left, tolerance),
            ),
            Row(
                source="table",
                quantity="GPT-4 as a judge of itself, against people",
                printed="+12.7 pp",
                nstar=f"{_times_ten(pvalue)} for 0",
                check=claim(bool(pvalue < 0.05 / 6)),
                expect="right",
                why=f"by its interval, and below 0.05/6 for six models at once; "
                f"{len(significant)} of "
                "the six intervals leave 0 out",
                values=(float(pvalue), float(len(significant))),
            ),
            Row(
                source="text",
                quantity="Cohen's kappa at an agreement of 88.4% of 1,078",
                printed="0.767",
                nstar=f"at most {kappa:.3f}",
                check=between(0.767, kappa - 5e-3, kappa + 5e-4),
                expect="right",
                why="with both answers preferred equally often; a little less if not",
                values=(kappa,),
            ),
        ),
    )


def _times_ten(p: float) -> str:
    return f"p = {p:.0e}"


# --- arenas -------------------------------------------------------------------------------


def weekly() -> Document:
    gap = 1274 - 1083
    score, other = (float(stats.score_from_elo(g)) for g in (gap, 1274 - 1155))
    ties = [1 - (s - 0.5) / (won - 0.5) for s, won in ((score, 0.82), (other, 0.79))]
    claude, predicted = limits(32, 66), 1 - float(stats.score_from_elo(50))
    detectable = float(stats.elo_from_delta(stats.battles_mde(66)))
    even = float(stats.score_from_elo(12))
    needed = float(stats.battles_n_star(12))
    return Document(
        key="weekly",
        title='"Chatbot Arena Leaderboard Updates", weeks 2 and 4 '
        "(lmsys.org/blog/2023-05-10-leaderboard, lmsys.org/blog/2023-05-25-leaderboard)",
        summary="Ratings and shares agree, but they are on two scales: an Elo rating of the arena "
        "counts a tie as half a win, and its win rates exclude ties.",
        rows=(
            Row(
                source="week 2, overview",
                quantity="lead of GPT-4, 1274, over Vicuna-13B, 1083",
                printed="almost 200",
                nstar=f"{gap} Elo, a score of {share(score)}",
                check=same(200, gap, rel=ABOUT),
                expect="right",
                why="ties as half a win",
                values=(float(gap), score),
            ),
            Row(
                source="week 2, overview",
                quantity="share of ties at which 82% and 79% of decisive votes fit the ratings, "
                "Vicuna-13B and GPT-3.5-turbo",
                printed="82%, 79%",
                nstar=f"{share(ties[0])}, {share(ties[1])}",
                check=possible(all(0 <= t < 1 for t in ties)),
                expect="right",
                why=f"the ratings predict scores of {share(score)} and {share(other)}; read as "
                "win rates without ties they would contradict the shares",
                values=(score, other, *ties),
            ),
            Row(
                source="week 2, overview",
                quantity="Claude-v1 against GPT-4, 32 of 66 decisive votes",
                printed="48%",
                nstar=f"{32 / 66:.3f}, 95% interval {share(claude[0])} to {share(claude[1])}",
                check=rounds(0.48, 32 / 66, 0.01),
                expect="right",
                why=f"no contradiction to the {share(predicted)} that its 50 Elo less predict, "
                f"and not much else: 66 decisive votes show a gap of {detectable:.0f} Elo",
                values=(*claude, predicted, detectable),
            ),
            Row(
                source="week 4, PaLM 2",
                quantity="12 Elo between Vicuna-13B and PaLM 2",
                printed="nearly a virtual tie",
                nstar=f"a score of {share(even, 1)}",
                check=same(0.5, even, rel=ABOUT),
                expect="right",
                why=f"{needed:,.0f} votes on this pair would show it; PaLM 2 had "
                "about 1,800 in all",
                values=(even, needed),
            ),
        ),
    )


LLAMA = (
    ("Claude 3 Opus", 1328, 0.5128, 1171, 0.5158),
    ("Gemini 1.5", 1620, 0.5006, 1437, 0.4948),
    ("GPT-4 0125", 881, 0.4858, 779, 0.4904),
    ("GPT-4 1106", 349, 0.5072, 307, 0.5212),
    ("GPT-4-Turbo", 1437, 0.4774, 1287, 0.4773),
)
"""Opponent; decisive votes and Llama 3's share of them; the same without repeated prompts."""


def llama() -> Document:
    odd = stats.grim(0.4773, 1287, decimals=4)
    others = [(n, x) for _, n, x, *_ in LLAMA] + [(n, x) for *_, n, x in LLAMA[:-1]]
    wins = [round(n * x) for _, n, x, *_ in LLAMA]
    ps = [
        float(stats.binomial_pvalue(k, n, p0=0.5))
        for k, (_, n, *_) in zip(wins, LLAMA, strict=True)
    ]
    low, high = limits(wins[-1], LLAMA[-1][1])
    behind = float(stats.elo_from_score(low))
    judges = [(12_719, 7_591, 1.68), (68_656, 48_570, 1.41), (749_205, 316_372, 2.37)]
    return Document(
        key="llama",
        title='"What\'s up with Llama 3? Arena data analysis" (lmsys.org/blog/2024-05-08-llama3)',
        summary="Nine of ten win rates are whole numbers of votes, and the tables are consistent. "
        "The share of repeated prompts is printed as a fraction of the remaining prompts.",
        rows=(
            Row(
                source="duplicate prompts",
                quantity="share of prompts that are duplicates",
                printed="~9% (6658/7327)",
                nstar=share(6658 / 7327, 1),
                check=coherent(same(0.09, 6658 / 7327, rel=ABOUT).holds),
                expect="inconsistent",
                why=f"6,658 is what is left; {share(1 - 6658 / 7327, 1)} are duplicates",
                values=(6658 / 7327,),
            ),
            Row(
                source="table 1",
                quantity="nine win rates as whole numbers of decisive votes",
                printed="48.58% … 52.12%",
                nstar="428/881 … 160/307",
                check=possible(all(is_printed(x, n, 4) for n, x in others)),
                expect="right",
                why="the column without a note leaves ties out as well",
                values=(428 / 881, 160 / 307),
            ),
            Row(
                source="table 1",
                quantity="win rate against GPT-4-Turbo on 1,287 votes without repeated prompts",
                printed="47.73%",
                nstar=f"nearest {share(odd.nearest, 2)}",
                check=possible(odd.possible),
                expect="impossible",
                why="614 wins are 47.71% and 615 are 47.79%",
                values=(odd.nearest, 615 / 1287),
            ),
            Row(
                source="introduction, table 1",
                quantity="Llama 3 against each of five top models, decisive votes",
                printed="on par",
                nstar=f"p from {min(ps):.2f} to {max(ps):.2f}",
                check=claim(min(ps) > 0.05),
                expect="right",
                why="none is told apart, which does not show that they are equal: against "
                f"GPT-4-Turbo the 95% interval is {share(low, 1)} to {share(high, 1)}, "
                f"down to {-behind:.0f} Elo behind",
                values=(*ps, low, high, behind),
            ),
            Row(
                source="table 2",
                quantity="mean votes per judge",
                printed=", ".join(f"{mean}" for *_, mean in judges),
                nstar=", ".join(f"{n / m:.3f}" for n, m, _ in judges),
                check=claim(all(rounds(mean, n / m, 0.01).holds for n, m, mean in judges)),
                expect="right",
                why="",
                values=tuple(n / m for n, m, _ in judges),
            ),
        ),
    )


SWITCH = (
    (78.0, 76.3, -1.7),
    (60.4, 71.8, 11.4),
    (46.8, 63.6, 16.8),
    (41.5, 56.1, 14.6),
    (37.9, 30.6, -7.3),
    (24.8, 34.7, 9.9),
    (23.4, 34.8, 11.4),
    (23.1, 46.6, 23.5),
    (23.0, 45.0, 22.0),
)
"""Table 3: score by GPT-4, by Claude 3 Opus, difference."""
SEPARATED = {
    "Chatbot Arena": 0.858,
    "MT-bench": 0.237,
    "AlpacaEval LC": 0.832,
    "Arena-Hard": 0.874,
    "Arena-Hard, Claude": 0.837,
}
AGREED = {"MT-bench": 0.226, "AlpacaEval LC": 0.812, "Arena-Hard": 0.891}


def arena_hard() -> Document:
    pairs = int(stats.family_size(20))
    sizes = [round(pairs * x) for x in SEPARATED.values()]
    n_votes = sizes[0]
    wrong = sum(not is_printed(x, n_votes) for x in AGREED.values())
    never = not any(all(is_printed(x, n) for x in AGREED.values()) for n in range(1, pairs + 1))
    low, high = (round(0.891 * n_votes) / n_votes, (round(0.891 * n_votes) + 1) / n_votes)
    return Document(
        key="arena-hard",
        title='"From Live Data to High-Quality Benchmarks: The Arena-Hard Pipeline" '
        "(lmsys.org/blog/2024-04-19-arena-hard)",
        summary="Separability is right. Agreement with the arena is not the share of pairs that "
        "the text defines, and two tables disagree with other tables.",
        rows=(
            Row(
                source="tables 1 and 4",
                quantity=f"five separabilities as shares of the {pairs} pairs of 20 models",
                printed="23.7% … 87.4%",
                nstar=f"{min(sizes)}/{pairs} … {max(sizes)}/{pairs}",
                check=possible(all(is_printed(x, pairs) for x in SEPARATED.values())),
                expect="right",
                why=f"the arena itself separates {n_votes} pairs",
                values=tuple(k / pairs for k in sizes),
            ),
            Row(
                source="table 1",
                quantity=f"agreement with the arena, over the {n_votes} pairs that it separates",
                printed="22.6%, 81.2%, 89.1%",
                nstar=f"nearest to the last {share(low, 1)} and {share(high, 1)}",
                check=coherent(all(is_printed(x, n_votes) for x in AGREED.values())),
                expect="inconsistent",
                why=("none" if wrong == len(AGREED) else "not each")
                + " of the three is a whole number of them"
                + (f", and no number of pairs up to {pairs} fits all" if never else ""),
                values=(low, high, float(wrong), float(never)),
            ),
            Row(
                source="tables 1 and 4",
                quantity="Spearman correlation of Arena-Hard with the arena",
                printed="94.1%, 94.2%",
                nstar="one figure",
                check=coherent(rounds(0.941, 0.942, 0.001).holds),
                expect="inconsistent",
                why="the same judge, models and reference in both",
                values=(0.941, 0.942),
            ),
            Row(
                source="table 3 and leaderboard",
                quantity="score of mixtral-8x22b by GPT-4",
                printed="23.4",
                nstar="36.4 (its own leaderboard)",
                check=attributed(rounds(23.4, 36.4, 0.1).holds),
                expect="misattributed",
                why="23.4 is Mixtral-8x7B there; so the +11.4 beside it is not of one model",
                values=(36.4,),
            ),
            Row(
                source="table 3",
                quantity="nine differences between two judges",
                printed="-7.3 … +23.5",
                nstar=f"{min(b - a for a, b, _ in SWITCH):.1f} … "
                f"{max(b - a for a, b, _ in SWITCH):+.1f}",
                check=claim(all(rounds(d, b - a, 0.1).holds for a, b, d in SWITCH)),
                expect="right",
                why="",
                values=tuple(b - a for a, b, _ in SWITCH),
            ),
        ),
    )


PREFERRED = {
    "gpt4": (761, 32, 12, 0.7),
    "guanaco-65b": (578, 227, 0, 1.6),
    "vicuna-13b": (566, 237, 2, 1.6),
    "alpaca-farm-ppo-human": (328, 469, 8, 1.7),
    "alpaca-7b": (205, 584, 16, 1.5),
    "text_davinci_001": (112, 672, 20, 1.2),
}
"""Wins, losses, draws (from the leaderboard file), and the printed standard error in points."""


def _standard_error(wins: int, losses: int, draws: int) -> float:
    sums, squares = wins + draws / 2, wins + draws / 4
    return math.sqrt(float(stats.iid_variance([sums], [squares], [wins + losses + draws])))


def alpaca() -> Document:
    errors = [_standard_error(*counts) for *counts, _ in PREFERRED.values()]
    growth = (float(stats.k_factor()) / float(stats.z_alpha(0.05))) ** 2
    needed = 150 * growth
    nine = int(stats.family_size(9))
    return Document(
        key="alpaca",
        title="AlpacaEval, README and leaderboard file (github.com/tatsu-lab/alpaca_eval)",
        summary="The standard errors of win rates are right. The required number of samples is "
        "taken from the point where p falls below 0.05, at which a repetition has a power of only "
        "50%.",
        rows=(
            Row(
                source="minimal leaderboard",
                quantity="six standard errors from wins, losses and draws, in points",
                printed=", ".join(f"{se}" for *_, se in PREFERRED.values()),
                nstar=", ".join(f"{100 * e:.2f}" for e in errors),
                check=claim(
                    all(
                        rounds(se, 100 * e, 0.1).holds
                        for e, (*_, se) in zip(errors, PREFERRED.values(), strict=True)
                    )
                ),
                expect="right",
                why="divisor N - 1, as it says; a draw counts half",
                values=tuple(errors),
            ),
            Row(
                source="making evaluation sets",
                quantity="pairs of the minimal leaderboard",
                printed="78",
                nstar=f"{nine}",
                check=coherent(nine == 78),
                expect="inconsistent",
                why="78 are the pairs of 13 models; the table that it refers to has nine",
                values=(float(nine), float(stats.family_size(13))),
            ),
            Row(
                source="making evaluation sets",
                quantity="factor by which 805 samples may shrink, if 150 give p < 0.05",
                printed="4",
                nstar=f"{805 / needed:.1f}",
                check=same(4, 805 / needed, rel=ABOUT),
                expect="wrong",
                why="for the closest of the pairs told apart: where p is just 0.05 power is 50%, "
                f"and for 80% it takes {growth:.2f} times as many, {needed:.0f}",
                values=(growth, needed, 805 / needed),
            ),
        ),
    )


# --- manuals ------------------------------------------------------------------------------


def _online(battles: list[tuple[int, int, float]], step: float) -> list[float]:
    """Elo ratings updated after each battle."""
    rating = [1000.0, 1000.0, 1000.0]
    for a, b, won in battles:
        move = step * (won - float(stats.score_from_elo(rating[a] - rating[b])))
        rating[a], rating[b] = rating[a] + move, rating[b] - move
    return rating


MEALS = [(0, 1, 1.0), (1, 2, 0.0), (0, 2, 0.5)]
"""Pizza beats burger, sushi beats burger, pizza and sushi tie."""


def manuals() -> Document:
    return Document(
        key="manuals",
        title="Examples in manuals and glossaries (pypi.org/project/evalica, "
        "pypi.org/project/truescore/0.6.0, modelgrep.com/glossary/elo-rating, "
        "synapsedx.com/should-ai-ranking-matter)",
        summary="All arithmetic is right. One example ranks two meals with the same record by the "
        "order of the comparisons.",
        rows=(*_elo(), *_truescore()),
    )


def _elo() -> list[Row]:
    rating, turned = (
        _online(battles, 30.0) for battles in (MEALS, [MEALS[1], MEALS[0], MEALS[2]])
    )
    rows = stats.VoteRows.of(*zip(*MEALS, strict=True))
    fit = stats.bradley_terry_fit(rows, prior=0.5)
    pizza, _, sushi = fit.strengths.tolist()
    scores = [float(stats.score_from_elo(g)) for g in (70, 100, 200)]
    return [
        Row(
            source="evalica, README",
            quantity="Elo after three comparisons: pizza, burger, sushi",
            printed="1014.972058, 970.647200, 1014.380742",
            nstar=", ".join(f"{x:.6f}" for x in rating),
            check=claim(
                all(
                    rounds(x, got, 1e-6).holds
                    for x, got in zip((1014.972058, 970.6472, 1014.380742), rating, strict=True)
                )
            ),
            expect="right",
            why="one update after each comparison, K = 30",
            values=tuple(rating),
        ),
        Row(
            source="evalica, README",
            quantity="lead of pizza over sushi",
            printed="the most favored, the runner-up",
            nstar=f"{abs(pizza - sushi):.1f} by Bradley-Terry",
            check=claim(pizza > sushi + 1e-9),
            expect="wrong",
            why="both beat the burger and tied: the same record; with the first two comparisons "
            f"swapped sushi would lead by {turned[2] - turned[0]:.1f}",
            values=(pizza - sushi, turned[2] - turned[0]),
        ),
        Row(
            source="modelgrep, synapsedx",
            quantity="expected score at 70, 100 and 200 Elo",
            printed="60%, about 64%, about 76%",
            nstar=", ".join(share(s, 1) for s in scores),
            check=claim(
                all(
                    rounds(x, s, 0.01).holds
                    for x, s in zip((0.6, 0.64, 0.76), scores, strict=True)
                )
            ),
            expect="right",
            why="share of wins only if there are no ties",
            values=tuple(scores),
        ),
    ]


def _truescore() -> list[Row]:
    judge, people = limits(3353, 4000), limits(431, 600)
    half, variance = (0.7463 - 0.6836) / 2, 431 / 600 * (1 - 431 / 600)
    error = half / float(stats.z_conf(0.95))
    r = math.sqrt((1 - error**2 * 600 / variance) / (1 - 600 / 4000))
    gain = float(stats.judge_gain(r, labels=600, judged=4000))
    p, q = 431 / 600, 3353 / 4000
    max_rho = math.sqrt(p * (1 - q) / (q * (1 - p)))
    return [
        Row(
            source="truescore, README",
            quantity="Wilson intervals, 83.83% of 4,000 by the judge and 71.83% of 600 by people",
            printed="0.8265 to 0.8493, 0.6810 to 0.7528",
            nstar=f"{judge[0]:.4f} to {judge[1]:.4f}, {people[0]:.4f} to {people[1]:.4f}",
            check=claim(
                all(
                    rounds(x, got, 1e-4).holds
                    for x, got in zip(
                        (0.8265, 0.8493, 0.6810, 0.7528), (*judge, *people), strict=True
                    )
                )
            ),
            expect="right",
            why="3,353 and 431 passed",
            values=(*judge, *people),
        ),
        Row(
            source="truescore, README",
            quantity="correlation of judge and people that the corrected interval implies",
            printed="0.6836 to 0.7463",
            nstar=f"{r:.2f}",
            check=possible(0 < r <= max_rho),
            expect="right",
            why=f"at pass rates of 84% and 72% it can be at most {max_rho:.2f}; the judge is "
            "worth "
            f"{gain:.2f} times the labels",
            values=(r, max_rho, gain),
        ),
    ]

"""Words of an answer: what a quantity is called in sentences, in Python, in JSON and in CSV."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["refuse_strangers", "table"]


class Word(NamedTuple):
    """A quantity, its name for people, and its name for programs."""

    said: str
    keys: tuple[str, ...]
    meaning: str


WORDS = (
    Word("gap", ("delta",), "first minus second, in score units; `delta0` is the one asked about"),
    Word("gap in Elo", ("elo",), "the same of ratings, in Elo points"),
    Word("interval", ("ci", "ci_low", "ci_high"), "of the gap, or of what stands before `_ci`"),
    Word(
        "adjusted interval",
        ("ci_adjusted_low", "ci_adjusted_high"),
        "of the gap, adjusted for all pairs as the verdict is",
    ),
    Word(
        "unadjusted interval",
        ("ci_unadjusted_low", "ci_unadjusted_high"),
        "of the gap of one pair alone",
    ),
    Word("confidence sequence", ("sequence",), "an interval that holds at every look"),
    Word("coverage", ("conf",), "of intervals, 1 − level"),
    Word("standard error", ("se",), "of the gap"),
    Word("p-value", ("p", "p_adjusted"), "never 0; `p_adjusted` allows for the family of tests"),
    Word("can detect (MDE)", ("mde",), "smallest true gap found with the stated power"),
    Word("items needed, N\\*", ("n_star",), "for the gap seen, or for the one planned for"),
    Word("resolution ratio, q", ("q",), "items at hand ÷ N\\*; from 1 on the gap is resolved"),
    Word("would settle it", ("more_items", "more_labels"), "what is missing to N\\*"),
    Word(
        "verdict",
        ("verdict", "answer", "state"),
        "the word; a gate has an `answer` (PASS …), a watch and a race a `state` (open …)",
    ),
    Word("level, power", ("alpha", "power", "sides"), "the test's; in `criteria` or `question`"),
    Word("items", ("n", "items"), "`n` items that both answered; `items` asked for or held"),
    Word("score of a model", ("mean", "mean_a", "mean_b"), "mean over its items, or as printed"),
    Word("correlation, ρ", ("rho",), "of two models' scores over items"),
    Word("disagreement, ψ", ("psi",), "share of items on which exactly one is right"),
    Word("rank, rank set", ("rank", "rank_low", "rank_high"), "place, and those it may have"),
    Word("tier", ("tier",), "models that nothing separates"),
    Word("design effect", ("design_effect",), "variance ÷ that of independent items or votes"),
    Word("runs", ("runs", "runs_a", "runs_b"), "repetitions of a task by one model"),
    Word("pass@k, pass^k", ("pass_at", "pass_hat"), "any of k runs passes, all of them do"),
    Word("judge, label", ("judged", "labels"), "items that a judge scored, that people labelled"),
    Word("votes", ("votes",), "judgements between two models' answers"),
    Word("0/1 scores", ("binary",), "whether all scores are 0 or 1"),
)
"""In the order in which people meet them."""

STRANGERS = {
    "p_value": "p",
    "pval": "p",
    "difference": "delta",
    "diff": "delta",
    "effect": "delta",
    "effect_size": "delta",
    "stderr": "se",
    "std_err": "se",
    "interval": "ci",
    "confidence_interval": "ci",
    "lower": "ci_low",
    "upper": "ci_high",
    "confidence": "conf",
    "n_items": "items",
    "num_items": "items",
    "sample_size": "items",
    "accuracy": "mean",
    "discordance": "psi",
    "is_binary": "binary",
    "deff": "design_effect",
}
"""Names that programs elsewhere give to these, and what we call them."""
ENDINGS = {"_lo": "_low", "_hi": "_high", "_pvalue": "_p", "_interval": "_ci"}
ELSEWHERE = {("Claim", "ci_check.together.interval")}  # the name of a kind of interval


def refuse_strangers(kind: str, keys: set[str]) -> None:
    """End the script if a key of a result has a name that is not ours."""
    for path in sorted(keys):
        key = path.rpartition(".")[2]
        ours = STRANGERS.get(key) or next(
            (key.removesuffix(old) + new for old, new in ENDINGS.items() if key.endswith(old)),
            None,
        )
        if ours is not None and (kind, path) not in ELSEWHERE:
            msg = f"{kind}: JSON key {path!r} is called {ours!r} elsewhere"
            raise SystemExit(msg)


def table(kinds: tuple[str, ...], keys: Callable[[str], set[str]]) -> Iterator[str]:
    """Rows of the page; ends the script if a word is in no result, or a stranger in one."""
    of = {kind: keys(kind) for kind in kinds}
    for kind, there in of.items():
        refuse_strangers(kind, there)
    yield "| in sentences | in Python and JSON | what it is | results that have it |"
    yield "|---|---|---|---|"
    for word in WORDS:
        having = [
            kind
            for kind, there in of.items()
            if any(path.rpartition(".")[2] in word.keys for path in there)
        ]
        for key in word.keys:
            if not any(path.rpartition(".")[2] == key for kind in having for path in of[kind]):
                msg = f"no result has {key!r}, a word of the answers"
                raise SystemExit(msg)
        names = ", ".join(f"`{key}`" for key in word.keys)
        yield f"| {word.said} | {names} | {word.meaning} | {_few(having, len(kinds))} |"


def _few(having: list[str], of: int) -> str:
    if len(having) > 12:
        return f"{len(having)} of {of}"
    return ", ".join(having)

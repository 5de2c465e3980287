"""Write the next votes: their expected gain, the pairs, and how to collect them."""

from collections.abc import Iterator

from nstar._verbs.battles import Battles
from nstar._verbs.battles.next_result import NextVotes
from nstar.errors import arg, by_interface
from nstar.report.documents import TextTable
from nstar.report.prose.battles.headline import rounded
from nstar.report.prose.numbers import count, name, percent, votes

_MAX_PAIRS = 10
_MAX_PAIRS_ON_SCREEN = 4
_NAME_WIDTH = 30


def _gaps(planned: NextVotes) -> str:
    """Return the gaps that the votes are to decide."""
    if planned.top is None:
        return f"{planned.n_gaps:,} adjacent gaps"
    models = "the best model" if planned.top == 1 else f"the best {planned.top:,} models"
    return f"{planned.n_gaps:,} gaps between {models} and the others"


def _decided(number: float) -> str:
    return f"{number:,.1f}"


def gain(planned: NextVotes) -> str:
    """Return a sentence on the expected gain of the next votes."""
    batch = f"the next {votes(planned.n_votes)}"
    if not planned.n_open:
        return f"All {_gaps(planned)} are significant, so {batch} are on random pairs."
    text = (
        f"After {batch}, an expected {_decided(planned.expected_decided)} of {_gaps(planned)} are "
        "significant"
    )
    needed = planned.n_votes_uniform
    if needed == planned.n_votes:
        return f"{text}, no more than with as many votes on random pairs."
    size = "over 20 times as many" if needed is None else f"about {count(rounded(needed))}"
    return f"{text}; random pairs would need {size} votes for the same number."


def next_pairs(result: Battles, *, short: bool = False) -> TextTable:
    """Return the pairs of the next votes; without rows if there are none."""
    planned = result.next_votes
    header = ("model", "against", "votes now", "next votes", "probability")
    if planned is None:
        return TextTable(title="", header=header, rows=())
    pairs, limit = planned.pairs, _MAX_PAIRS_ON_SCREEN if short else _MAX_PAIRS
    rows = [
        (
            name(row["model_a"], limit=_NAME_WIDTH),
            name(row["model_b"], limit=_NAME_WIDTH),
            f"{row['n_votes']:,}",
            f"{row['n_next']:,}",
            percent(row["probability"], 1),
        )
        for row in pairs.rows(range(min(limit, len(pairs))))
    ]
    rest = len(pairs) - len(rows)
    if rest:
        n_rest = planned.n_votes - int(pairs.n_next[: len(rows)].sum())
        rows.append((f"{rest:,} more pairs", "", "", f"{n_rest:,}", ""))
    return TextTable(title=f"Next {votes(planned.n_votes)}", header=header, rows=tuple(rows))


def next_notes(result: Battles) -> Iterator[str]:
    """Yield what changes the meaning of the next votes, and how to collect them."""
    planned = result.next_votes
    if planned is None:
        return
    if result.lack_of_fit.n_significant:
        yield (
            "Pairs deviate from the ratings, so the ratings depend on which pairs get votes. "
            "Collect votes on random pairs instead of the chosen ones."
        )
    if planned.n_connecting:
        models = len(result.unrated)
        unrated = (
            "the model without a rating, to connect it"
            if models == 1
            else f"the {models:,} models without a rating, to connect them"
        )
        yield f"{planned.n_connecting:,} of the next votes are on {unrated} to the others."
    file = by_interface(python=".next_votes.votes", command="--out FILE.csv")
    yield (
        f"The votes to collect are in {file}. Add the winner to each row, keep the column "
        "pair_probability, and analyze all votes together."
    )
    if result.n_votes_planned is None:
        yield (
            f"If you test after each batch, set {arg('planned')}; otherwise test once, at the end."
        )


def next_detail(result: Battles) -> Iterator[str]:
    """Yield how the next votes are drawn."""
    planned = result.next_votes
    if planned is None:
        return
    yield (
        "80% of the next votes go to the pairs with the largest expected gain, and 20% to "
        "random pairs. Expected numbers are simulated, with each true rating drawn from its "
        "estimate and standard error."
    )
    if planned.votes.prompt is not None:
        yield (
            "Each prompt is drawn among those with the fewest votes on its pair. New prompts are "
            "better, because votes on one prompt are not independent."
        )

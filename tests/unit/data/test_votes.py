"""Votes in columns of numbers."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nstar._data.vote_counts import PairVoteCounts
from nstar._data.votes import VoteGrouping, Votes, repeated, settled
from nstar.errors import DataError, ParameterError

FIRST, SECOND = ["y", "x", "z", "y"], ["x", "y", "x", "z"]


def some(**more: object) -> Votes:
    return Votes.of(FIRST, SECOND, [1, 0.5, 0, 0.25], **more)  # type: ignore[arg-type]


def test_models_are_sorted_by_name() -> None:
    votes = some()
    assert votes.models == ("x", "y", "z")
    assert (votes.first.tolist(), votes.second.tolist()) == ([1, 0, 2, 1], [0, 1, 0, 2])
    assert votes.first.dtype == np.int32
    assert (len(votes), votes.both_bad, votes.weight, votes.findings) == (4, 0, None, ())


def test_names_of_any_kind() -> None:
    votes = Votes.of(np.array([1, 2]), pa.array(["2", "3"]), pa.array([1.0, 0.0]).to_numpy())
    assert votes.models == ("1", "2", "3")


@pytest.mark.parametrize(
    ("labels", "codes", "names"),
    [
        (["b", "a", "b", None], [0, 1, 0, -1], ["b", "a"]),
        (["", "a", "", "a"], [-1, 0, -1, 0], ["a"]),
        ([7, 9, 7], [0, 1, 0], ["7", "9"]),
        ([1.0, 2.5, float("nan")], [0, 1, -1], ["1", "2.5"]),
        ([None, None], [-1, -1], []),
        ([], [], []),
    ],
)
def test_labels_of_groups(labels: list[object], codes: list[int], names: list[str]) -> None:
    made = VoteGrouping.of(labels)
    assert made.codes.tolist() == codes
    assert [made.label(k) for k in range(made.count)] == names


def test_labels_that_stand_twice_in_a_dictionary() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), ["a", "a", ""])
    made = VoteGrouping.of(twice)
    assert (made.codes.tolist(), made.count) == ([0, 0, -1, -1], 1)


def test_blocks_with_dictionaries_of_their_own() -> None:
    blocks = pa.chunked_array([pa.array(x).dictionary_encode() for x in (["a", "b"], ["b", "c"])])
    made = VoteGrouping.of(blocks)
    assert made.codes.tolist() == [0, 1, 1, 2]
    assert made.names.to_pylist() == ["a", "b", "c"]


def test_some_of_the_votes() -> None:
    votes = some(
        weight=[1, 2, 3, 4],
        both_bad=[False, True, False, True],
        groups={"judge": ["ann", "bob", "ann", "cy"]},
        covariates={"length": ([1, 2, 3, 4], [5, 6, 7, 8])},
    )
    part = votes.select(np.array([False, True, False, True]))
    assert part.models == ("x", "y", "z")
    assert part.groups["judge"].names.to_pylist() == ["bob", "cy"]
    assert part.groups["judge"].codes.tolist() == [0, 1]
    assert part.both_bad == 2
    assert part.weight is not None
    assert part.weight.tolist() == [2, 4]
    assert part.covariates["length"].tolist() == [[2, 6], [4, 8]]
    pair = votes.select(np.array([True, False, False, False]))
    assert (pair.models, pair.first.tolist(), pair.second.tolist()) == (("x", "y"), [1], [0])


def test_findings_of_some_of_the_votes_are_their_own() -> None:
    votes = some(both_bad=[False, True, False, True], weight=[1, 2, 1, 3])
    texts = [f.text for f in votes.findings]
    assert texts == [
        "2 of 4 votes (50.0%) called both answers bad; they count as ties",
        "votes have weights, from 1 to 3",
    ]
    part = settled(votes.select(np.array([True, True, True, False])))
    assert [f.text for f in part.findings] == [
        "1 of 3 votes (33.3%) called both answers bad; they count as ties",
        "votes have weights, from 1 to 2",
    ]


def test_names_of_models_that_look_alike() -> None:
    votes = Votes.of(["a", "A", "c"], ["b", "b", "b"], [1, 1, 0])
    told = ("similar-names", "'A', 'a' differ only in spaces or capitals")
    assert told in [(f.code, f.text) for f in votes.findings]
    few = votes.select(votes.first == votes.models.index("c"))
    assert "similar-names" not in [f.code for f in settled(few).findings]


def test_votes_of_a_model_with_itself() -> None:
    votes = Votes.of(
        ["a", "a", "c"], ["b", "a", "c"], [1, 1, 0], groups={"judge": ["k", "l", "m"]}
    )
    assert (votes.models, len(votes)) == (("a", "b"), 1)
    assert votes.groups["judge"].count == 1
    assert [(f.code, f.text) for f in votes.findings] == [
        ("self-battles", "2 votes of a model against itself are excluded")
    ]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (["a", "b"], ["a", "b"], "all 2 are votes of a model against itself"),
        ([], [], "found no votes"),
    ],
)
def test_two_models_are_needed(first: list[str], second: list[str], said: str) -> None:
    with pytest.raises(DataError, match=f"Votes must be between two models; {said}"):
        Votes.of(first, second, [0.5] * len(first))


def test_a_side_that_is_always_one_model_tells_no_order() -> None:
    assert some().ordered
    assert not some(ordered=False).ordered
    assert not Votes.of(["a", "b"], ["r", "r"], [1, 0]).ordered


@pytest.mark.parametrize(
    ("groups", "again"),
    [
        ({"prompt": [1, 1, 1, 1]}, 2),
        ({"prompt": [1, 1, 2, 1]}, 1),
        ({"prompt": [1, 1, 1, 1], "judge": ["a", "a", "b", "a"]}, 1),
        ({"prompt": [1, 1, 1, 1], "pair": [1, 2, 3, 4]}, 0),
        ({"prompt": [None, None, None, 1]}, 0),
        ({"judge": ["a", "a", "a", "a"]}, 0),
        ({}, 0),
    ],
)
def test_votes_that_repeat_others(groups: dict[str, list[object]], again: int) -> None:
    """The first three are of the same models in the same order, the fourth in the other."""
    votes = Votes.of(["a", "a", "a", "b"], ["b", "b", "b", "a"], [1, 0, 1, 0.5], groups=groups)
    assert repeated(votes)[0] == again
    assert any(f.code == "repeated-votes" for f in votes.findings) == (again > 0)


def test_games_with_places_swapped_do_not_repeat() -> None:
    votes = Votes.of(["a", "b"], ["b", "a"], [1, 1], groups={"prompt": [1, 1], "pair": [1, 1]})
    assert votes.findings == ()


def test_repeats_are_found_among_many_groups() -> None:
    """More combinations than 64 bits can number."""
    size = 50_000
    labels = np.arange(size) % (size - 1)
    groups = dict.fromkeys(("prompt", "judge", "pair", "session"), labels)
    names = np.char.mod("m%d", labels)
    votes = Votes.of(names, np.char.add(names, "x"), np.ones(size), groups=groups)
    assert repeated(votes) == (1, "prompt, judge, pair, and session")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"score": [1, 2]}, r"Vote score 2 is outside the range from 0 \(loss\) to 1"),
        ({"score": [1, float("nan")]}, "Vote score"),
        ({"score": ["won", "lost"]}, "score must be one number per vote"),
        ({"weight": [1, 0]}, "weight must be positive and finite; got 0"),
        ({"weight": [1, float("inf")]}, "weight must be positive and finite; got inf"),
    ],
)
def test_numbers_that_cannot_be(more: dict[str, object], said: str) -> None:
    given: dict[str, object] = {"score": [1, 0], **more}
    with pytest.raises(ParameterError, match=said):
        Votes.of(["a", "b"], ["b", "a"], **given)  # type: ignore[arg-type]


def test_columns_must_have_one_length() -> None:
    with pytest.raises(
        DataError, match="one value in each column; got first 2, second 1, score 2"
    ):
        Votes.of(["a", "b"], ["b"], [1, 0])


@pytest.mark.parametrize("nobody", [None, ""])
def test_every_vote_needs_two_models(nobody: str | None) -> None:
    with pytest.raises(DataError, match="Every vote needs two models; second is missing in row 2"):
        Votes.of(["a", "b"], ["b", nobody], [1, 0])


def test_half_a_character_is_refused() -> None:
    with pytest.raises(DataError, match="half a surrogate pair"):
        Votes.of(["x\ud800"], ["y"], [1])


def test_a_tally_only_grows() -> None:
    rng = np.random.default_rng(2)
    names = np.array(["b", "d", "a", "c"])
    first = rng.integers(0, 4, 300)
    second = (first + rng.integers(1, 4, 300)) % 4
    score = rng.choice([0.0, 0.5, 1.0], 300)

    def some(kept: Any) -> PairVoteCounts:
        return PairVoteCounts.of(Votes.of(names[first[kept]], names[second[kept]], score[kept]))

    every, order = np.arange(300), rng.permutation(300)
    assert some(order).lacks(some(every[:120])) == 0
    assert some(every[:120]).lacks(some(every)) == 180
    assert some(first + second == 3).lacks(some(every)) == np.count_nonzero(first + second != 3)

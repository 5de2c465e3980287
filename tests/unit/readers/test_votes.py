"""Votes: every kind of file and frame into one form."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from helpers.logs import FIXTURES, STRANGE, hostile
from nstar._data.read_limits import Limits
from nstar._data.votes import Votes
from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import DataError, NstarError, ReadError, spelling
from nstar.readers._base import ReaderOptions
from nstar.readers._votes._layout import VoteSelection
from nstar.readers._votes._read import read_votes

ARENA, VERDICTS = FIXTURES / "arena", FIXTURES / "votes"


def read(data: Any, wanted: dict[str, Any] | None = None, **options: Any) -> Votes:
    data = str(data) if isinstance(data, Path) else data
    return read_votes(data, ReaderOptions(**options), VoteSelection(**wanted or {}))


def written(tmp_path: Path, text: str, name: str = "v.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def said(votes: Votes) -> dict[str, str]:
    return {f.code: f.text for f in votes.findings}


def shown(votes: Votes) -> list[tuple[str, str, float]]:
    """First model, second model and score of each vote."""
    ends = [[votes.models[k] for k in side.tolist()] for side in (votes.first, votes.second)]
    return list(zip(*ends, votes.score.tolist(), strict=True))


def labels(votes: Votes, group: str) -> list[str | None]:
    made = votes.groups[group]
    return [None if k < 0 else made.label(k) for k in made.codes.tolist()]


class TestArena:
    def test_votes_with_judges(self) -> None:
        votes = read(ARENA / "clean_battle_33k.json")
        assert votes.score.tolist() == [1, 0, 0.5, 0.5]
        assert votes.both_bad == 1
        assert labels(votes, "judge") == [f"arena_user_{k}" for k in (0, 1, 2, 0)]
        assert labels(votes, "prompt") == ["q0", "q1", "q2", "q3"]
        assert [b for _, b, _ in shown(votes)] == ["gamma", "beta", "gamma", "beta"]
        assert said(votes) == {
            "names-shown": "1 vote by people who saw the model names was excluded; 4 votes remain",
            "repeated-prompts": "1 vote on repeated prompts was excluded; 4 votes remain",
            "both-bad": "1 of 4 votes (25.0%) called both answers bad; they count as ties",
        }
        assert (votes.sources[0].rows, sum(votes.sources[0].dropped.values())) == (4, 2)

    def test_one_column_per_outcome(self) -> None:
        votes = read(ARENA / "votes_55k.csv")
        assert votes.score.tolist() == [1, 0, 0.5] * 2
        assert votes.groups["prompt"].count == 6
        assert set(votes.groups) == {"prompt"}

    def test_votes_with_sessions(self) -> None:
        votes = read(ARENA / "votes_140k.parquet")
        assert votes.score.tolist() == [1, 0, 0.5]
        assert labels(votes, "session") == ["s1", "s1", "s2"]

    def test_judges_that_are_lists_are_no_group(self) -> None:
        votes = read(ARENA / "mt_bench.parquet")
        assert votes.score.tolist() == [1, 0.5, 0.5]
        assert (votes.both_bad, set(votes.groups)) == (0, {"prompt"})

    def test_style_counts(self, tmp_path: Path) -> None:
        wanted = {"covariates": ("length", "headers", "lists", "bold")}
        rows = json.loads((VERDICTS / "arena_100k.json").read_text("utf-8"))
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "v.parquet")
        frames = (VERDICTS / "arena_100k.json", tmp_path / "v.parquet", rows, pd.DataFrame(rows))
        for data in frames:
            votes = read(data, wanted)
            counts = {n: c.tolist() for n, c in votes.covariates.items()}
            assert counts == {
                "length": [[100, 200], [200, 300], [300, 400]],
                "headers": [[2, 3], [3, 4], [4, 5]],
                "lists": [[3, 4], [4, 5], [5, 6]],
                "bold": [[1, 2], [2, 3], [3, 4]],
            }
            assert votes.ordered

    def test_style_counts_that_are_sums_already(self) -> None:
        meta = {"sum_assistant_a_tokens": 5, "sum_assistant_b_tokens": None}
        meta |= {"header_count_a": 3, "header_count_b": 4}
        rows = [{"model_a": "x", "model_b": "y", "winner": "tie", "conv_metadata": meta}]
        votes = read(rows, {"covariates": ("length", "headers")})
        assert votes.covariates["headers"].tolist() == [[3, 4]]
        assert str(votes.covariates["length"].tolist()) == "[[5.0, nan]]"


class TestVerdicts:
    def test_arena_hard(self) -> None:
        votes = read(VERDICTS / "arena_hard_v2.jsonl", {"groups": ("category",)})
        assert shown(votes) == [
            ("o3-mini", "qwen", 1.0),
            ("qwen", "o3-mini", 1.0),
            ("o3-mini", "qwen", 0.0),
            ("qwen", "o3-mini", 0.5),
            ("o3-mini", "deepseek", 0.0),
            ("gemini", "deepseek", 0.0),
        ]
        assert votes.weight is not None
        assert votes.weight.tolist() == [3, 1, 1, 1, 3, 1]
        assert labels(votes, "prompt") == ["u1", "u1", "u2", "u2", "u1", "w1"]
        assert labels(votes, "pair")[:3] == ["u1 qwen", "u1 qwen", "u2 qwen"]
        assert labels(votes, "category") == ["hard_prompt"] * 5 + ["creative_writing"]
        assert votes.ordered
        assert said(votes) == {
            "no-winner": "2 votes without a winner were excluded; 6 votes remain",
            "weighted-votes": "votes have weights, from 1 to 3",
        }

    def test_arena_hard_of_one_category(self) -> None:
        votes = read(VERDICTS / "arena_hard_v2.jsonl", {"only": {"category": ("hard_prompt",)}})
        assert (len(votes), votes.models) == (5, ("deepseek", "o3-mini", "qwen"))

    def test_a_baseline_without_a_name(self) -> None:
        votes = read(VERDICTS / "arena_hard_v0.1.jsonl")
        assert shown(votes)[:2] == [("baseline", "gpt-3.5", 1.0), ("gpt-3.5", "baseline", 0.0)]
        assert "nstar calls it baseline" in said(votes)["reader"]

    def test_fastchat_pairs(self) -> None:
        votes = read(VERDICTS / "gpt-4_pair.jsonl")
        assert shown(votes) == [
            ("alpaca", "vicuna", 0.0),
            ("vicuna", "alpaca", 1.0),
            ("alpaca", "vicuna", 1.0),
            ("vicuna", "alpaca", 0.5),
            ("gpt-4", "alpaca", 0.0),
        ]
        assert labels(votes, "judge") == ["gpt-4"] * 5
        assert votes.groups["pair"].count == 3
        assert votes.ordered
        assert said(votes) == {"no-winner": "1 vote without a winner was excluded; 5 votes remain"}

    def test_fastchat_answers_that_were_graded_apart(self, tmp_path: Path) -> None:
        match = {"question_id": 1, "model_1": "x", "model_2": "y", "g1_winner": "model_1"}
        match |= {"g2_winner": "model_1", "m1_score": 9, "m2_score": 3, "judge": ["g", "single"]}
        other = match | {"model_1": "y", "model_2": "x"}
        path = written(tmp_path, f"{json.dumps(match)}\n{json.dumps(other)}\n", "g_pair.jsonl")
        votes = read(path)
        assert (len(votes), votes.ordered) == (2, False)

    def test_fastchat_server_log(self) -> None:
        votes = read(VERDICTS / "2024-01-01-conv.json")
        assert shown(votes) == [
            ("alpaca", "vicuna", 1.0),
            ("koala", "alpaca", 0.0),
            ("vicuna", "alpaca", 0.5),
            ("koala", "vicuna", 0.5),
        ]
        assert labels(votes, "judge") == ["user 1", "user 2", "user 1", "user 3"]
        assert votes.both_bad == 1
        assert said(votes)["names-shown"].startswith("2 votes by people who saw")
        assert "still contains votes" in said(votes)["reader"]

    def test_alpaca_eval(self) -> None:
        votes = read(VERDICTS / "alpaca_annotations.json", {"covariates": ("length",)})
        assert shown(votes) == [
            ("gpt4", "small", 0.75),
            ("gpt4", "small", 0.5),
            ("gpt4", "small", 0.5),
            ("gpt4", "large", 0.0),
        ]
        assert votes.covariates["length"].tolist() == [[4, 19], [4, 4], [4, 4], [5, 6]]
        assert votes.groups["prompt"].count == 4
        assert (labels(votes, "judge")[0], votes.ordered) == ("weighted", False)

    def test_tidy_preferences(self) -> None:
        table = {"model": ["x", "y"], "reference": ["r", "r"], "item": [1, 1]}
        table |= {"preference": [0.75, 0.5], "len_model": [10, 20], "len_reference": [5, 5]}
        votes = read(table, {"covariates": ("length",)})
        assert shown(votes) == [("x", "r", 0.75), ("y", "r", 0.5)]
        assert votes.covariates["length"].tolist() == [[10, 5], [20, 5]]
        assert not votes.ordered

    @pytest.mark.parametrize(
        "name", ["arena_hard_v2.jsonl", "gpt-4_pair.jsonl", "2024-01-01-conv.json"]
    )
    def test_strange_verdicts(self, name: str, tmp_path: Path) -> None:
        first, errors = (VERDICTS / name).read_text("utf-8").splitlines()[1], []
        for value in hostile(json.loads(first)):
            if not isinstance(value, dict):
                continue
            path = written(tmp_path, f"{first}\n{json.dumps(value)}\n", "v.jsonl")
            try:
                read(path, skip_bad=10)
            except ReadError as error:
                errors.append(str(error))
        assert [e for e in errors if str(path) not in e] == []

    def test_bad_verdicts_name_file_and_line(self, tmp_path: Path) -> None:
        good = (VERDICTS / "arena_hard_v2.jsonl").read_text("utf-8").splitlines()[0]
        for change, problem in (
            ({"model": None}, "model and uid"),
            ({"games": []}, "games must be a list"),
            ({"games": [None] * 65}, "65 games of one prompt exceed the limit of 64"),
            ({"games": [{"score": "A>>>B"}]}, "winner 'A>>>B' is not model_a"),
            ({"games": [{"score": 5}]}, "winner '5' is not model_a"),
        ):
            line = json.dumps(json.loads(good) | change)
            path = written(tmp_path, f"{good}\n{line}\n", "v.jsonl")
            with pytest.raises(ReadError, match=rf"v\.jsonl:2: {problem}"):
                read(path)
            votes = read(path, skip_bad=1)
            assert (len(votes), "bad-rows" in said(votes)) == (2, True)


LLMFAO = {
    "judge": ["w1", "w2", "w1", "gpt4"],
    "source": ["crowd", "crowd", "crowd", "gpt4"],
    "question_id": ["8", "8", "9", "8"],
    "pair_id": ["0", "0", "1", "0"],
    "model_a": ["Weaver", "Weaver", "Dolly", "Weaver"],
    "model_b": ["Claude", "Claude", "Weaver", "Claude"],
    "winner": ["tie", "model_b", "model_a", "model_b"],
    "len_a": [79, 79, 12, 79],
    "len_b": [1585, 1585, 79, 1585],
}
"""Rows with the columns of LLMFAO's votes."""


class TestTables:
    @pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "json", "feather"])
    def test_files(self, form: str, tmp_path: Path) -> None:
        frame, path = pd.DataFrame(LLMFAO), tmp_path / f"votes.{form}"
        if form == "csv":
            frame.to_csv(path, index=False)
        elif form == "parquet":
            frame.to_parquet(path)
        elif form == "feather":
            pyarrow.feather.write_feather(pa.table(LLMFAO), path)
        else:
            frame.to_json(path, orient="records", lines=form == "jsonl")
        _check_llmfao(read(path, {"covariates": ("length",), "groups": ("source",)}))

    @pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
    def test_frames(self, make: Any) -> None:
        _check_llmfao(read(make(LLMFAO), {"covariates": ("length",), "groups": ("source",)}))

    def test_records(self) -> None:
        rows = pa.table(LLMFAO).to_pylist()
        _check_llmfao(read(rows, {"covariates": ("length",), "groups": ("source",)}))

    def test_only_some_votes(self) -> None:
        votes = read(LLMFAO, {"only": {"source": ("crowd",), "judge": ("w1",)}})
        assert shown(votes) == [("Weaver", "Claude", 0.5), ("Dolly", "Weaver", 1.0)]
        assert read(LLMFAO, {"only": {"source": ("gpt4",)}}).models == ("Claude", "Weaver")
        assert len(read(LLMFAO, {"only": {"prompt": ("9", "8")}})) == 4

    def test_values_that_no_vote_has(self) -> None:
        with pytest.raises(
            DataError, match=r"no votes match source = human. Available: crowd, gpt4"
        ):
            read(LLMFAO, {"only": {"source": ("human",)}})

    def test_groups_by_the_name_of_their_column(self) -> None:
        votes = read(LLMFAO, {"groups": ("question_id", "judge")})
        assert votes.groups["question_id"] is votes.groups["prompt"]
        assert labels(votes, "judge") == LLMFAO["judge"]

    def test_columns_that_are_named(self, tmp_path: Path) -> None:
        text = "one|two|who|q|rater|ans|visit|times\nx|y|x|1|k|p|s|2\ny|z|draw|2|k|r|t|1\n"
        columns = {"first": "one", "second": "two", "winner": "who", "prompt": "q"}
        columns |= {"judge": "rater", "pair": "ans", "session": "visit", "weight": "times"}
        votes = read(written(tmp_path, text), columns=tuple(columns.items()))
        assert shown(votes) == [("x", "y", 1.0), ("y", "z", 0.5)]
        assert votes.weight is not None
        assert votes.weight.tolist() == [2, 1]
        assert {n: labels(votes, n) for n in votes.groups} == {
            "prompt": ["1", "2"],
            "judge": ["k", "k"],
            "pair": ["p", "r"],
            "session": ["s", "t"],
        }

    def test_graded_scores(self) -> None:
        table = {"left": ["x", "y"], "right": ["y", "x"], "points": [0.25, None]}
        votes = read(table, columns=(("score", "points"),))
        assert shown(votes) == [("x", "y", 0.25)]
        assert said(votes)["no-winner"] == "1 vote without a winner was excluded; 1 vote remains"

    @pytest.mark.parametrize("names", [("winner", "loser"), ("chosen_model", "rejected_model")])
    def test_winners_and_losers(self, names: tuple[str, str]) -> None:
        votes = read({names[0]: ["x", "z", "y"], names[1]: ["y", "x", "x"]})
        assert votes.score.tolist() == [1, 1, 1]
        assert not votes.ordered

    def test_several_files_are_one(self, tmp_path: Path) -> None:
        frame = pd.DataFrame(LLMFAO)
        frame[:2].to_csv(tmp_path / "a.csv", index=False)
        frame[2:].drop(columns="pair_id").to_json(
            tmp_path / "b.jsonl", orient="records", lines=True
        )
        (tmp_path / "notes.txt").write_text("nothing")
        frame[["len_a"]].to_csv(tmp_path / "c.csv", index=False)
        votes = read(tmp_path)
        assert len(votes) == 4
        assert labels(votes, "prompt") == LLMFAO["question_id"]
        assert labels(votes, "pair") == ["0", "0", None, None]
        assert "2 files without votes ignored" in said(votes)["reader"]
        assert len(read([str(tmp_path / "a.csv"), str(tmp_path / "b.jsonl")])) == 4

    def test_preferences_in_words(self) -> None:
        table = {"model_1": ["x", "y"], "model_2": ["y", "x"], "preference": ["model_2", "x"]}
        assert read(table).score.tolist() == [0, 0]

    def test_votes_on_one_text_are_one_prompt(self) -> None:
        table = {"first": ["x", "y"], "second": ["y", "x"], "winner": ["tie", "tie"]}
        votes = read(table | {"prompt": ["Why?", "Why?"]})
        assert votes.groups["prompt"].count == 1
        assert votes.groups["prompt"].label(0) == "Why?"

    def test_hostile_names(self) -> None:
        names = ["a\nb", "x\x1b[31m", "=1+1", "<script>", "  ", "\u202eabc", "a" * 10_000]
        table = {"first": names[:4], "second": names[3:], "winner": names[:4]}
        with pytest.raises(ReadError, match="the frame:1: second is empty; every vote needs two"):
            read(table)
        votes = read(table, skip_bad=1)
        assert set(votes.models) <= set(names)

    def test_numbers_as_names(self) -> None:
        votes = read({"first": [1, 2], "second": [2, 3], "winner": [1.0, 3.0]})
        assert votes.models == ("1", "2", "3")


def _check_llmfao(votes: Votes) -> None:
    assert votes.models == ("Claude", "Dolly", "Weaver")
    assert votes.score.tolist() == [0.5, 0, 1, 0]
    assert labels(votes, "prompt") == LLMFAO["question_id"]
    assert labels(votes, "pair") == LLMFAO["pair_id"]
    assert labels(votes, "judge") == LLMFAO["judge"]
    assert labels(votes, "source") == LLMFAO["source"]
    assert votes.covariates["length"].T.tolist() == [LLMFAO["len_a"], LLMFAO["len_b"]]
    assert votes.ordered
    assert votes.findings == ()


class TestWinners:
    @pytest.mark.parametrize(
        ("words", "score"),
        [
            ("model_a A left Left 1 first model_1 leftvote A>B B<A", 1.0),
            ("model_b b right 2 second model_2 rightvote B>A A<B", 0.0),
            ("tie Draw equal tievote A=B bothbad both_bad neither", 0.5),
        ],
    )
    def test_words(self, words: str, score: float) -> None:
        for word in words.split():
            votes = read({"first": ["x"], "second": ["y"], "winner": [f" {word}"]})
            assert votes.score.tolist() == [score]

    @pytest.mark.parametrize("word", ["tie (bothbad)", "both_bad", "both bad", "bothbad"])
    def test_both_bad(self, word: str) -> None:
        assert read({"first": ["x"], "second": ["y"], "winner": [word]}).both_bad == 1

    @pytest.mark.parametrize("word", ["", None, "nan", "error", "None"])
    def test_nobody(self, word: str | None) -> None:
        votes = read({"first": ["x"] * 2, "second": ["y"] * 2, "winner": ["tie", word]})
        assert said(votes)["no-winner"] == "1 vote without a winner was excluded; 1 vote remains"

    def test_names(self) -> None:
        table = {"first": ["x", "x", "y"], "second": ["y", "z", "z"], "winner": ["y", "x", "tie"]}
        assert read(table).score.tolist() == [0, 1, 0.5]

    def test_names_that_are_words(self) -> None:
        """Two models called a and b: the column names the model, whatever its side."""
        votes = read({"first": ["a", "b"], "second": ["b", "a"], "winner": ["a", "a"]})
        assert shown(votes) == [("a", "b", 1.0), ("b", "a", 0.0)]

    def test_names_that_are_words_and_words(self) -> None:
        table = {"first": ["a", "b", "c"], "second": ["b", "a", "d"], "winner": ["a", "a", "b"]}
        with pytest.raises(ReadError, match="the winner 'a' could be a side or a model name"):
            read(table)

    def test_a_model_called_tie(self) -> None:
        table = {"first": ["x", "tie"], "second": ["tie", "x"], "winner": ["tie", "model_a"]}
        with pytest.raises(ReadError, match="the winner 'tie' could be a side or a model name"):
            read(table)

    def test_unknown_winners(self, tmp_path: Path) -> None:
        path = written(tmp_path, "model_a,model_b,winner\na,b,model_a\na,b,nobody\na,b,c\n")
        with pytest.raises(ReadError, match=r"v\.csv:3: winner 'nobody' is not model_a, model_b"):
            read(path)
        votes = read(path, skip_bad=2)
        assert len(votes) == 1
        assert said(votes)["bad-rows"].startswith("2 unreadable rows were skipped: ")

    def test_two_winners_at_once(self, tmp_path: Path) -> None:
        head = "model_a,model_b,winner_model_a,winner_model_b,winner_tie"
        path = written(tmp_path, f"{head}\na,b,1,1,0\n")
        with pytest.raises(ReadError, match=r"v\.csv:2: winner '1', '1', '0' is not model_a"):
            read(path)

    @pytest.mark.parametrize("value", ["1.5", "-0.1", "much"])
    def test_scores_off_the_scale(self, value: str, tmp_path: Path) -> None:
        path = written(tmp_path, f"first,second,score\na,b,0.5\na,b,{value}\n")
        with pytest.raises(ReadError, match=r"v\.csv:3: score must be a number from 0"):
            read(path)


class TestTrouble:
    @pytest.mark.parametrize(
        ("header", "problem"),
        [
            ("model_a,winner", "no columns for the two models of a vote"),
            ("model_a,model_b", "no winner column for model_a and model_b"),
            ("model,item,score", "has scores, not votes"),
        ],
    )
    def test_columns_that_lack(self, header: str, problem: str, tmp_path: Path) -> None:
        path = written(tmp_path, f"{header}\n" + ",".join("a" * (header.count(",") + 1)) + "\n")
        with pytest.raises(ReadError, match=problem) as error:
            read(path)
        assert f"Columns found: {header.replace(',', ', ')}" in str(error.value)
        assert 'columns={"' in str(error.value)
        with spelling(FlagSpeller()), pytest.raises(ReadError, match=r"columns \w+="):
            read(path)

    @pytest.mark.parametrize(
        ("columns", "problem"),
        [
            ({"winner": "who"}, r"no column 'who' \(for winner\). Columns found: judge, source"),
            ({"loser": "model_b"}, "no such part"),
        ],
    )
    def test_columns_that_are_not_there(self, columns: dict[str, str], problem: str) -> None:
        with pytest.raises(ReadError, match=problem):
            read(LLMFAO, columns=tuple(columns.items()))

    @pytest.mark.parametrize(
        ("wanted", "problem"),
        [
            ({"only": {"country": ("x",)}}, r"no column 'country' \(for only\)"),
            ({"groups": ("country",)}, r"no column 'country' \(for groups\)"),
            ({"covariates": ("bold",)}, "no columns with the values of 'bold' for both answers"),
            ({"covariates": ("len_a:len_c",)}, r"no column 'len_c' \(for covariates\)"),
        ],
    )
    def test_what_is_asked_for_is_not_there(self, wanted: Any, problem: str) -> None:
        with pytest.raises(ReadError, match=f"the frame: {problem}") as error:
            read(LLMFAO, wanted)
        assert "Columns found: judge, source, question_id" in str(error.value)

    def test_a_group_that_is_empty(self) -> None:
        table = {"first": ["x"], "second": ["y"], "winner": ["tie"], "room": [None]}
        with pytest.raises(DataError, match="room is empty in every vote"):
            read(table, {"groups": ("room",)})

    @pytest.mark.parametrize("weight", ["0", "-1", "", "many", "inf"])
    def test_weights_that_cannot_be(self, weight: str, tmp_path: Path) -> None:
        path = written(tmp_path, f"first,second,winner,weight\na,b,tie,2\na,b,a,{weight}\n")
        with pytest.raises(ReadError, match=r"v\.csv:3: weight must be a positive number; got"):
            read(path)
        assert len(read(path, skip_bad=1)) == 1

    def test_models_without_a_name(self, tmp_path: Path) -> None:
        path = written(tmp_path, "model_a,model_b,winner\na,b,tie\n,b,tie\na, ,tie\n")
        with pytest.raises(ReadError, match=r"v\.csv:3: first is empty; every vote needs two"):
            read(path)
        assert len(read(path, skip_bad=2)) == 1

    def test_covariates_that_are_no_numbers(self, tmp_path: Path) -> None:
        rows = "".join("a,b,tie,1,2\n" for _ in range(300))
        path = written(tmp_path, f"first,second,winner,len_a,len_b\n{rows}a,b,tie,long,2\n")
        with pytest.raises(
            ReadError, match=r"v\.csv: column 'len_a' must contain numbers; found 'l"
        ):
            read(path, {"covariates": ("length",)})

    def test_letters_of_texts(self) -> None:
        table = {"first": ["x", "y"], "second": ["y", "x"], "winner": ["tie", "tie"]}
        table |= {"says": ["abc", "é"], "replies": ["", "de"]}
        votes = read(table, {"covariates": ("says:replies",)})
        assert votes.covariates["says:replies"].tolist() == [[3, 0], [1, 2]]

    def test_columns_of_lists(self) -> None:
        table = {"first": ["x"], "second": ["y"], "winner": ["tie"], "tags": [["a"]]}
        with pytest.raises(
            ReadError, match=r"column 'tags' \(for groups\) contains lists, objects"
        ):
            read(table, {"groups": ("tags",)})

    def test_a_column_that_stands_twice(self, tmp_path: Path) -> None:
        path = written(tmp_path, "model_a,model_b,winner,winner\na,b,tie,tie\n")
        with pytest.raises(ReadError, match="column 'winner' is repeated"):
            read(path)

    def test_no_votes_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"v\.csv: no votes found$"):
            read(written(tmp_path, "model_a,model_b,winner\n"))
        with pytest.raises(DataError, match=r"no votes found \(1 without a winner excluded\)"):
            read({"first": ["a"], "second": ["b"], "winner": [None]})

    def test_only_votes_of_a_model_with_itself(self) -> None:
        with pytest.raises(DataError, match="all 1 are votes of a model against itself"):
            read({"first": ["a"], "second": ["a"], "winner": ["tie"]})

    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ReadError, match="no such file"):
            read(tmp_path / "none.csv")
        with pytest.raises(DataError, match="no votes found"):
            read(tmp_path)

    def test_too_many_models(self) -> None:
        names = [f"m{k}" for k in range(20)]
        table = {"first": names, "second": names[1:] + names[:1], "winner": ["tie"] * 20}
        with pytest.raises(ReadError, match="at least 20 model names, more than the limit of 10"):
            read(table, limits=Limits(names=10))

    def test_strange_values(self, tmp_path: Path) -> None:
        good = json.loads((VERDICTS / "arena_100k.json").read_text("utf-8"))[0]
        path, errors = tmp_path / "v.json", []
        for key in good:
            for value in STRANGE:
                path.write_text(json.dumps([good, {**good, key: value}]))
                try:
                    read(path, {"covariates": ("length", "bold")}, skip_bad=10)
                except NstarError as error:
                    errors.append(str(error))
        assert [e for e in errors if str(path) not in e] == []

    def test_damaged_parquet(self, tmp_path: Path) -> None:
        path = tmp_path / "v.parquet"
        path.write_bytes((ARENA / "votes_140k.parquet").read_bytes()[:500])
        with pytest.raises(ReadError, match=r"v\.parquet: not valid Parquet"):
            read(path)


def test_many_blocks(tmp_path: Path) -> None:
    """Groups, models and filters across blocks with dictionaries of their own."""
    rng, size = np.random.default_rng(1), 1_300_000
    first, second = rng.integers(0, 50, (2, size))
    second = (first + 1 + second % 49) % 50
    prompt, won = rng.integers(0, 5000, size), rng.integers(0, 3, size)
    words = np.array(["model_a", "model_b", "tie"])
    models = np.array([f"m{k:02d}" for k in range(50)])
    prompts = np.array([f"p{k}" for k in range(5000)])
    table = pa.table(
        {
            "model_a": pa.array(models[first]),
            "model_b": pa.array(models[second]),
            "winner": pa.array(words[won]),
            "prompt_id": pa.array(prompts[prompt]),
            "half": pa.array(np.arange(size) % 2),
        }
    )
    pq.write_table(table, tmp_path / "v.parquet")
    votes = read(tmp_path / "v.parquet", {"only": {"half": ("1",)}})
    kept = np.arange(size) % 2 == 1
    assert votes.models == tuple(f"m{k:02d}" for k in range(50))
    np.testing.assert_array_equal(votes.first, first[kept])
    np.testing.assert_array_equal(votes.second, second[kept])
    np.testing.assert_array_equal(votes.score, np.array([1, 0, 0.5])[won[kept]])
    group = votes.groups["prompt"]
    names = np.array([int(n[1:]) for n in group.names.to_pylist()])
    np.testing.assert_array_equal(names[group.codes], prompt[kept])


@pytest.mark.parametrize("quoted", ["p1", '"p\n1"', '"a ""b"" c"', '5" screen'])
def test_a_growing_table_is_read_up_to_its_last_whole_row(tmp_path: Path, quoted: str) -> None:
    """Wherever the writer is, inside quotes too; a stray quote hides no row that has its end."""
    row = f"x,y,model_a,{quoted}\n"
    rows = ["y,x,tie,p0\n", row, row]
    start = "model_a,model_b,winner,prompt\n" + rows[0]
    path, growing = tmp_path / "votes.csv", ReaderOptions(growing=True)
    for cut in range(2 * len(row) + 1):
        path.write_text(start + (rows[1] + rows[2])[:cut], "utf-8", newline="")
        votes = read_votes(str(path), growing)
        assert len(votes) == 1 + cut // len(row)
        told = any("the last line is incomplete" in f.text for f in votes.findings)
        assert told == bool(cut % len(row))


def test_growing_json_lines(tmp_path: Path) -> None:
    """An object that is whole counts without its line end: nothing can be added to it."""
    line = json.dumps({"model_a": "x", "model_b": "y", "winner": "tie"})
    path, growing = tmp_path / "votes.jsonl", ReaderOptions(growing=True)
    for cut in range(len(line) + 1):
        path.write_text(f"{line}\n{line}\n{line[:cut]}", "utf-8")
        votes = read_votes(str(path), growing)
        assert len(votes) == 2 + (cut == len(line))
        told = any("the last line is incomplete" in f.text for f in votes.findings)
        assert told == (0 < cut < len(line))
    path.write_text(f"{line}\n{line[:20]}", "utf-8")
    with pytest.raises(ReadError, match=r"votes\.jsonl:2"):
        read_votes(str(path))

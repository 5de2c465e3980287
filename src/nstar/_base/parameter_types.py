"""Types of parameters in the signatures of public functions.

For a type checker, ``Proportion`` is a float. The unit in the annotation defines the notation on
the command line, the check in Python, and the type in JSON.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, get_args

from nstar._base import units, value_lists
from nstar._base.units import (
    Column,
    Count,
    Limit,
    Names,
    ScoreGap,
    ScoreValue,
    Share,
    Source,
    Statistic,
    Text,
)

LimitName: TypeAlias = Literal["rows", "columns", "names", "cells", "unpacked", "kept"]
"""Name of a limit on the contents of a log."""
ErrorPolicy: TypeAlias = Literal["harness", "missing", "zero"]
"""Treatment of a sample that ended in an error."""
Coded: TypeAlias = Literal["harness", "missing", "zero", "keep"]
"""Treatment of a code such as -1."""
RunPolicy: TypeAlias = Literal["latest", "all"]
"""Rule for several logs of one model and task."""
Duplicates: TypeAlias = Literal["refuse", "mean", "first", "last", "runs"]
"""Rule for several rows of one model, item, and run."""
ItemChoice: TypeAlias = Literal["common", "pairwise"]
"""Choice between the items of all models and the items of each pair."""
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""Alternative hypothesis about the gap, A minus B."""
PairedTest: TypeAlias = Literal[
    "wilcoxon", "t", "sign-flip", "bootstrap", "mcnemar-exact", "mcnemar-midp"
]
"""Test of two models on independent items, by name."""
PlanAlternative: TypeAlias = Literal["two-sided", "greater"]
"""Alternative hypothesis of a planned test: any gap, or a gain."""
Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Function of the file, the bytes read, and the total number of bytes (None if unknown)."""

Proportion: TypeAlias = Annotated[float, Share()]
"""A proportion: 0.7, or ``70%`` on the command line."""
Gap: TypeAlias = Annotated[float, ScoreGap()]
"""A gap in score units: 0.01, or ``1pp`` on the command line."""
Score: TypeAlias = Annotated[float, ScoreValue()]
"""A score: 0.7, or ``70%`` on the command line."""
ItemCount: TypeAlias = Annotated[int, Count("items", minimum=1, metavar="N")]
"""A number of items."""
ModelCount: TypeAlias = Annotated[int, Count("models", metavar="K")]
"""A number of models."""
RowCount: TypeAlias = Annotated[int, Count("rows", minimum=0)]
"""A number of rows, which may be 0."""
Seed: TypeAlias = Annotated[int, Count("seed", minimum=0)]
"""A seed of random numbers."""
StatisticName: TypeAlias = Annotated[str | Callable[..., float], Statistic("STATISTIC")]
"""A metric that is not an average, such as ``f1``, or a function in Python."""
Name: TypeAlias = Annotated[str, Text("NAME")]
"""One name."""
MetricName: TypeAlias = Annotated[str, Text("METRIC")]
"""A metric, by name."""
GroupName: TypeAlias = Annotated[str, Text("GROUP")]
"""A group column, by name."""
Day: TypeAlias = Annotated[str, Text("DATE")]
"""A day, such as 2024-06-01."""
TaskNames: TypeAlias = Annotated[str | Sequence[str], Names("TASK")]
"""One task or several, by name."""
ModelPatterns: TypeAlias = Annotated[str | Sequence[str], Names("GLOB", "models")]
"""One pattern of model names or several, such as ``meta-*``."""
FieldNames: TypeAlias = Annotated[
    Sequence[str] | Mapping[str, Sequence[Any]], units.FieldNames("FIELD")
]
"""Fields of a log, or labels of items by field."""
Codes: TypeAlias = Annotated[Sequence[str], Names("CODE")]
"""Codes of findings."""
ColumnRoles: TypeAlias = Annotated[Mapping[str, str], Column()]
"""Columns by role."""
LimitValues: TypeAlias = Annotated[Mapping[str, int], Limit(get_args(LimitName))]
"""Limits by name."""
Scores: TypeAlias = Annotated[Any, Source("A")]
"""Scores of one model or two, in any form."""
OtherScores: TypeAlias = Annotated[Any, Source("B")]
"""Scores of a second model, in any form."""
KnownScores: TypeAlias = Annotated[Any, Source("KNOWN")]
"""Scores of models on all items, in any form."""
NewScores: TypeAlias = Annotated[Any, Source("NEW")]
"""Scores of a new model on some items, in any form."""
ItemWeights: TypeAlias = Annotated[Any, Source("FILE")]
"""Weights of items: a table, a mapping, or one number per item for arrays."""
Groups: TypeAlias = Annotated[str | Sequence[Any], units.GroupLabels("GROUP")]
"""A group column, or one label per item for arrays."""
Range: TypeAlias = Annotated[tuple[float, float], units.ScoreRange()]
"""The worst and the best possible score."""
Votes: TypeAlias = Annotated[Any, Source("VOTES…", is_repeatable=True)]
"""Votes between models, in any form."""
Logs: TypeAlias = Annotated[Any, Source("LOG…", is_repeatable=True)]
"""Scores of one model or two, in any form."""
VoteFilter: TypeAlias = Annotated[
    Mapping[str, str | Sequence[str]] | str | Sequence[str], units.FieldNames("COLUMN=VALUE")
]
"""Conditions on columns that select votes."""
GroupNames: TypeAlias = Annotated[str | Sequence[str], Names("GROUP")]
"""One group column or several, by name."""
ColumnNames: TypeAlias = Annotated[str | Sequence[str], Names("COLUMN")]
"""One column or several, by name."""
Covariates: TypeAlias = Annotated[str | Sequence[str], Names("length|COL_A:COL_B")]
"""``length``, or a pair of columns with one value for each answer."""
ColumnName: TypeAlias = Annotated[str, Text("COLUMN")]
"""One column, by name."""
ModelName: TypeAlias = Annotated[str, Text("MODEL", "models")]
"""One model, by name."""
TaskName: TypeAlias = Annotated[str, Text("TASK")]
"""One task, by name."""
PassRule: TypeAlias = Annotated[str, Text("M/N")]
"""A rule for the runs of a task: ``4/5`` if 4 of 5 must pass."""
PriorWeight: TypeAlias = Annotated[
    float, units.Number("WEIGHT", lambda x: x >= 0, "a weight. Use a number >= 0")
]
"""Weight of a tie, which may be 0."""
TaskMargins: TypeAlias = Annotated[Mapping[str, float], units.TaskMargins()]
"""Margins of individual tasks, by name."""
EvidenceFolder: TypeAlias = Annotated[Any, units.Folder()]
"""A folder with the evidence of a gate, or a history in memory."""
ModelLog: TypeAlias = Annotated[Any, Source("LOG")]
"""Scores of one model, in any form."""
VoteCount: TypeAlias = Annotated[int, Count("votes", minimum=1, metavar="N")]
"""A number of votes."""
BestCount: TypeAlias = Annotated[int, Count("models", minimum=1, metavar="K")]
"""A number of best models, one or more."""
Anchor: TypeAlias = Annotated[tuple[str, float], units.Rating()]
"""A model with its rating."""
Cost: TypeAlias = Annotated[
    float,
    units.Number(
        "money", lambda x: x >= 0, "an amount of money. Use a number such as 5000 or 0.02"
    ),
]
"""An amount of money in any currency."""
JudgeCosts: TypeAlias = Annotated[float | Mapping[str, float], units.Prices()]
"""Cost of one judgment, for all judges or for each judge."""
Correlation: TypeAlias = Annotated[
    float,
    units.Number("rho", lambda x: -1 < x < 1, "a correlation strictly between -1 and 1"),
]
"""A correlation, such as 0.5."""
JudgeCorrelation: TypeAlias = Annotated[
    float,
    units.Number(
        "r",
        lambda x: 0 <= x < 1,
        "a correlation of at least 0 and less than 1. Use a number such as 0.65",
    ),
]
"""A correlation between a judge and labels, which is not negative."""
StandardDeviation: TypeAlias = Annotated[
    float, units.Number("sd", lambda x: x >= 0, "a standard deviation. Use a number such as 0.3")
]
"""A standard deviation in score units."""
TaskCount: TypeAlias = Annotated[int, Count("tasks", metavar="N")]
"""A number of tasks."""
RunCounts: TypeAlias = Annotated[
    int | tuple[int, int], units.OneOrTwo(Count("runs", minimum=1), "N[,N]")
]
"""Runs per task, for both models or for each."""
RunCosts: TypeAlias = Annotated[
    float | tuple[float, float],
    units.OneOrTwo(
        units.Number(
            "money", lambda x: x >= 0, "an amount of money. Use a number such as 5000 or 0.02"
        ),
        "money[,money]",
    ),
]
"""Cost of a run, for both models or for each."""
RunSds: TypeAlias = Annotated[
    float | tuple[float, float],
    units.OneOrTwo(
        units.Number("sd", lambda x: x >= 0, "a standard deviation. Use a number such as 0.3"),
        "sd[,sd]",
    ),
]
"""Standard deviation over runs, for both models or for each."""
TokenPrices: TypeAlias = Annotated[
    float | str | tuple[float, float] | Mapping[str, Any], units.TokenPrices()
]
"""Cost of a million input and output tokens, for all models or for each."""
LabelCount: TypeAlias = Annotated[int, Count("labels", minimum=1, metavar="N")]
"""A number of labels."""
TiesAs: TypeAlias = Literal["half", "davidson", "drop"]
"""Treatment of ties."""
RankBy: TypeAlias = Literal["maxt", "holm"]
"""Adjustment for the number of pairs of rated models."""
Adjust: TypeAlias = Literal["maxt", "holm", "bonferroni", "bh", "none"]
"""Adjustment for the number of pairs of models."""
SampleUnit: TypeAlias = Literal["item", "task"]
"""Unit of an audit: items of tasks, or tasks with one score each."""
RankMeasure: TypeAlias = Literal["mean", "win-rate", "borda"]
"""Measure by which an audit of tasks ranks the models."""
Average: TypeAlias = Literal["macro", "micro"]
"""Average over tasks, in which tasks or items have equal weights."""
PairChoice: TypeAlias = Annotated[str, units.PairChoice()]
"""Pairs of models to list."""
PilotScores: TypeAlias = Annotated[Any, Source("LOG")]
"""Existing scores of one model or more, in any form."""
RaceSize: TypeAlias = Annotated[int, Count("models", minimum=3, metavar="N")]
"""A number of models, three or more."""
PilotVotes: TypeAlias = Annotated[Any, Source("VOTES")]
"""Existing votes between models, in any form."""
VoteTable: TypeAlias = Annotated[str, Source("VOTES")]
"""A table of votes between models."""
OtherPilotScores: TypeAlias = Annotated[Any, Source("LOG")]
"""Existing scores of a second model, in the same form."""
Boards: TypeAlias = Annotated[Any, Source("PATH…", is_repeatable=True)]
"""Scores of several models, in any form."""
OlderBoards: TypeAlias = Annotated[Any, Source("OLD")]
"""Scores of several models at an earlier time, or an audit of them, in any form."""
OlderVotes: TypeAlias = Annotated[Any, Source("OLD")]
"""Votes at an earlier time, or ratings from them, in any form."""
EloPoints: TypeAlias = Annotated[
    float, units.Number("ELO", lambda _: True, "a number. Use a value such as 20")
]
"""A gap in Elo points."""
Factor: TypeAlias = Annotated[
    float, units.Number("FACTOR", lambda _: True, "a number. Use a value such as 1.5")
]
"""A factor."""
Benchmark: TypeAlias = Literal["mmlu", "math", "gsm8k", "arc", "bbh", "mmlu-pro"]
"""A benchmark with a published correlation between models."""
Rho: TypeAlias = Annotated[float | str, units.Correlation(get_args(Benchmark))]
"""A correlation, or a benchmark with a published correlation."""
FirstPrinted: TypeAlias = Annotated[float | str, units.Printed("FIRST")]
"""The first of two reported values."""
SecondPrinted: TypeAlias = Annotated[float | str, units.Printed("SECOND")]
"""The second of two reported values."""
PrintedPValue: TypeAlias = Annotated[float | str, units.Printed("P")]
"""A reported p-value: 0.04, ``0.040``, or ``<0.05``."""
PrintedInterval: TypeAlias = Annotated[
    str | Sequence[float | str],
    units.PrintedList(
        "LOW,HIGH", (2,), "two limits in the form LOW,HIGH (for example, -1.2pp,2.8pp)"
    ),
]
"""A reported interval of a gap."""
PrintedGap: TypeAlias = Annotated[float | str, units.Printed("GAP")]
"""A reported gap, such as -2.34pp."""
PrintedErrors: TypeAlias = Annotated[
    float | str | Sequence[float | str],
    units.PrintedList("E[,E]", (1, 2), "one or two numbers (for example, 0.5 or 0.5,0.4)"),
]
"""Reported ± value: one for both scores, or one for each."""
SeedCounts: TypeAlias = Annotated[
    int | Sequence[int], units.OneOrTwo(Count("seeds"), metavar="N[,N]")
]
"""Number of training or decoding runs: one for both values, or one for each."""
SeedCount: TypeAlias = Annotated[int, Count("seeds")]
"""Number of training or decoding runs behind each value of a table."""
PlusMinusKind: TypeAlias = Literal["sd", "se", "ci"]
"""Meaning of ±: a standard deviation, a standard error, or half the width of an interval."""
PrintedTable: TypeAlias = Annotated[Any, Source("TABLE")]
"""A reported table, in any form."""
ListOfClaims: TypeAlias = Annotated[Any, Source("CLAIMS")]
"""A list of claims, in any form."""
BenchmarkItems: TypeAlias = Annotated[Any, units.CountOrFile("items", metavar="N|FILE")]
"""Number of items: one for each benchmark, or one for all."""
WinCount: TypeAlias = Annotated[int, Count("wins", minimum=0, metavar="WINS")]
"""A number of benchmarks on which a model is best."""
BenchmarkCount: TypeAlias = Annotated[int, Count("benchmarks", minimum=1, metavar="BENCHMARKS")]
"""A number of benchmarks."""
PlanRho: TypeAlias = Annotated[float | str, units.Correlation((*get_args(Benchmark), "unpaired"))]
"""A correlation, a benchmark with a published correlation, or models on different items."""
PlanRhos: TypeAlias = Annotated[
    float | Sequence[float] | str,
    units.OneOrSeveral(units.Correlation((*get_args(Benchmark), "unpaired")), "RHO,…|BENCHMARK"),
]
"""One correlation of this kind, or several numbers."""
Gaps: TypeAlias = Annotated[float | Sequence[float], units.OneOrSeveral(ScoreGap(), "gap,…")]
"""One gap or several."""
GapLadder: TypeAlias = Annotated[float | Sequence[float], units.OneOrSeveral(ScoreGap(), "gap,…")]
"""Gaps between adjacent models, from the best down."""
ModelRates: TypeAlias = Annotated[float | Sequence[float], units.OneOrSeveral(Share(), "share,…")]
"""Accuracies of several models."""
ItemCounts: TypeAlias = Annotated[int | Sequence[int], units.CountList(Count("items", minimum=2))]
"""One number of items or several."""
ModelCounts: TypeAlias = Annotated[int | Sequence[int], units.OneOrSeveral(Count("models"), "n,…")]
"""One number of models or several."""
SimulatedItems: TypeAlias = Annotated[
    int | Sequence[int], units.OneOrSeveral(Count("items"), "n,…")
]
"""One number of items or several. Lists for simulations cannot contain thousands separators."""
GridValues: TypeAlias = Annotated[float | Sequence[float], value_lists.ValueList()]
"""One value or several."""
ScenarioValues: TypeAlias = Annotated[Mapping[str, Any], value_lists.Assignments()]
"""Parameter values of a scenario, by name."""
Procedures: TypeAlias = Annotated[str | Sequence[str], value_lists.ProcedureNames("NAME,…")]
"""Names of tests or intervals."""
PilotDifferences: TypeAlias = Annotated[Any, Source("LOG", is_repeatable=True)]
"""Scores of two models, or their differences."""
ReplicationCount: TypeAlias = Annotated[int, Count("replications", minimum=1, metavar="N")]
"""A number of replications."""
Icc: TypeAlias = Annotated[
    float, units.Number("icc", lambda x: -1 <= x < 1, "a correlation. Use a number such as 0.05")
]
"""A correlation within clusters."""
ClusterSize: TypeAlias = Annotated[
    float, units.Number("n", lambda x: x >= 1, "a number of items. Use a number such as 10")
]
"""Mean number of items per cluster."""
ClusterCount: TypeAlias = Annotated[int, Count("clusters", metavar="n")]
"""A number of clusters."""
LookCount: TypeAlias = Annotated[int, Count("looks", minimum=1, maximum=100, metavar="n")]
"""A number of planned looks."""

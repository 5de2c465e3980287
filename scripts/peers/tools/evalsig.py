"""evalsig: a release gate between a harness and the decision to ship."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    "evalsig compare --baseline p1-B.json --candidate p1-A.json",
    "A paired test, an interval and the MDE beside every comparison, as nstar has them.",
)
PLAN = Probe(
    "plan",
    """evalsig mde --sd-diff 0.4049 --n-pairs 1000
evalsig mde --sd-diff 0.4049 --target-delta 0.008
evalsig mde --sd-diff 0.4049 --n-pairs 1000 --icc 0.2 --n-clusters 50
""",
    "MDE and items needed, with a design effect for clusters, from the standard deviation of the "
    "difference, which you must know.",
)
CLUSTERS = Probe(
    "clusters",
    "evalsig compare --baseline clustered-B.json --candidate clustered-A.json --cluster passage",
    "Resamples whole passages, and widens the MDE to match.",
)
PEEK = Probe(
    "peek",
    "evalsig watch --baseline p1-B.json --candidate p1-A.json --alternative two-sided",
    "A confidence sequence that may be looked at after every item.",
)
MISSING = Probe(
    "missing",
    "evalsig compare --baseline missing-B.json --candidate missing-A.json --output json",
    "Compares the common items and notes in its JSON how many there are; the report for people leaves the "
    "note out.",
    ("delta", "n_pairs", "only", "p_value"),
)
GATE = Probe(
    "gate",
    """evalsig gate --baseline p1-B.json --candidate p1-A.json --min-delta 0.02; echo exit status $?
evalsig gate --baseline clustered-B.json --candidate clustered-A.json --min-delta 0.02 --cluster passage; echo exit status $?
""",
    "Three answers with exit statuses of their own, and the items that an inconclusive one lacks. The "
    "question is superiority: is the candidate better? nstar's gate asks whether it may be worse.",
    ("delta:", "p-value", "detectable:", "VERDICT", "Suggestion", "exit status"),
)
READERS = Probe(
    "readers",
    """evalsig compare --format lm_eval --metric exact_match --baseline logs/lm-eval/B/samples_p1_*.jsonl \
  --candidate logs/lm-eval/A/samples_p1_*.jsonl
cp logs/inspect/*.eval . 2>/dev/null; set -- *_p1_*.eval
evalsig compare --format inspect --baseline $2 --candidate $1 2>&1 | tail -1
set -- logs/inspect-json/*.json
evalsig compare --format inspect --baseline $2 --candidate $1 2>&1 | tail -1
""",
    "Reads lm-eval's samples. Inspect's `.eval` is not read, nor its JSON of today, whose samples have "
    "`scores` where evalsig looks for `score`.",
    ("delta:", "n_pairs", "p-value", "Error", "error"),
)
NAMES = Probe(
    "names",
    'evalsig --help; python -c "import evalsig; print(*evalsig.__all__)"',
    "Corrections for many comparisons are functions of p-values; ranks, pages and repeated runs (only "
    "epoch 0 is used: read in the source) are not there.",
    (r"^    (compare|gate|mde|watch|doctor|history) ", "bonferroni"),
)
BIG = Probe(
    "big",
    """python -c "
import itertools, evalsig, numpy as np, pandas as pd
from evalsig.inference.mcnemar import mcnemar_test
x = pd.read_csv('big-wide.csv', index_col=0).to_numpy(float).T
p = [mcnemar_test(x[i], x[j]).p_value for i, j in itertools.combinations(range(200), 2)]
print(len(p), 'pairs;', evalsig.holm(np.array(p)).reject.sum(), 'different by Holm')
"
""",
    "Two runs at a time; a loop of your own over its test gets there.",
)
TOOL = Tool(
    name="evalsig",
    package="evalsig==0.1.2",
    extra=("pandas",),
    what="A gate between any harness and the decision to ship: paired tests, MDE, clusters, sequential "
    "monitoring, three answers.",
    better="A store of past runs with a history command; effect sizes (Cohen's d, Cliff's delta).",
    probes=(P1, PLAN, CLUSTERS, PEEK, MISSING, GATE, READERS, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": yes("plan", note="given the spread of the difference"),
        "tell": yes(
            "p1", "gate", note="the MDE beside each comparison; the gate compares it with yours"
        ),
        "clusters": yes("clusters"),
        "runs": no("names", note="the first epoch only"),
        "many": partly("names", note="corrections of p-values, no ranks"),
        "peek": yes("peek"),
        "missing": partly("missing", note="common items, a note in JSON"),
        "gate": partly("gate", note="of superiority"),
        "readers": partly("readers", note="lm-eval, HELM (read), Parquet"),
        "html": no("names", note="Markdown and JSON"),
        "big": yes("big", note="with a loop of your own"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

"""errorbars: standard errors, paired comparisons and leaderboards from logs."""

from peers.tool import Probe, Tool, no, partly, yes

COLUMN = "--question-col item"
P1 = Probe(
    "p1",
    f"errorbars compare p1.csv {COLUMN}",
    "The paired test as nstar has it, with the item correlation and what pairing has saved.",
    ("diff", "CI", "p-value", "correlation", "variance reduction"),
)
PLAN = Probe(
    "plan",
    """errorbars power --delta 0.008 --baseline 0.71 --rho 0.6
errorbars power --n 1000 --baseline 0.71 --rho 0.6
""",
    "Items or MDE from baseline and correlation, as nstar has them; runs of an item and a design effect "
    "can be given.",
    ("Questions needed", "Minimum detectable"),
)
CLUSTERS = Probe(
    "clusters",
    f"errorbars compare clustered.csv {COLUMN} --cluster-col passage",
    "The clustered standard error and interval, beside the naive ones.",
    ("paired SE", "CI"),
)
RUNS = Probe(
    "runs",
    f"errorbars compare runs.csv {COLUMN} --sample-col run",
    "Runs are averaged within a question, which is right; their part of the error is not told.",
    ("diff", "paired SE", "CI"),
)
MANY = Probe(
    "many",
    f"errorbars leaderboard ten.csv {COLUMN}",
    "Ranks with letters for what cannot be told apart, Holm over all pairs. Letters are about pairs; "
    "nstar's rank sets are about ranks.",
    (r"^ +\d+  m0", "sharing a group"),
)
MISSING = Probe(
    "missing",
    f"errorbars compare missing.csv {COLUMN}",
    "Compares the common items and counts those left out. What these could hide is left to the reader.",
    ("shared", "left out", "diff", "p-value"),
)
READERS = Probe(
    "readers",
    """errorbars compare A=logs/lm-eval/A B=logs/lm-eval/B
set -- logs/inspect/*.eval; errorbars compare A=$1 B=$2
""",
    "Finds out itself what each file is; for Inspect it uses Inspect (`errorbars[inspect]`).",
    ("shared", "diff"),
)
NAMES = Probe(
    "names",
    "errorbars --help",
    "No sequential test, margin or page (an SVG plot is there).",
    (r"^    (summarize|compare|leaderboard|power|import) ",),
)
BIG = Probe("big", f"errorbars leaderboard big.csv {COLUMN}", "All pairs, one by one.", first=4)
TOOL = Tool(
    name="errorbars",
    package="errorbars[inspect]==0.2.4",
    what="Error bars for evals: one model, two models, a leaderboard, a plan; from CSV, lm-eval or Inspect.",
    better="Starts in a third of a second and needs next to nothing; the shortest way from two logs to a "
    "paired interval.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MANY, MISSING, READERS, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": yes("plan"),
        "tell": partly("plan", note="the MDE is another command's answer"),
        "clusters": yes("clusters"),
        "runs": partly("runs", note="averaged; planned for"),
        "many": yes("many", note="tie letters, Holm"),
        "peek": no("names"),
        "missing": partly("missing", note="counted, not bounded"),
        "gate": no("names"),
        "readers": yes("readers", note="lm-eval, Inspect, CSV, JSONL"),
        "html": no("names", note="SVG, JSON"),
        "big": no("big"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

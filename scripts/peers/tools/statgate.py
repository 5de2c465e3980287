"""statgate: a non-inferiority gate for CI."""

from peers.tool import Probe, Tool, no, partly, yes

GATE = Probe(
    "gate",
    """for t in p1 missing; do for m in A B; do sed '1s/item_id/case_id/' $t-$m.csv > $t-$m-case.csv; done; done
statgate compare p1-B-case.csv p1-A-case.csv --margin 0.02; echo exit status $?
statgate compare p1-A-case.csv p1-B-case.csv --margin 0.02; echo exit status $?
""",
    "The question of nstar's gate and the same two answers, with exit statuses of their own and the pairs "
    "that an inconclusive one lacks.",
    ("SHIP|BLOCK|INCONCLUSIVE", "mean diff", "interval", "p-value", "needed", "exit status"),
)
PLAN = Probe(
    "plan",
    "statgate power --sd 0.4049 --n 1000 --effect 0.008",
    "Items, MDE and a table of suite sizes, from the spread of the difference or from two files.",
    ("detect",),
)
PEEK = Probe(
    "peek",
    "statgate sequential p1-B-case.csv p1-A-case.csv --margin 0.02 --max-cases 1000",
    "Runs the evaluation in batches, or replays one, and stops when the answer is clear.",
    ("SHIP|BLOCK|INCONCLUSIVE", "mean diff", "interval|sequence", "cases|looks|stopped"),
)
MISSING = Probe(
    "missing",
    "statgate compare missing-A-case.csv missing-B-case.csv --margin 0.02",
    "Compares the common cases, notes the others, and ships: what the missing ones could hide has no say.",
    ("SHIP|BLOCK|INCONCLUSIVE", "mean diff", "excluded"),
)
RUNS = Probe(
    "runs",
    """for m in A B; do
  (echo case_id,score; grep ^$m, runs.csv | cut -d, -f2,4) > runs-$m-case.csv
done
statgate compare runs-B-case.csv runs-A-case.csv --margin 0.05
""",
    "Runs are averaged within a case, which is right; their part of the error is not told.",
    ("mean diff", "interval", "baseline  ", "candidate  "),
)
NAMES = Probe(
    "names",
    "statgate --help; statgate compare --help",
    "Two runs, cases as independent, repeated cases averaged. No clusters, leaderboards, harness logs "
    "(promptfoo apart) or pages.",
    (r"^  (compare|power|sequential|validate) ", "adapter"),
)
TOOL = Tool(
    name="statgate",
    package="statgate==0.1.1",
    what="A non-inferiority gate for CI with three answers.",
    better="It drives the evaluation in batches itself, so that stopping early saves money without any "
    "wiring; settings in one file.",
    probes=(GATE, PLAN, RUNS, PEEK, MISSING, NAMES),
    cells={
        "evaluates": partly("peek", note="in batches, yours"),
        "paired": yes("gate", note="permutation test"),
        "plan": yes("plan"),
        "tell": yes("gate", "plan", note="inconclusive says how many"),
        "clusters": no("names"),
        "runs": partly("runs", note="averaged"),
        "many": no("names"),
        "peek": yes("peek"),
        "missing": partly("missing", note="noted"),
        "gate": yes("gate"),
        "readers": partly("names", note="promptfoo, CSV, JSON, JSONL"),
        "html": no("names", note="Markdown, JSON"),
        "big": no("names", note="two runs"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

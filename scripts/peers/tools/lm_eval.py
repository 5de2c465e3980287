"""lm-eval: the evaluation harness, whose table has a column of standard errors."""

from peers.tool import Probe, Tool, no, partly, yes

TABLE = (r"^\|",)
P1 = Probe(
    "p1",
    """for model in A B; do
  python lm_eval_table.py $model logs/lm-eval
done
""",
    "How sure is the score of *one* model, in the table that everybody pastes. Whether A beats B is "
    "another question; the samples it logs hold the answer, and nstar reads them.",
    TABLE,
)
NAMES = Probe(
    "names",
    """lm_eval --help | grep -A4 COMMAND
python -c "
import lm_eval.api.metrics as m
print(*[n for n in dir(m) if 'stderr' in n])
"
""",
    "Three commands, and standard errors of means and of groups of tasks. Clusters, pairs, plans and "
    "pages are not its subject. (Its repository has a script that compares two models by a z test of "
    "their two scores, as if each had answered other items: read, not run.)",
    ("run  ", "ls  ", "validate  ", "stderr"),
)
MISSING = Probe(
    "missing",
    "python lm_eval_table.py B logs/missing-lm-eval missing",
    "It scores what it is given: a run of 900 items looks like any other, but for the counts in its "
    "JSON.",
    TABLE,
)
TOOL = Tool(
    name="lm_eval",
    package="lm_eval==0.4.13",
    extra=("torch==2.13.0",),
    what="Runs evaluations. Its table gives each model's score with a standard error.",
    better="It is built in, free, and next to every score that people quote; it runs the evaluation.",
    probes=(P1, NAMES, MISSING),
    cells={
        "evaluates": yes("p1"),
        "paired": no("p1", note="another question: one model's score"),
        "plan": no("names"),
        "tell": no("names"),
        "clusters": no("names"),
        "runs": partly(note="`repeats` with filters such as majority vote"),
        "many": no("names"),
        "peek": no("names"),
        "missing": no("missing"),
        "gate": no("names"),
        "readers": partly("p1", note="its own logs"),
        "html": no("names"),
        "big": no("names", note="another question"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

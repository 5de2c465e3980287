"""evalci: a small library of intervals and paired tests."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    """evalci compare p1-A.csv p1-B.csv --method mcnemar
evalci compare p1-A.csv p1-B.csv --method permutation
""",
    "Paired McNemar, permutation and bootstrap tests, in one line that can be pasted.",
)
PLAN = Probe(
    "plan",
    """python -c "
import evalci
print(evalci.power(delta=0.008, baseline=0.706, rho=0.6))
for n in (20000, 40000, 50499):
    print(evalci.power(delta=0.008, n=n, baseline=0.706, rho=0.6, method='simulation', sims=500, random_state=0))
"
""",
    "By default the items for two models that answer *different* items, as its documentation says; `rho` has "
    "no effect there. The simulation is paired, but `rho` is the share of items on which both models get the "
    "same result, so that the gap shrinks with it: the power is that for 0.32 points, not 0.8.",
)
CLUSTERS = Probe(
    "clusters",
    """python -c "
import evalci, pandas as pd
d, passage = pd.read_csv('clustered-wide.csv'), pd.read_csv('clustered-A.csv').passage
print(evalci.cluster_ci((d.A - d.B).to_numpy(), passage.to_numpy(), random_state=0))
"
""",
    "An interval that resamples whole passages, for differences that you make yourself.",
)
RUNS = Probe(
    "runs",
    """python -c "
import evalci, pandas as pd
x = pd.read_csv('runs.csv').pivot(index=['item', 'run'], columns='model', values='score').reset_index()
print(evalci.cluster_ci((x.A - x.B).to_numpy(), x.item.to_numpy(), random_state=0))
"
""",
    "Runs of a task as a cluster: a valid interval. What is noise of runs and what of tasks is not told.",
)
MANY = Probe(
    "many",
    """python -c "
import evalci, pandas as pd
d = pd.read_csv('ten.csv').rename(columns={'item': 'item_id'}).assign(subset='all')
table = evalci.multi_compare(d, method='mcnemar', correction='holm')
print(evalci.report(table.head(8), format='markdown'))
"
""",
    "All pairs with Holm or BH, as Markdown or LaTeX. No ranks.",
)
MISSING = Probe(
    "missing",
    "evalci compare missing-A.csv missing-B.csv --method mcnemar",
    "Compares the 900 common items; n is all that tells.",
)
READERS = Probe(
    "readers",
    "evalci compare logs/lm-eval/A/samples_p1_*.jsonl logs/lm-eval/B/samples_p1_*.jsonl --method mcnemar",
    "Reads lm-eval's samples and HELM's per-instance statistics (the latter not tried).",
)
NAMES = Probe(
    "names",
    "evalci --help; python -c \"import evalci; print(*[n for n in dir(evalci) if n[0] != '_'])\"",
    "One command and seven functions. Nothing for looking while it runs, margins or pages.",
    ("compare  ", "cluster_ci"),
)
BIG = Probe(
    "big",
    """python -c "
import evalci, pandas as pd
d = pd.read_csv('big.csv').rename(columns={'item': 'item_id'}).assign(subset='all')
print(len(evalci.multi_compare(d, method='mcnemar', correction='holm')), 'pairs')
"
""",
    "Every pair is bootstrapped for its interval, whatever the test.",
)
TOOL = Tool(
    name="evalci",
    package="evalci==0.1.0",
    what="Intervals and paired tests for arrays and tables, in a small library that is checked against "
    "statsmodels.",
    better="Seven functions, each checked against an independent reference, and quickly read through.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MANY, MISSING, READERS, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": partly("plan", note="for two separate samples; no MDE"),
        "tell": no("names"),
        "clusters": yes("clusters", note="from Python"),
        "runs": partly("runs", note="runs as clusters"),
        "many": partly("many", note="all pairs with Holm or BH, no ranks"),
        "peek": no("names"),
        "missing": no("missing", note="common items, told by n alone"),
        "gate": no("names"),
        "readers": partly("readers", note="lm-eval, HELM, CSV"),
        "html": no("names", note="Markdown and LaTeX"),
        "big": no("big"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

"""deltagate: verdicts on a gap, with numpy and nothing else."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    """python -c "
from deltagate.adapters import RawScoresAdapter, compare_runs
print(compare_runs(RawScoresAdapter(id_key='item_id'), 'p1-A.csv', 'p1-B.csv').render())
"
""",
    "A paired test with the MDE beside it, and *unresolved* where the gap is below that: the same verdict "
    "as nstar's. McNemar's test is there too (`mcnemar_from_scores`).",
)
PLAN = Probe(
    "plan",
    """python -c "
import deltagate as dg
print(dg.min_samples_for_delta(0.008, 0.4049), dg.minimum_detectable_delta(1000, 0.4049))
"
""",
    "Items needed and MDE, from the standard deviation of the difference, which you must know.",
)
CLUSTERS = Probe(
    "clusters",
    """python -c "
import csv, deltagate as dg
rows = list(csv.DictReader(open('clustered-wide.csv')))
passage = [r['passage'] for r in csv.DictReader(open('clustered-A.csv'))]
found = dg.paired_delta([float(r['A']) for r in rows], [float(r['B']) for r in rows], clusters=passage)
print({k: round(v, 4) for k, v in found.items()})
"
""",
    "The clustered standard error that nstar has too, with the design effect (normal quantiles).",
)
RUNS = Probe(
    "runs",
    """python -c "
import csv, deltagate as dg
score = {(r['model'], r['item'], r['run']): float(r['score']) for r in csv.DictReader(open('runs.csv'))}
keys = sorted(k[1:] for k in score if k[0] == 'A')
found = dg.paired_delta([score['A', *k] for k in keys], [score['B', *k] for k in keys], clusters=[k[0] for k in keys])
print({k: round(v, 4) for k, v in found.items()})
"
""",
    "Runs of a task as a cluster: a valid interval. What is noise of runs and what of tasks is not told.",
)
MANY = Probe(
    "many",
    """python -c "
import csv, itertools, deltagate as dg
rows = list(csv.reader(open('ten-wide.csv')))
x = {m: [float(r[k]) for r in rows[1:]] for k, m in enumerate(rows[0]) if k}
p = [dg.mcnemar_from_scores(x[a], x[b]).p_value for a, b in itertools.combinations(x, 2)]
print(dg.holm_bonferroni(p).num_rejected, 'of', len(p), 'pairs different by Holm')
"
""",
    "Two models at a time, on one task or a suite; Holm and BH are functions of p-values. Also a "
    "correction for the best of many variants that were tried (`deflated_delta`). No ranks.",
)
MISSING = Probe(
    "missing",
    """python -c "
from deltagate.adapters import RawScoresAdapter, compare_runs
compare_runs(RawScoresAdapter(id_key='item_id'), 'missing-A.csv', 'missing-B.csv')
" 2>&1 | tail -1
""",
    "Refuses, and names the items. On purpose: a mismatch usually means a broken run.",
)
READERS = Probe(
    "readers",
    """python -c "
import glob
from deltagate.adapters import InspectLogAdapter, LMEvalHarnessAdapter, compare_runs
a, b = (glob.glob(f'logs/lm-eval/{m}/samples_p1_*.jsonl')[0] for m in 'AB')
print(compare_runs(LMEvalHarnessAdapter(metric='exact_match'), a, b).render())
for logs in ('logs/inspect-json/*.json', 'logs/inspect/*.eval'):
    print(compare_runs(InspectLogAdapter(scorer='match'), *sorted(glob.glob(logs))).render())
" 2>&1
""",
    "Reads lm-eval's samples and Inspect's JSON. The `.eval` of today is packed with zstd, which the zip "
    "module of this Python does not know.",
    ("n=1000  mean", "p=", "Error:"),
)
NAMES = Probe(
    "names",
    'python -c "import deltagate; print(*deltagate.__all__)"',
    "A library without a command line. No sequential test, no margin, no page.",
)
BIG = Probe(
    "big",
    """python -c "
import csv, itertools, numpy as np, deltagate as dg
x = np.loadtxt('big-wide.csv', delimiter=',', skiprows=1, usecols=range(1, 201)).T
p = [dg.mcnemar_from_scores(x[i], x[j]).p_value for i, j in itertools.combinations(range(200), 2)]
print(len(p), 'pairs;', dg.holm_bonferroni(p).num_rejected, 'different by Holm')
"
""",
    "Two models at a time; a loop of your own over its test.",
)
TOOL = Tool(
    name="deltagate",
    package="deltagate==0.1.1",
    what="Verdicts on the gap of two runs, and on suites of tasks, as a library with numpy alone.",
    better="The smallest dependency tree; a correction for having picked the best of many variants of "
    "which only the best is kept, which nstar does not have.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MANY, MISSING, READERS, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": yes("plan", note="given the spread of the difference"),
        "tell": yes("p1", note="the verdict says so"),
        "clusters": yes("clusters"),
        "runs": partly("runs", note="runs as clusters"),
        "many": partly("many", note="Holm and BH for suites and p-values, no ranks"),
        "peek": no("names"),
        "missing": partly("missing", note="refuses"),
        "gate": no("names", note="a verdict on the gap, without a margin"),
        "readers": partly("readers", note="lm-eval, Inspect as JSON, CSV"),
        "html": no("names", note="text"),
        "big": yes("big", note="with a loop of your own"),
        "judge": no("names"),
        "votes": no("names"),
    },
)

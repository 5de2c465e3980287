"""evalconfidence: paired comparisons, clustered errors and power, in Python."""

from peers.tool import Probe, Tool, no, partly, yes

HEAD = """python -c "
import pandas as pd, evalconfidence as e
def read(path, **how):
    t = pd.read_csv(path)
    one = lambda m: e.from_dataframe(t[t.model == m], item_id='item', model_id='model', **how)
    return one('A'), one('B')
"""
P1 = Probe(
    "p1",
    HEAD + "print(e.compare(*read('p1.csv')))\n\"",
    "The gap, its interval and what pairing was worth, in two sentences.",
)
PLAN = Probe(
    "plan",
    HEAD + "ab = read('p1.csv')\nprint(e.power(ab, mde=0.008))\nprint(e.power(ab, n=1000))\n\"",
    "Items for a gap or the gap for so many items, from the variance of a pilot.",
)
CLUSTERS = Probe(
    "clusters",
    HEAD + "ab = read('clustered.csv', cluster_id='passage')\n"
    'print(e.compare(*ab)); print(e.standard_error(ab[0])); print(e.power(ab, n=1000))\n"',
    "Errors of one score with clusters beside those without, and in plans; the comparison itself takes items "
    "as independent.",
)
RUNS = Probe(
    "runs",
    HEAD
    + "ab = read('runs.csv', epoch='run')\nprint(e.compare(*ab)); print(e.standard_error(ab[0]))\n\"",
    "Found by themselves and averaged within an item, which is right.",
)
MISSING = Probe(
    "missing",
    HEAD + "print(e.compare(*read('missing.csv')))\n\"",
    "Compares the common items, and says that the others were left out.",
)
NAMES = Probe(
    "names",
    'python -c "import evalconfidence as e; print(*e.__all__)"',
    "Three questions, asked in Python, and a reader of Inspect's logs. No leaderboards, sequential tests, "
    "margins or pages.",
)
TOOL = Tool(
    name="evalconfidence",
    package="evalconfidence==0.1.1",
    what="Paired comparisons, clustered errors and power for results that other frameworks have made.",
    better="Three functions, well explained, that print sentences: what pairing was worth in items is told "
    "with every comparison.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MISSING, NAMES),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": yes("plan"),
        "tell": partly("plan", note="the MDE is another function's answer"),
        "clusters": partly("clusters", note="of one score, and in plans"),
        "runs": partly("runs", note="averaged"),
        "many": no("names"),
        "peek": no("names"),
        "missing": partly("missing", note="noted"),
        "gate": no("names"),
        "readers": partly("names", note="Inspect, data frames"),
        "html": no("names"),
        "big": no("names", note="two runs"),
        "judge": no("names", note="planned"),
        "votes": no("names"),
    },
    extra=("pandas",),
)

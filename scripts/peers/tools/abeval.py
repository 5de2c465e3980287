"""abeval: A/B-test statistics for evals, standard library only."""

from peers.tool import Probe, Tool, no, partly, yes

ROWS = """for t in p1 missing clustered; do for m in A B; do
  grep ^$m, $t.csv | sed -E 's/^.,([^,]*)(,(p[0-9]+))?,(.)$/{"id": "\\1", "passage": "\\3", "score": \\4}/' > $t-$m.jsonl
done; done
grep ^A, runs.csv | sed -E 's/^A,(.*),.*,(.)$/{"id": "\\1", "score": \\2}/' > runs-A.jsonl
"""
P1 = Probe(
    "p1",
    ROWS + "abeval compare p1-B.jsonl p1-A.jsonl",
    "Permutation, t and exact McNemar side by side, with an interval.",
)
PLAN = Probe(
    "plan",
    "abeval power --baseline 0.71 --delta 0.008 --corr 0.6",
    "Items for a gap, and the gap for some numbers of items; the correlation must be given.",
)
CLUSTERS = Probe(
    "clusters",
    "abeval ci clustered-A.jsonl\nabeval ci clustered-A.jsonl --cluster-key passage",
    "For the mean of one run only, and not of 0/1 scores: the key changes nothing here, and nothing says so.",
)
RUNS = Probe(
    "runs",
    "abeval compare runs-A.jsonl runs-A.jsonl\nabeval reliability runs-A.jsonl",
    "A comparison refuses them. Repeated judgments of an item have a command of their own: how much of the "
    "spread is noise, and how many repeats would do.",
)
MISSING = Probe(
    "missing",
    "abeval compare missing-B.jsonl missing-A.jsonl",
    "Compares the common items and counts the others. What these could hide is left to the reader.",
)
NAMES = Probe(
    "names",
    "abeval --help",
    "Four commands. No leaderboards, sequential tests, margins, harness logs or pages.",
    (r"^    (ci|compare|power|reliability) ",),
)
TOOL = Tool(
    name="abeval",
    package="abeval==0.1.0",
    what="A/B-test statistics for evals in four commands, with no dependency at all.",
    better="Needs nothing but Python; splits the spread of repeated judgments into items and judge, and says "
    "how many repeats would do; a calculator on the web.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MISSING, NAMES),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": yes("plan"),
        "tell": partly("plan", note="the MDE is another command's answer"),
        "clusters": partly("clusters", note="one run, graded scores"),
        "runs": partly("runs", note="of a judge"),
        "many": no("names"),
        "peek": no("names"),
        "missing": partly("missing", note="counted, not bounded"),
        "gate": no("names"),
        "readers": no("names", note="JSONL"),
        "html": no("names", note="JSON"),
        "big": no("names", note="two runs"),
        "judge": partly("runs", note="its noise, not its bias"),
        "votes": no("names"),
    },
)

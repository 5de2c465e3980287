"""evaltrust: one verdict on how far an evaluation's conclusion can be trusted."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    "for t in p1 missing ten runs big; do sed '1s/item/id/' $t.csv > $t-id.csv; done\n"
    "evaltrust audit p1-id.csv --plain --explain",
    "One verdict, then each check with what it rests on. Equivalent means within 5 points unless another "
    "margin is given; enough items means enough for an effect size, not for the gap at hand.",
    ("CONFIDENCE", "quality difference", r"^  \[", "p = ", "CI \\["),
)
CLUSTERS = Probe(
    "clusters",
    """python -c "
import csv
from evaltrust import EvalData, Example, run_audit
rows = {}
for r in csv.DictReader(open('clustered.csv')):
    rows.setdefault((r['item'], r['passage']), {})[r['model']] = float(r['score'])
every = [Example(id=i, group_id=g, scores=s) for (i, g), s in rows.items()]
found = run_audit(EvalData(models=['A', 'B'], examples=every, source_format='own'))
print(*[f.title + ': ' + f.how_detected for f in found.findings[:2]], sep='\\n')
"
""",
    "Passages can be given in Python; files do not carry them. Graded scores are then resampled by whole "
    "passages; the test of 0/1 scores takes items as independent, and says so.",
)
RUNS = Probe(
    "runs",
    "evaltrust audit runs-id.csv --plain --explain",
    "Says whether the winner changes from run to run, and how noisy the gap is.",
    ("CONFIDENCE", "rerun", "p = "),
)
MARGIN = Probe(
    "margin",
    "evaltrust audit p1-id.csv --plain --equivalence-margin 0.02 --fail-under high; echo exit status $?",
    "A margin for equivalence, which 1,000 items do not show here, and a status for CI.",
    ("CONFIDENCE", r"^  \[(warn|fail|ok)", "exit status"),
)
MANY = Probe(
    "many",
    "evaltrust audit ten-id.csv --plain --all-pairs --correction holm",
    "All pairs with one correction, Bonferroni's or Holm's, and how often resampling keeps each place. No "
    "rank sets or tiers.",
    ("comparing", "CONFIDENCE", "All-pairs:", "Rank stability"),
)
MISSING = Probe(
    "missing",
    "evaltrust audit missing-id.csv --plain",
    "Compares the 900 common items. That 100 are gone, all of them failures of B, is not said.",
    ("EvalTrust", "CONFIDENCE", r"^  \[", r"^  - "),
)
HTML = Probe(
    "html",
    "evaltrust audit p1-id.csv --html page.html > said.txt; wc -c < page.html",
    "One small page that needs nothing else; Markdown and JSON too.",
)
NAMES = Probe(
    "names",
    "evaltrust audit --help; "
    'python -c "import pathlib, evaltrust.adapters as a; '
    "print('adapters', *sorted(p.stem for p in pathlib.Path(a.__file__).parent.glob('*.py')))\"",
    "No plan before a run and no sequential tests; results of many frameworks; judges are checked against "
    "each other and against a human one.",
    ("reference-judge", "equivalence-margin", "all-pairs", "slice-by", "adapters"),
)
TOOL = Tool(
    name="evaltrust",
    package="evaltrust==0.7.0",
    what="Audits an evaluation's conclusion: one verdict (high, moderate, low confidence), and what to do next.",
    better="Checks judges too: do several agree, does the AI judge match a human one. Reads nine frameworks, "
    "DeepEval, Ragas, LangSmith and promptfoo among them; several metrics at once; `diff` between releases.",
    probes=(P1, CLUSTERS, RUNS, MARGIN, MANY, MISSING, HTML, NAMES),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": partly("p1", note="items for an effect size, after a run"),
        "tell": partly(
            "p1", note="by effect size: “sufficient” where the gap of 0.8 pp needs 20,111 items"
        ),
        "clusters": partly("clusters", note="graded scores, in Python"),
        "runs": partly("runs", note="does the winner change"),
        "many": partly("many", note="all pairs, stability of places"),
        "peek": no("names"),
        "missing": no("missing", note="not said"),
        "gate": yes("margin", note="equivalence"),
        "readers": yes("names", note="nine frameworks, CSV, JSON"),
        "html": yes("html"),
        "big": no("many", note="45 pairs of 2,000 items take 12 s"),
        "judge": partly("names", note="agreement with a human judge, no correction"),
        "votes": partly("names", note="of two models"),
    },
)

"""judgy: the success rate behind an LLM judge."""

from peers.tool import Probe, Tool, no, yes

JUDGE = Probe(
    "judge",
    """python -c "
import csv, numpy as np
from judgy import estimate_success_rate
np.random.seed(1)
rows = list(csv.DictReader(open('judged.csv')))
for model in 'AB':
    mine = [r for r in rows if r['model'] == model]
    seen = [r for r in mine if r['human']]
    rest = [int(r['judge']) for r in mine if not r['human']]
    human, judge = ([int(r[k]) for r in seen] for k in ('human', 'judge'))
    found = estimate_success_rate(human, judge, rest)
    print(model, 'judge says %.3f,' % np.mean(rest), 'corrected %.3f (%.3f to %.3f)' % found)
"
""",
    "Both models are right in 60% of the items; the judge lets more than a third of A's faults pass. With "
    "100 labels both intervals hold the truth, that of A being wide; the judge alone has A 13 points ahead.",
)
NAMES = Probe(
    "names",
    'python -c "import judgy; print(*judgy.__all__)"',
    "One question, of one model at a time; no gap of two models.",
)
TOOL = Tool(
    name="judgy",
    package="judgy==0.1.0",
    what="Estimates the true success rate of one model from an LLM judge and some human labels.",
    better="It corrects one model's rate by labels of other items than the judged ones; from the command line "
    "nstar corrects gaps by labels of these.",
    probes=(JUDGE, NAMES),
    cells={
        "evaluates": no("names"),
        "judge": yes("judge"),
        **{
            row: no("names")
            for row in (
                "paired", "plan", "tell", "clusters", "runs", "many", "peek", "missing", "gate",
                "readers", "html", "big", "votes",
            )
        },
    },
)  # fmt: skip

"""evalstats: intervals and tests for comparing models and prompts, small samples above all."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    "evalstats analyze p1.csv --p-values",
    "Paired mid-p and an interval, as nstar has them, with the method named under the table. "
    "The hints on what more inputs could see come from the width of the interval, not from power: "
    "a gap of ±half a width is missed every other time.",
    (r"^  A  +B .*0\.5335", "95% CI method: Bonett", "Tied with", "gaps smaller", "Rough guide"),
)
PLAN = Probe(
    "plan",
    """python -c "
import pandas as pd, evalstats as es
data = es.load_from(pd.read_csv('p1.csv'))
es.compare(data, factors='model', min_meaningful_diff=0.008).summary()
"
""",
    "Items for a gap that you name, from data you already have. The rule makes the whole interval as "
    "narrow as the gap, which is more than 80% power needs. There is no plan without data.",
    ("To have a reasonable shot", "try roughly"),
)
CLUSTERS = Probe(
    "clusters",
    """python -c "
import pandas as pd, evalstats as es
data = es.load_from(pd.read_csv('clustered.csv'))
for block in ('auto', 'passage'):
    result = es.compare(data, factors='model', block=block).to_dict()
    pair = result['pairwise'][0]
    print(block, result['methods']['design']['n_items'], [round(pair[k], 4) for k in ('diff', 'ci_low', 'ci_high', 'p_value')])
"
""",
    "Items count as independent unless `block=` names the passages, whose means are then compared: a "
    "fair answer where passages are equally long. The command line has no such option.",
)
RUNS = Probe(
    "runs",
    "evalstats analyze runs.csv",
    "Run noise and task noise apart, consistency of each model, and an interval that allows for both.",
    (
        r"^  [AB] .*(noisy|stable)",
        r"^  A  +B .*\+0\.014",
        "95% CI method: Bonett_price",
        "Run-to-run",
    ),
)
MANY = Probe(
    "many",
    "evalstats analyze ten.csv --p-values",
    "Simultaneous intervals, step-down p-values (Romano–Wolf) and bands of models that cannot be told "
    "apart. Bands overlap, as they must. nstar asks for more: rank sets that hold for all models.",
    ("Simultaneous CI method", r"^    #\d+–#\d+:", "m00[15] .*(Tied|drop)"),
)
MISSING = Probe(
    "missing",
    "evalstats analyze missing.csv; echo exit status $?",
    "Refuses, and says which cells are missing and what one can do. `complete_items()` then drops the "
    "items and reports how many; what the lost ones could hide is left to the reader.",
    ("error", "All prompts must", "exit status", "q00010"),
)
NAMES = Probe(
    "names",
    'evalstats --help; python -c "import evalstats; print(*evalstats.__all__)"',
    "Two commands. Nothing for looking while it runs, margins, or logs of harnesses; charts are "
    "pictures and terminal plots, not pages.",
    ("analyze  ", "label  ", "load_from"),
)
METHODS = Probe(
    "methods",
    """python -c "
import typing
from evalstats.core import types
names = [typing.get_args(v) for v in vars(types).values() if 'bca' in typing.get_args(v)]
print(*names[0])
"
""",
    "Ways to make an interval or a p-value, each backed by its authors' simulations. No other tool "
    "here has as many.",
)
BIG = Probe(
    "big",
    "evalstats analyze big.csv --brief",
    "Built for small samples; 200 models are not its case.",
    ("Parsed:",),
)
JUDGE = Probe(
    "judge",
    "evalstats analyze judged.csv --metric judge --human-groundtruth human --label-selection random --brief",
    "Both models are right in 60% of the items; the judge lets more than a third of A's faults pass. 100 "
    "human labels mend it, in means, intervals and the comparison.",
    ("Alignment set", "Cohen's κ", "Spread of", "Mean  ", r"^  [AB]  +#"),
)
TOOL = Tool(
    name="evalstats",
    package="evalstats==0.3.3",
    what="Compares models and prompts from a table: which one is better, how stable, and can the judge "
    "be trusted. Made for small samples, with good words and terminal plots.",
    better="The choice of interval methods; prompts as well as models; correction of LLM judges by human "
    "labels (prediction-powered inference), for one model too; its guide.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MANY, MISSING, NAMES, METHODS, BIG, JUDGE),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1", "methods"),
        "plan": partly("plan", note="from data, by the width of an interval; no power"),
        "tell": partly("p1", note="a hint on gaps that are invisible, by width"),
        "clusters": partly("clusters", note="from Python, by comparing means of passages"),
        "runs": yes("runs"),
        "many": yes("many", note="bands and step-down tests"),
        "peek": no("names"),
        "missing": partly("missing", note="refuses, or drops and reports"),
        "gate": no("names"),
        "readers": no("names", note="CSV, Excel, data frames"),
        "html": no("names", note="PNG charts, Markdown, JSON"),
        "big": no("big"),
        "judge": yes("judge"),
        "votes": no("names"),
    },
)

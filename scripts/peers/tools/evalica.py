"""evalica: ratings from votes, fast."""

from peers.tool import Probe, Tool, no, yes

VOTES = Probe(
    "votes",
    """python -c "
import csv
from evalica import Winner, bradley_terry
rows = list(csv.DictReader(open('votes.csv')))
won = [Winner.X if r['winner'] == 'model_a' else Winner.Y for r in rows]
found = bradley_terry([r['model_a'] for r in rows], [r['model_b'] for r in rows], won)
print(found.scores.sort_values(ascending=False).round(4).to_string())
"
""",
    "Bradley-Terry strengths of six models from 5,000 votes; true ones fall by 0.12 in logarithm from each to "
    "the next.",
)
NAMES = Probe(
    "names",
    "evalica --help",
    "Votes (Elo, Bradley-Terry, Newman, eigenvector, PageRank; bootstrap intervals) and Krippendorff's alpha; "
    "nothing about scores of items.",
    (r"^    (pairwise|alpha) ",),
)
TOOL = Tool(
    name="evalica",
    package="evalica==0.4.2",
    what="Ratings of models from votes between two of them, and agreement of raters.",
    better="It rates votes in five ways; nstar rates them by Bradley–Terry and Davidson only.",
    probes=(VOTES, NAMES),
    cells={
        "evaluates": no("names"),
        "votes": yes("votes"),
        **{
            row: no("names")
            for row in (
                "paired", "plan", "tell", "clusters", "runs", "many", "peek", "missing", "gate",
                "readers", "html", "big", "judge",
            )
        },
    },
)  # fmt: skip

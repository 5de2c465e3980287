"""arena-rank: the ratings of a public arena."""

from peers.tool import Probe, Tool, no, yes

VOTES = Probe(
    "votes",
    """python -c "
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
data = PairDataset.from_pandas(pd.read_csv('votes.csv'))
found = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
print(pd.DataFrame(found).sort_values('ratings', ascending=False).round(1).to_string(index=False))
"
""",
    "Ratings with sandwich intervals, as the arena prints them.",
)
NAMES = Probe(
    "names",
    'python -c "import arena_rank, pkgutil; print(*[m.name for m in pkgutil.walk_packages(arena_rank.__path__)])"',
    "Models of votes, also with style and voter as covariates; nothing about scores of items.",
)
TOOL = Tool(
    name="arena_rank",
    package="arena-rank==0.1.1",
    what="Ratings of models from votes, as a public arena computes them.",
    better="It takes the voter as a covariate; nstar takes voters as clusters only.",
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

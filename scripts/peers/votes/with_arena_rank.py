"""arena-rank on votes.csv, called as its README does: Bradley–Terry with sandwich intervals.

python with_arena_rank.py votes.csv > arena_rank.json, in an environment of its own
"""

import json
import sys
import time

import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

votes = pd.read_csv(sys.argv[1])
start = time.process_time()
data = PairDataset.from_pandas(votes)
model = BradleyTerry(n_competitors=len(data.competitors))
ratings = pd.DataFrame(model.compute_ratings_and_cis(data)).set_index("competitors")
seconds = time.process_time() - start
tight = BradleyTerry(n_competitors=len(data.competitors), ftol=1e-16, gtol=1e-12, max_iter=10_000)
exact = pd.DataFrame(tight.compute_ratings_and_cis(data)).set_index("competitors")
json.dump(
    {
        "seconds": {"with intervals": seconds},
        "rating": ratings["ratings"].astype(float).to_dict(),
        "low": ratings["rating_lower"].astype(float).to_dict(),
        "high": ratings["rating_upper"].astype(float).to_dict(),
        "tight": exact["ratings"].astype(float).to_dict(),
    },
    sys.stdout,
)

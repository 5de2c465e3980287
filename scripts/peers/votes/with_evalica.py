"""evalica on votes.csv, called as its README does: Bradley–Terry, Newman, bootstrap intervals.

python with_evalica.py votes.csv > evalica.json, in an environment of its own
"""

import json
import sys
import time

import pandas as pd
from evalica import Winner, bootstrap, bradley_terry, newman

WINNERS = {"model_a": Winner.X, "tie": Winner.Draw, "model_b": Winner.Y}

votes = pd.read_csv(sys.argv[1])
votes_columns = (votes["model_a"], votes["model_b"], votes["winner"].map(WINNERS))
start = time.process_time()
ratings = bradley_terry(*votes_columns)
fitted = time.process_time() - start
# "BCa", its default, would fit once for each vote beside the resamples
interval = bootstrap(bradley_terry, *votes_columns, bootstrap_method="percentile", random_state=42)
seconds = time.process_time() - start
tight = bradley_terry(*votes_columns, tolerance=1e-13, limit=20_000)
ties = newman(*votes_columns, tolerance=1e-13, limit=20_000)
json.dump(
    {
        "seconds": {"fit": fitted, "with intervals": seconds},
        "iterations": ratings.iterations,
        "scores": ratings.scores.to_dict(),
        "low": interval.low.to_dict(),
        "high": interval.high.to_dict(),
        "tight": tight.scores.to_dict(),
        "newman": ties.scores.to_dict(),
    },
    sys.stdout,
)

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
asked = (votes["model_a"], votes["model_b"], votes["winner"].map(WINNERS))
start = time.process_time()
found = bradley_terry(*asked)
fitted = time.process_time() - start
# "BCa", its default, would fit once for each vote beside the resamples
interval = bootstrap(bradley_terry, *asked, bootstrap_method="percentile", random_state=42)
taken = time.process_time() - start
tight = bradley_terry(*asked, tolerance=1e-13, limit=20_000)
ties = newman(*asked, tolerance=1e-13, limit=20_000)
json.dump(
    {
        "seconds": {"fit": fitted, "with intervals": taken},
        "iterations": found.iterations,
        "scores": found.scores.to_dict(),
        "low": interval.low.to_dict(),
        "high": interval.high.to_dict(),
        "tight": tight.scores.to_dict(),
        "newman": ties.scores.to_dict(),
    },
    sys.stdout,
)

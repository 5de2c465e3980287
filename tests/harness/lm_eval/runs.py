"""Run the lm-eval command line once per model, in one process.

``runs.py MODEL SEED [MODEL SEED...] -- OPTION...``
"""

import sys

from lm_eval.__main__ import cli_evaluate

models, options = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
for name, seed in zip(models[::2], models[1::2], strict=True):
    model = ["--model", "dummy", "--model_args", f"pretrained={name}", "--seed", seed]
    sys.argv = ["lm_eval", "run", *model, *options]
    cli_evaluate()

#!/usr/bin/env bash
# What the programs of docs/frames.md print, in OUT_DIR: frames of MLflow and of Ragas, compared and audited.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# ragas 0.4 imports a module that langchain-community 0.4 no longer has.
install frames mlflow ragas "langchain-community<0.4" ../..
export MLFLOW_GENAI_EVAL_MAX_WORKERS=1 MLFLOW_TRACKING_URI=sqlite:///$tmp/mlflow.db PYTHONWARNINGS=ignore
page=$(realpath ../../docs/frames.md)
cp "$page" "$tmp"
cd "$tmp"
"$venv/bin/python" "$OLDPWD/frames/walk.py" frames.md >"$out/frames.txt"

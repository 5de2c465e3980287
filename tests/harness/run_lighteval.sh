#!/usr/bin/env bash
# Logs of lighteval, two models: OUT_DIR/results/ and OUT_DIR/details/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# lighteval 0.13.0 hashes str, which xxhash 4 refuses.
install light torch==2.13.0 lighteval "xxhash<4"

for model in acme/alpha acme/beta; do
  "$venv/bin/python" lighteval/evals.py "$model" "$out"
done

#!/usr/bin/env bash
# Logs of lm-eval: OUT_DIR/full/<model>/ (two models) and OUT_DIR/limited/<model>/ (one, 5 items).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install lm torch==2.13.0 lm-eval

run() { # run DIR MODEL SEED [OPTION...]
  local dir=$1 model=$2 seed=$3
  shift 3
  # The dummy model draws its choices at random, so that seeds make two models of it.
  "$venv/bin/lm_eval" run --model dummy --model_args "pretrained=$model" --seed "$seed" \
    --include_path lm_eval --tasks mini,mini_generation,mini_repeated \
    --output_path "$out/$dir" --log_samples "$@"
}
run full acme/dummy-a 1
run full acme/dummy-b 2
[[ ${HARNESS_BRIEF:-0} == 1 ]] && exit
run limited acme/dummy-a 1 --limit 5

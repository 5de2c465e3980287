#!/usr/bin/env bash
# Logs of lm-eval: OUT_DIR/full/<model>/ (two models), OUT_DIR/unweighted/<model>/ (two models, a group of
# tasks of different sizes, weight_by_size: false), and OUT_DIR/limited/<model>/ (one, 5 items).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install lm torch==2.13.0 lm-eval

runs() { # runs DIR MODEL SEED...: each model once, in one process, whose start takes longest
  local dir=$1
  shift
  # The dummy model draws its choices at random, so that seeds make two models of it.
  "$venv/bin/python" lm_eval/runs.py "$@" -- --include_path lm_eval --log_samples \
    --tasks "${tasks:-mini,mini_generation,mini_repeated}" --output_path "$out/$dir" ${limit:+--limit "$limit"}
}
runs full acme/dummy-a 1 acme/dummy-b 2
[[ ${HARNESS_BRIEF:-0} == 1 ]] && exit
tasks=mini_unweighted runs unweighted acme/dummy-a 1 acme/dummy-b 2
limit=5 runs limited acme/dummy-a 1

#!/usr/bin/env bash
# Logs of HELM: OUT_DIR/runs/full/ (two models), OUT_DIR/runs/limited/ (5 instances) and
# OUT_DIR/runs/perturbed/ (every instance a second time, in lower case).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install helm torch==2.13.0 crfm-helm

run() { # run SUITE INSTANCES ENTRY...
  local suite=$1 instances=$2
  shift 2
  "$venv/bin/helm-run" --suite "$suite" -m "$instances" --run-entries "$@" \
    --plugins harness.helm.plugin --local-path "$tmp/helm" -o "$out" --disable-cache
}
cp -r helm "$tmp" # HELM writes beside the files that describe its models

entries=()
for model in acme/alpha acme/beta; do
  for subject in addition division capitals; do
    entries+=("mini:subject=$subject,model=$model")
  done
  entries+=("mini_generation:subject=division,model=$model")
done
run full 1000 "${entries[@]}"
run limited 5 mini:subject=addition,model=acme/alpha
run perturbed 1000 mini:subject=capitals,model=acme/alpha,data_augmentation=lower

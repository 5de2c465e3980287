#!/usr/bin/env bash
# Logs of inspect-ai, in OUT_DIR:
#   eval/ json/   two models, 3 epochs, in either format
#   limited/      one model, the first 5 items
#   failed/       a run that a sample stopped
#   retried/      another such run and its eval-retry, which ends well
#   tolerated/    a run that went on after the error
#   judged/       two models, each graded by a model and, in part, by people
#   baseline/ stopped/  a run, and one that nstar compared with it and stopped
#   short/ refused/     a run of 60 samples, and one of 600 that nstar refused to compare with it
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install inspect inspect-ai ../..
inspect=$venv/bin/inspect
export INSPECT_DISPLAY=plain

run() { # run DIR TASK MODELS [OPTION...]: models separated by commas, in one process
  local dir=$1 task=$2 models=mockllm/${3//,/,mockllm/}
  shift 3
  # One sample at a time: what stands in a failed log is then the same in every run.
  "$inspect" eval "inspect/evals.py@$task" --model "$models" --log-dir "$out/$dir" \
    --max-samples 1 "$@"
}
logs() { # logs STATUS: how many of that status, by directory
  "$inspect" log list --log-dir "$out" --status "$1" |
    sed -E 's|/[^/]*$||; s|.*/||' | sort | uniq -c | xargs
}
run eval mini alpha,beta --log-format eval
[[ ${HARNESS_BRIEF:-0} == 1 ]] && exit
run json mini alpha,beta --log-format json
run limited mini alpha --limit 5
run failed flaky alpha --display none
run retried flaky beta --display none
HARNESS_HEALED=1 "$inspect" eval-retry "$out"/retried/*.eval --log-dir "$out/retried" \
  --max-samples 1
run tolerated flaky alpha --no-fail-on-error
"$inspect" eval inspect/judged.py --model mockllm/alpha,mockllm/beta --log-dir "$out/judged"
mock() { # mock DIR [OPTION...]: answers drawn by chance
  "$inspect" eval inspect/stopping.py --model mockllm/model --log-format json \
    --log-dir "$out/$1" "${@:2}"
}
mock baseline
mock stopped -T ability=0.8 -T seed=new -T baseline="$(echo "$out"/baseline/*.json)"
mock short -T items=600 --limit 60
mock refused -T items=600 -T seed=new -T baseline="$(echo "$out"/short/*.json)"

# An eval set ends with the comparison with its baseline.
NSTAR_BASELINE=$out/baseline "$inspect" eval-set inspect/stopping.py --model mockllm/model \
  --log-dir "$tmp/set" -T ability=0.8 -T seed=new | grep -F "nstar: wrote $tmp/set/nstar.html"

# Inspect opens what `nstar demo` writes in its name.
"$venv/bin/nstar" demo --out "$tmp/demo" >/dev/null
"$venv/bin/python" inspect/demo_logs.py "$tmp/demo/inspect"

# A run that failed has exit status 0 too.
diff - <(logs error) <<<"1 failed 1 refused 1 retried"
diff - <(logs success) <<<"1 baseline 2 eval 2 json 2 judged 1 limited 1 retried 1 short 1 stopped 1 tolerated"

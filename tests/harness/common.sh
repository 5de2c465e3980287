# Sourced by the run_*.sh beside it: `run_X.sh OUT_DIR` installs the newest release of harness X
# and fills OUT_DIR with logs that X itself wrote, about data/ and without network.
#   HARNESS_VENVS   directory to keep the virtual environments in; default: a temporary one
#   HARNESS_BRIEF   1: only the logs that every CI run reads
#   PYTHON          interpreter to make them with

if (($# != 1)); then
  echo "usage: ${0##*/} OUT_DIR" >&2
  exit 2
fi
mkdir -p "$1"
out=$(realpath "$1")
if [[ -n $(ls -A "$out") ]]; then
  echo "$out is not empty" >&2
  exit 2
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
venvs=$(realpath -m "${HARNESS_VENVS:-$tmp}")
cd "$(dirname "${BASH_SOURCE[0]}")" # the paths in the tasks are relative to this directory

if ! type -P uv >/dev/null; then # installs in a fraction of pip's time
  "${PYTHON:-python3}" -m venv "$tmp/uv"
  "$tmp/uv/bin/pip" install -q --disable-pip-version-check uv
  PATH=$tmp/uv/bin:$PATH
fi

export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 PYTHONPYCACHEPREFIX=$tmp/pycache
export PYTHONPATH=${PWD%/*} # for `import harness.answers`

install() { # install NAME PACKAGE...: the packages, at once so that pins hold, into $venv
  venv=$venvs/$1
  shift
  local start=$SECONDS
  uv venv -q --no-project --seed --clear --python "${PYTHON:-python3}" "$venv"
  mkdir "$tmp/wheels"
  local package
  for package; do # pip may have been told of a build of torch without CUDA; uv does not ask it
    [[ $package != torch==* ]] ||
      "$venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$tmp/wheels" "$package"
  done
  # uv would take a folder such as this one for unchanged as long as pyproject.toml is.
  uv pip install -q --python "$venv/bin/python" --refresh-package nstar --find-links "$tmp/wheels" "$@"
  echo "installed in $((SECONDS - start)) s:" "$@"
  uv pip freeze --python "$venv/bin/python"
  # From here on whatever the harness keeps for itself goes with $tmp.
  unset HF_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  export HOME=$tmp
}

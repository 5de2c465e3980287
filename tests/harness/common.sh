# Sourced by the run_*.sh beside it: `run_X.sh OUT_DIR` installs the newest release of harness X
# and fills OUT_DIR with logs that X itself wrote, about data/ and without network.
#   HARNESS_VENVS   directory to keep the virtual environments in; default: a temporary one
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

export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 PYTHONPYCACHEPREFIX=$tmp/pycache
export PYTHONPATH=${PWD%/*} # for `import harness.answers`

install() { # install NAME PACKAGE...: the packages, at once so that pins hold, into $venv
  venv=$venvs/$1
  shift
  local start=$SECONDS
  "${PYTHON:-python3}" -m venv "$venv"
  "$venv/bin/pip" install -q --no-compile --disable-pip-version-check --upgrade "$@"
  echo "installed in $((SECONDS - start)) s:" "$@"
  "$venv/bin/pip" freeze
  # From here on whatever the harness keeps for itself goes with $tmp.
  unset HF_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  export HOME=$tmp
}

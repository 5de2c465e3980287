#!/bin/sh
# Regenerate every <topic>.json from its <topic>.R. A minute; needs R, see README.md.
set -e
cd "$(dirname "$0")"
for script in *.R; do
  if [ "$script" != save.R ]; then
    echo "$script"
    LC_ALL=C Rscript --vanilla "$script"
  fi
done

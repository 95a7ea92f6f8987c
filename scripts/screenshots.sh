#!/usr/bin/env bash
# The pictures of the README: the page on the Jacobi program, on 4 ranks.  scripts/screenshots.sh build/whyslow
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
whyslow=$(realpath "${1:-build/whyslow}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# The pictures need not tell in which folder this was.
mpicc.openmpi -g -O2 -fdebug-prefix-map="$PWD"=. -o "$scratch/jacobi_before" examples/jacobi_before.c -lm
"$whyslow" record -o "$scratch/trace" -- mpirun.openmpi -n 4 "$scratch/jacobi_before" >/dev/null
"$whyslow" report -q "$scratch/trace" -o "$scratch/jacobi.html"
node src/report/page/test/screenshots.mjs "$scratch/jacobi.html" docs/images

#!/usr/bin/env bash
# The main job on a program that waits: Jacobi's method as one writes it first, on 4 ranks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
whyslow=${1:-build/whyslow}

if command -v mpicc.openmpi >/dev/null; then
    mpicc=mpicc.openmpi mpirun=mpirun.openmpi
else
    mpicc=mpicc mpirun=mpirun
fi
# Four ranks on a small machine, and in a container as root: Open MPI wants to be told.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

mkdir -p build/examples
$mpicc -g -O2 -o build/examples/jacobi_before examples/jacobi_before.c -lm
command=("$whyslow" run -o build/demo-trace -- "$mpirun" -n 4 build/examples/jacobi_before)
echo "\$ ${command[*]}"
exec "${command[@]}"

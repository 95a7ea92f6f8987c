#!/usr/bin/env bash
# Installs what Whyslow is built, run and tested with on Debian 12 (and its relatives).  Does nothing where
# all is there.  WHYSLOW_NO_INSTALL=1: only tells what is missing.  More packages may be named.
set -euo pipefail

packages=(
    # building
    make cmake ninja-build gcc g++ pkg-config
    libclips-dev libdw-dev libelf-dev libexpat1-dev libjansson-dev libotf2-trace-dev zlib1g-dev
    # the MPIs: headers and compiler wrappers to build recorders with, launchers to run programs with
    libopenmpi-dev openmpi-bin libmpich-dev mpich libsimgrid-dev
    # testing
    libcmocka-dev python3 iproute2 gfortran python3-mpi4py babeltrace2 hpcc netpipe-openmpi netpipe-mpich2
    chromium nodejs
    otf2-tools python3-otf2 eztrace
    lammps gromacs scalapack-mpi-test libcoarrays-openmpi-dev libcoarrays-mpich-dev
)

packages+=("$@")

# Some builds of Node.js bring npm, Debian's does not.
command -v npm >/dev/null || packages+=(npm)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ -n "${WHYSLOW_NO_INSTALL:-}" ]; then
    echo "missing packages: ${missing[*]}" >&2
    exit 4
fi
if ! command -v apt-get >/dev/null; then
    echo "this is no Debian: please install what corresponds to: ${missing[*]}" >&2
    exit 4
fi

run_as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "missing packages, and no root or sudo to install them: ${missing[*]}" >&2
        exit 4
    fi
    run_as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
install() {
    "${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}
# The package lists may be fresh enough; if not, they are fetched.
install "${missing[@]}" || { "${run_as_root[@]}" apt-get update && install "${missing[@]}"; }

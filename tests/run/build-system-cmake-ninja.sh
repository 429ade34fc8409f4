#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# CMake with Ninja: see build-system-cmake.bash.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc cmake ninja
# shellcheck source=tests/run/build-system-cmake.bash
. "$here/build-system-cmake.bash"
builds_with 'Ninja'

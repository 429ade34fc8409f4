#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# CMake with Makefiles: see build-system-cmake.bash.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc cmake make
# shellcheck source=tests/run/build-system-cmake.bash
. "$here/build-system-cmake.bash"
builds_with 'Unix Makefiles'

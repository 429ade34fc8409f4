#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The report for people, every section of it, is exactly lua.report.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o lua "$here/lua.txt"
allocs report lua >text
expect text <"$here/lua.report"

# The same bytes again, and through a pipe of another width.
COLUMNS=100 allocs report --color=auto lua | cat >again
expect again <"$here/lua.report"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A whole report in JSON, byte by byte: keys in fixed order, nulls for what is
# not known.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o small "$here/small.txt"
allocs report --json small >json
expect json <"$here/small.json"

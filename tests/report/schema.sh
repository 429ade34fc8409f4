#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The JSON is what docs/report.schema.json says, its totals are those of its
# lists, and the schema refuses what breaks it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema here"

allocs assemble -o lua "$here/lua.txt"
allocs report --json lua >lua.json
allocs report --json lua >again.json
cmp lua.json again.json
for options in --functions --sites '--type Table' '--functions --sites'; do
  # shellcheck disable=SC2086
  allocs report --json $options lua >"options.json"
  python3 "$here/check-json.py" "$source_dir/docs/report.schema.json" options.json
done
python3 "$here/check-json.py" "$source_dir/docs/report.schema.json" lua.json

broken() { # What must not pass: lua.json changed by a sed script.
  sed "$1" lua.json >broken.json
  not cmp -s lua.json broken.json
  not python3 "$here/check-json.py" "$source_dir/docs/report.schema.json" broken.json 2>/dev/null
}
broken 's/"kind": "malloc"/"kind": "xmalloc"/'
broken 's/"class": "pass-through"/"class": "pass_through"/'
broken 's/"address": "0x4012a0"/"address": 4198048/'
broken 's/"reason": "the size.*"/"reason": null/'
broken 's/"used_as": .*,/"uses": null,/'
broken 's/"typed": 8/"typed": 9/'
broken 's/"sites": 11/"sites": 12/'

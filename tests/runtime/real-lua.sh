#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian's lua, which allocates all through one function pointer given to
# realloc(NULL, n): its objects are what its source says, to the last table.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

"$source_dir/scripts/fetch" lua5.4 >fetched ||
  skip "no archive to fetch Debian's source packages from"
"$source_dir/scripts/build-program" lua5.4 --cc "$build_dir/bin/cc-allocs" \
  --out "$work/built" >programs
ln -s "$(head -n 1 programs)" lua

# Each round makes one table, one array of four values, a closure and a string.
cat >script <<'EOF'
local n = tonumber(arg[1])
for i = 1, n do
  local t = {1, 2, 3, i}
  local f = function() return t end
  local s = "string number " .. i .. " is a long one, of more than forty bytes"
end
EOF
types lua script 1000 >few
types lua script 3000 >many
count() { # ROWS TYPE: objects of TYPE
  awk -v type="$2" '{ n = $1; $1 = $2 = $3 = ""; sub(/^ +/, "") } $0 == type { print n }' "$1"
}
for type in 'struct Table' 'struct TValue[]' 'struct LClosure + tail' \
  'struct UpVal' 'struct TString + tail'; do
  less=$(count few "$type") more=$(count many "$type")
  echo "$type: $less, $more"
  case $type in
  *TString*) [ $((more - less)) -ge 2000 ] ;;
  *) [ $((more - less)) = 2000 ] ;;
  esac
done
grep -q '^1 [0-9]* 0 struct LG$' many

# Everything but libc's own is typed.
python3 - <<'EOF'
import json
totals = json.load(open("lua.json"))["processes"][0]["totals"]
assert totals["typed"]["objects"] + totals["by_nature"]["objects"] \
    >= 0.999 * totals["objects"], totals
EOF

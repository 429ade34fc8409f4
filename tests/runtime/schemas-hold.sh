#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The runtime's snapshot and the JSON of `allocs run` are what their schemas
# say, with names in them that need escaping; and the schemas refuse others.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema here"

cat >check.py <<'EOF'
import json, sys, jsonschema
schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(document)
EOF
cat >'main "x"	y.c' <<'EOF'
#include <stdlib.h>
#include <string.h>
struct one { long a; };
struct tail { int n; char text[]; };
void *volatile kept;
static void *wrap(size_t n) { return malloc(n); }
int main(int argc, char **argv) {
  kept = malloc(sizeof(struct one));
  kept = calloc((size_t)argc, sizeof(struct one));
  kept = malloc(sizeof(struct tail) + strlen(argv[0]));
  kept = strdup(argv[0]);
  kept = wrap((size_t)argc);
  return 0;
}
EOF
prog=$'./prog "\n\xff'
cc-allocs -g 'main "x"	y.c' -o "$prog"
mkdir folder
LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$PWD/folder \
  "$prog"
mv folder/*.0 snapshot
python3 check.py "$source_dir/docs/snapshot.schema.json" snapshot
allocs run --json -o heap "$prog"
python3 check.py "$source_dir/docs/run.schema.json" heap
grep -qF 'main \"x\"\ty.c' heap
[ "$(grep -cF 'prog \"\n?"' heap)" -ge 1 ]

broken() { # schema document script
  sed "$3" "$2" >broken
  not cmp -s "$2" broken
  not python3 check.py "$source_dir/docs/$1.schema.json" broken 2>/dev/null
}
broken snapshot snapshot 's/"class": "typed"/"class": "type"/'
broken snapshot snapshot 's/"freed_bytes": 0, "module"/"module"/'
broken run heap 's/"shape": "one"/"shape": "two"/'
broken run heap 's/"exit_status": 0/"exit_status": null/'
broken run heap 's/"reason": "no-site"\|"reason": "wrapper"/"reason": "none"/'

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The JSON of `allocs check` says what its text says, and is what
# docs/check.schema.json describes; the schema refuses what breaks it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile use.c <<'EOF'
#include <stdlib.h>
struct node { struct node *next; long key; };
__attribute__((noinline)) void *get(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
struct node *one, **list;
void use(size_t n) {
  one = get(sizeof one);
  list = get(n * sizeof **list);
}
EOF
status=0
allocs check --json use.o >json || status=$?
[ $status = 1 ]
expect json <<'EOF'
{
  "version": 1,
  "name": "use.o",
  "sites": 3,
  "compared": 2,
  "findings": [
    {
      "kind": "pointer-for-object",
      "file": "use.c",
      "line": 6,
      "column": 9,
      "function": "use",
      "callee": "get",
      "size": "sizeof(struct node *)",
      "type": {
        "name": "struct node *",
        "size": 8
      },
      "used_as": {
        "name": "struct node",
        "size": 16
      },
      "many": false,
      "chain": [
        {
          "text": "calls malloc",
          "file": "use.c",
          "line": 3
        }
      ]
    },
    {
      "kind": "object-for-pointer",
      "file": "use.c",
      "line": 7,
      "column": 10,
      "function": "use",
      "callee": "get",
      "size": "sizeof(struct node) * n",
      "type": {
        "name": "struct node",
        "size": 16
      },
      "used_as": {
        "name": "struct node *",
        "size": 8
      },
      "many": true,
      "chain": [
        {
          "text": "calls malloc",
          "file": "use.c",
          "line": 3
        }
      ]
    }
  ]
}
EOF

python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema here"
cat >valid.py <<'EOF'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2], encoding="utf-8")))
EOF
python3 valid.py "$source_dir/docs/check.schema.json" json
broken() { # What must not pass: the JSON changed by a sed script.
  sed "$1" json >broken.json
  not cmp -s json broken.json
  not python3 valid.py "$source_dir/docs/check.schema.json" broken.json 2>/dev/null
}
broken 's/object-for-pointer/object/'
broken 's/"size": 16/"size": null/'
broken 's/"line": 6/"line": 0/'
broken 's/"many": true/"many": null/'
broken 's/"compared": 2/"compared": -1/'
broken '/"callee"/d'
broken 's/"version": 1/"version": 2/'

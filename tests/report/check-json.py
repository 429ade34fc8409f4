# SPDX-License-Identifier: MIT
"""check-json.py SCHEMA REPORT: REPORT is valid, and its totals are right."""

import collections
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    report = json.load(file)

jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(report)

LOOK_ALIKES = {"lazy", "grow", "content", "concat", "cursor"}
totals = report["totals"]


def check(name, value):
    if totals[name] != value:
        sys.exit(f"totals.{name} is {totals[name]}, but there are {value}")


if "allocation_functions" in report:
    functions = report["allocation_functions"]
    frees = report["deallocation_functions"]
    kinds = collections.Counter(f["kind"] for f in functions + frees)
    if totals["kinds"] != {kind: kinds[kind] for kind in totals["kinds"]}:
        sys.exit("totals.kinds is wrong")
    look_alikes = sum(kinds[kind] for kind in LOOK_ALIKES)
    check("deallocation_functions", len(frees))
    check("factories", kinds["factory"])
    check("look_alikes", look_alikes)
    check("allocation_functions",
          len(functions) - kinds["factory"] - look_alikes)
if "allocation_sites" in report:
    sites = report["allocation_sites"]
    classes = collections.Counter(s["class"] for s in sites)
    check("sites", len(sites))
    for name in ("typed", "bytes", "pass-through", "untyped"):
        check(name, classes[name])
    check("addresses", sum(len(s["addresses"]) for s in sites))
    check("sites_with_addresses", sum(1 for s in sites if s["addresses"]))
for name in ("types", "imports", "missing", "remarks"):
    if name in report:
        check(name, len(report[name]))

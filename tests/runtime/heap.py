# SPDX-License-Identifier: MIT
"""heap.py FILE [PROCESS]: what `allocs run --json` wrote, a line a row.

    objects bytes live_objects live_bytes sites TYPE

PROCESS counts from 0, the program itself.  Rows without a type are `bytes` and
`untyped REASON`.  That the totals are the sums of the rows is checked.
"""

import json
import sys

KEYS = ("objects", "bytes", "live_objects", "live_bytes")

with open(sys.argv[1], encoding="utf-8") as file:
    process = json.load(file)["processes"][int((sys.argv[2:] or [0])[0])]

rows = [(row, row["type"]) for row in process["types"]]
rows += [(row, "bytes") for row in process["by_nature"]]
rows += [(row, "untyped " + row["reason"]) for row in process["untyped"]]
for key in KEYS:
    total = sum(row[key] for row, _ in rows)
    if total != process["totals"][key]:
        sys.exit(f"totals.{key} is {process['totals'][key]}, not {total}")
    for row, name in rows:
        if row[key] != sum(site[key] for site in row["sites"]):
            sys.exit(f"{name}: the {key} of its sites are others")
for row, name in rows:
    print(*(row[key] for key in KEYS), len(row["sites"]), name)

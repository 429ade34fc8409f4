# SPDX-License-Identifier: MIT
"""make-snapshot.py WHAT: a snapshot (docs/snapshot.schema.json) that no small
program would leave.

    many     10,000 types, 1 to 10,000 objects of 16 bytes, each of two sites
    hostile  types, files and functions with names that are markup, and worse
"""

import json
import sys

HOSTILE = [
    "</script><script>window.caught = 1</script>",
    "\"><img src=x onerror='window.caught = 2'>",
    "<!--<script>",
    "' onfocus='window.caught = 3' autofocus='",
    "${window.caught = 4}`",
    "</title></style><svg onload=window.caught=5>",
    "struct \u202eevil\u2028\u0000\ttype",
    "__proto__",
    "",
]


def site(number, name, objects, place=""):
    return {"objects": objects, "bytes": 16 * objects, "freed_objects": 0,
            "freed_bytes": 0, "module": 0, "site": number, "class": "typed",
            "types": [{"name": name, "identity": hex(number // 2 + 1), "size": 16}],
            "shape": "one", "header": 0, "file": place or "/src/many.c",
            "line": number + 1, "column": 1, "function": place or "main",
            "callee": place or "malloc", "reason": ""}


labels = []
if sys.argv[1] == "many":
    for i in range(10000):
        labels.append(site(2 * i, f"struct t{i:05}", i))
        labels.append(site(2 * i + 1, f"struct t{i:05}", 1))
else:
    for i, name in enumerate(HOSTILE):
        labels.append(site(2 * i, name.replace("\0", "\x01"), 100 + i, name.replace("\0", "\x01")))
json.dump({"snapshot": 1, "pid": 1, "parent": 1, "number": 1, "moment": "exit",
           "modules": [{"path": "/bin/" + sys.argv[1], "bias": "0x0",
                        "classified": "yes", "sites": 9, "missing": 0,
                        "closed": False}],
           "labels": labels}, sys.stdout)

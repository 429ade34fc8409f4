#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-matrix.py MODULE...: what matrix.bash's program must be said to be.

In:   the modules that the program consists of, with their classifications.
Out:  the first thing that is not as it should be, and exit status 1.

Sites are compared with the table below.  An address is right if the
instruction before it is a call, in one of the program's own functions, of the
site's callee; and all such calls must have one.
"""

import json
import re
import subprocess
import sys

# function, line, callee, class, type
SITES = {
    ("make_a", 7, "init", "typed", "struct s"),
    ("make_a", 8, "calloc", "typed", "struct u"),
    ("init", 3, "xmalloc", "typed", "struct s"),
    ("make_b", 7, "init", "typed", "struct t"),
    ("init", 3, "xmalloc", "typed", "struct t"),
    ("xmalloc", 4, "malloc", "pass-through", None),
    ("main", 4, "make_a", "typed", None),  # struct s or u, by way of `kept`
    ("main", 5, "make_b", "typed", "struct t"),
    ("main", 6, "xmalloc", "typed", "struct u"),
}
# Sites that are none in a program whose functions are in a shared object.
IMPORTED = {
    ("main", 4, "make_a", "typed", None),  # struct s or u, by way of `kept`
    ("main", 5, "make_b", "typed", "struct t"),
    ("main", 6, "xmalloc", "typed", "struct u"),
}
OWN = {"main", "make_a", "make_b", "init", "xmalloc"}
CALLEES = OWN | {"malloc", "calloc"}


def stem(symbol):
    """The source's name of a symbol, a stub or a clone."""
    name = re.split(r"[.@$]", symbol)[0]
    return re.sub(r"^__(libc_)?(?=malloc$|calloc$)", "", name)


def calls(module):
    """{return address: (function, callee)} of the program's own calls."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", module],
                             check=True, capture_output=True, text=True).stdout
    found, function, callee = {}, "", None
    for line in listing.splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        code = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if head:
            function = stem(head.group(1))
        if not code:
            continue
        if callee:
            found[int(code.group(1), 16)] = (function, callee)
            callee = None
        call = re.match(r"(?:addr32 |bnd )?call +[0-9a-f]+ <([^>+]+)>",
                        code.group(2))
        if call and function in OWN and stem(call.group(1)) in CALLEES:
            callee = stem(call.group(1))
    return found


def fail(text):
    sys.exit(f"check-matrix: {text}")


def main():
    sites, shown = set(), 0
    for module in sys.argv[1:]:
        report = json.loads(subprocess.run(
            ["allocs", "report", "--json", module], check=True,
            capture_output=True, text=True).stdout)
        if [m for m in report["missing"] if m["unit"].rpartition("/")[2] not in
                ("libc.a", "libgcc.a", "libgcc_eh.a")]:
            fail(f"{module}: missing: {report['missing']}")
        real, known = calls(module), {}
        for site in report["allocation_sites"]:
            sites.add((site["function"], site["line"], site["callee"],
                       site["class"], site["type"]))
            for entry in site["addresses"]:
                known[int(entry["address"], 16)] = (site["function"],
                                                    site["callee"])
        # What a shared object's functions make, its user does not know.
        callees = {site["callee"] for site in report["allocation_sites"]}
        real = {a: call for a, call in real.items() if call[1] in callees}
        if known != real:
            fail(f"{module}: addresses {show(known)}\nthe code has {show(real)}")
        shown += len(known)
    if len(sys.argv) > 2:
        sites |= IMPORTED
    if sites != SITES:
        fail(f"sites {sorted(sites ^ SITES, key=str)}")
    if shown < 6:
        fail(f"only {shown} addresses")


def show(addresses):
    return {hex(a): c for a, c in sorted(addresses.items())}


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-case.py CC-ALLOCS ALLOCS CASE.c

Compile CASE.c and compare the whole report with what the case says of itself:

    /* functions:
    name kind args                   allocation functions, in order of name;
    name kind -                      args are 0,1 or - for none
    */
    /* sizes:
    name: size                       of the same functions, as reports have it
    */
    /* chains:
    name: step line, step line         of the same functions; - for no line
    */
    /* frees:
    name parameter
    */
    /* pairs:
    allocator deallocator calls
    */
    /* imports:
    function parameter type            sizes that leave the module
    */
    /* sites:
    line function callee class type shape used-as
    */

Lists that a case leaves out are not compared; a list that it gives must be
complete, so that every case is its own must-not-report twin.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def wanted(text, heading):
    """Out: the lines of the comment that begins with HEADING, or None."""
    found = re.search(r"/\* " + heading + r":\n(.*?)\*/", text, re.S)
    if not found:
        return None
    return [line.split("  #")[0].strip() for line in
            found[1].strip("\n").split("\n") if line.strip()]


def function_line(f):
    args = ",".join(map(str, f["size_args"])) or "-"
    line = f"{f['name']} {f['kind']} {args}"
    result = f["result"]
    if result["via"] != "return":
        line += f" via {result['parameter']}"
    if result["offset"]:
        line += f" +{result['offset']}"
    return line


def chain_line(f):
    return f"{f['name']}: " + ", ".join(f"{step['text']} {step['line'] or '-'}"
                                        for step in f["chain"])


def pair_lines(report):
    pairs = {(f["name"], p["name"], p["calls"])
             for f in report["allocation_functions"] for p in f["freed_by"]} | \
            {(p["name"], f["name"], p["calls"])
             for f in report["deallocation_functions"] for p in f["allocators"]}
    return [f"{a} {d} {calls}" for a, d, calls in sorted(pairs)]


def site_line(s):
    plain = [s["line"], s["function"], s["callee"], s["class"],
             s["type"] or "-", s["shape"] if s["class"] == "typed" else "-",
             s["used_as"] or "-"]
    return " ".join(str(word).replace(" ", "_") for word in plain)


def main():
    cc, allocs, case = sys.argv[1:4]
    text = pathlib.Path(case).read_text()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / pathlib.Path(case).name
        source.write_text(text)
        subprocess.run([cc, "-c", "-O1", "-g", "-w", source.name, "-o", "a.o"],
                       cwd=folder, check=True)
        run = subprocess.run([allocs, "report", "--json", "a.o"], cwd=folder,
                             capture_output=True, text=True)
        report = json.loads(run.stdout)
    got = {
        "functions": sorted(map(function_line, report["allocation_functions"])),
        "sizes": sorted(f"{f['name']}: {f['size']}"
                        for f in report["allocation_functions"]),
        "chains": sorted(map(chain_line, report["allocation_functions"])),
        "frees": sorted(f"{f['name']} {f['parameter']}"
                        for f in report["deallocation_functions"]),
        "pairs": pair_lines(report),
        "imports": [f"{i['symbol']} {i['parameter']} {c['type']}"
                    for i in report["imports"] for c in i["called_with"]],
        "sites": list(map(site_line, report["allocation_sites"])),
    }
    compared = bad = 0
    for heading, lines in got.items():
        want = wanted(text, heading)
        if want is None:
            continue
        compared += 1
        for line in [f"-{w}" for w in want if w not in lines] + \
                    [f"+{g}" for g in lines if g not in want]:
            print(f"{heading}: {line}")
            bad += 1
        if len(want) != len(lines) and not bad:
            print(f"{heading}: {len(lines)} lines, not {len(want)}")
            bad += 1
    if not compared:
        sys.exit("the case says nothing")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""scoring.py -- count what a report says against what somebody read.

In:   rows of a truth file, verdicts, a report (report.py), peers' findings.
Out:  counts, and the name of everything that is held against the report.
"""

import pathlib
import subprocess

from report import ALLOCATES


def compiled(name, files):
    """Does the debug information of FILES define function, or field, NAME?"""
    wanted = "DW_TAG_member" if "." in name else "DW_TAG_subprogram"
    for file in files:
        if file.suffix == ".json":
            return True
        text = subprocess.run(
            ["llvm-dwarfdump-19", "--name", name.split(".")[-1], file],
            text=True, stdout=subprocess.PIPE, check=True).stdout
        for entry in text.split("\n\n"):
            if wanted in entry and "DW_AT_declaration" not in entry:
                return True
    return False


def size_args(row):
    return sorted(int(arg) for arg in row["size_args"].split(",") if arg)


def find_entries(row, entries):
    """Out: the entries that may be what ROW means, the likeliest first.

    A static function's name may occur in several units: the row's file decides
    if it can.  A field may be written with the record's tag, a typedef or the
    variable that holds it; the field alone decides if it is the only one.
    """
    found = [e for e in entries if e["name"] == row["function"]]
    if not found and "." in row["function"]:
        field = "." + row["function"].split(".", 1)[1]
        found = [e for e in entries if e["name"].endswith(field)]
        if len({e["name"] for e in found}) > 1:
            found = []
    place = pathlib.PurePath(row["evidence"].rsplit(":", 1)[0]).name
    return sorted(found, key=lambda e: place not in (
        pathlib.PurePath(str(e.get("file") or e.get("unit") or "")).name,))


def kind_agrees(row, kind):
    return kind == row["kind"] or (
        kind == "memalign" and row["kind"] in ("malloc", "calloc")
        and "align" in row["function"] + row["notes"])


def describe(entry):
    return (f"{entry['name']} ({entry.get('kind')}, size {entry.get('size')}, "
            f"{entry.get('file') or entry.get('unit')}:{entry.get('line')}, "
            f"{entry.get('certainty')})")


class Score:
    """The counts of one project, and what to look at in it."""

    def __init__(self, project):
        self.project = project
        self.built = True
        self.counts = {}
        self.peers = {}
        self.notes = []

    def count(self, name, number=1):
        self.counts[name] = self.counts.get(name, 0) + number

    def note(self, what, text):
        self.notes.append((what, text))

    def add(self, other):
        for name, value in other.counts.items():
            if name.startswith("peak"):
                self.counts[name] = max(self.counts.get(name, 0), value)
            else:
                self.count(name, value)
        for peer, counts in other.peers.items():
            mine = self.peers.setdefault(peer, {})
            for name, value in counts.items():
                mine[name] = mine.get(name, 0) + value

    def share(self, part, whole):
        return share(self.counts.get(part, 0), self.counts.get(whole, 0))


def share(part, whole):
    return f"{100 * part / whole:.1f}%" if whole else "-"


def score_rows(score, rows, report, files):
    """Recall: look for every row in the report.

    Out: names that are accounted for, as allocating and as freeing; the rows of
    allocation functions that count.
    """
    known = {"allocates": set(), "frees": set()}
    counted = []
    for row in rows:
        frees = row["kind"] == "free"
        found = find_entries(row, report.frees if frees else report.allocators)
        known["frees" if frees else "allocates"] |= {e["name"] for e in found}
        strict = [e for e in found if frees or e.get("kind") in ALLOCATES]
        if row["via"] == "macro":
            score.note("not compiled", f"{row['function']}, a macro")
            continue
        if not found and not compiled(row["function"], files):
            score.note("not compiled", row["function"])
            continue
        role = "frees" if frees else "rows"
        score.count(role)
        if not frees:
            counted.append(row)
        if not strict:
            called = f", called {found[0].get('kind')}" if found else ""
            score.note("missed", f"{row['function']} ({row['kind']}, "
                       f"{row['evidence']}){called}")
            continue
        score.count(role + "_found")
        if frees:
            continue
        wanted = size_args(row)
        entry = next((e for e in strict
                      if sorted(e.get("size_args", [])) == wanted), strict[0])
        got = sorted(entry.get("size_args", []))
        if got == wanted:
            score.count("arguments")
        else:
            score.note("arguments", f"{entry['name']}: {got}, should be {wanted}; "
                       f"size {entry.get('size')}, {row['evidence']}")
        if kind_agrees(row, entry["kind"]):
            score.count("kinds")
        else:
            score.note("kind", f"{entry['name']}: {entry['kind']}, should be "
                       f"{row['kind']}; {row['evidence']}")
    return known, counted


def score_called(score, known, report, verdicts):
    """Precision: judge everything that the report calls an allocation function
    in the strict sense, or a deallocation function."""
    for role, entries in (("allocates", report.allocators),
                          ("frees", report.frees)):
        for entry in entries:
            if role == "allocates" and not entry["called"]:
                continue
            name = entry["name"]
            verdict = verdicts.get((score.project, name, role))
            score.count(role + "_called")
            if verdict == "yes" or verdict is None and name in known[role]:
                score.count(role + "_right")
            elif verdict == "no":
                score.note("wrong", describe(entry))
            else:
                score.count(role + "_unread")
                score.note("unreviewed", describe(entry))


def score_sites(score, report):
    """Classes of sites, how many types they have, and the second witness."""
    for site in report.sites:
        name = site.get("class", "?")
        place = f"{site.get('file') or site.get('unit')}:{site.get('line')}"
        score.count("sites")
        score.count("sites_" + name)
        if name in ("typed", "untyped"):
            score.count("sized")
            types = 1 if site.get("type") else len(site.get("types") or [])
            score.count("sized_one", types == 1)
            score.count("sized_few", 1 <= types <= 3)
        if name == "untyped":
            score.note("untyped", f"{place}: {site.get('callee')}, "
                       f"{site.get('reason')}")
        agrees = site.get("used_as_agrees")
        if site.get("type") and agrees is not None:
            score.count("used_as")
            score.count("used_as_agrees", agrees)
            if not agrees:
                score.note("used as", f"{place}: {site.get('callee')}, "
                           f"{site['type']}, used as {site['used_as']}")
    for unit in report.missing:
        score.count("units_missing")
        score.note("no summary", f"{unit.get('unit')}: {unit.get('reason')}")


def score_peer(score, peer, functions, rows, verdicts):
    """The same rows, asked of somebody who names functions alone."""
    names = {row["function"] for row in rows} | {
        name for project, name, role in verdicts
        if project == score.project and role == "allocates"
        and verdicts[project, name, role] == "yes"}
    score.peers[peer] = {
        "rows": len(rows),
        "rows_found": sum(row["function"] in functions for row in rows),
        "arguments": sum(sorted(functions.get(row["function"], [])) ==
                         size_args(row) != [] for row in rows),
        "called": len(functions),
        "right": sum(name in names for name in functions),
    }

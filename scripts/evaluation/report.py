# SPDX-License-Identifier: MIT
"""report.py -- what cc-allocs says of a project: one report of all its modules.

In:   the tree that a package was built in, or linked files, or JSON.
Out:  functions and sites of all modules, each once.

A function that several modules have is counted once.  It is what the module with
most sites of it says; but what any module calls an allocation function has been
called one, and counts against the precision if it is none.
"""

import json
import mmap
import pathlib
import re
import subprocess

ALLOCATES = {"malloc", "calloc", "realloc", "memalign", "dup", "pool"}
LINKED = (b"\x02\x00", b"\x03\x00")  # ET_EXEC, ET_DYN, little endian


def has_note(path):
    """Is PATH a linked ELF file with a classification?"""
    if path.is_symlink() or not path.is_file() or path.stat().st_size < 64:
        return False
    with open(path, "rb") as file:
        start = file.read(18)
        if start[:4] != b"\x7fELF" or start[16:18] not in LINKED:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(b".note.cc-allocs\0") >= 0


def find_modules(tree, recipe):
    """Out: what RECIPE names, or else all linked files in TREE with a note; the
    archives if there is none."""
    if recipe.is_file():
        products = re.search(r"^# products: *(.*)$", recipe.read_text(), re.M)
        return [tree / name for name in products[1].split()]
    files = [f for f in sorted(tree.rglob("*")) if has_note(f)]
    return files or sorted(tree.rglob("*.a"))


def modules_of(files, allocs):
    """Out: the reports of FILES, each module once."""
    documents = []
    for file in files:
        if file.suffix == ".json":
            document = json.loads(file.read_text())
            documents += document.get("files", [document])
        else:
            done = subprocess.run([allocs, "report", "--json", file], text=True,
                                  stdout=subprocess.PIPE, check=False)
            if done.returncode == 0:
                documents.append(json.loads(done.stdout))
    seen, once = set(), []
    for document in documents:
        digest = document.get("digest")
        if digest is None or digest not in seen:
            seen.add(digest)
            once.append(document)
    return once


class Report:
    """Lists of entries, as `allocs report --json` has them."""

    def __init__(self, modules):
        self.modules = modules
        self.allocators = self._union("allocation_functions", self._function)
        self.frees = self._union("deallocation_functions", self._function)
        self.sites = self._union("allocation_sites", self._site)
        self.missing = self._union("missing", lambda entry: entry.get("unit"))

    @staticmethod
    def _function(entry):
        return (entry["name"], entry.get("file") or entry.get("unit"),
                entry.get("line"))

    @staticmethod
    def _site(entry):
        return tuple(entry.get(k) for k in ("file", "unit", "line", "column",
                                            "function", "callee"))

    def _union(self, part, key):
        found = {}
        for module in self.modules:
            for entry in module.get(part, []):
                before = found.get(key(entry))
                called = entry.get("kind") in ALLOCATES
                if before:
                    called = called or before["called"]
                if not before or entry.get("sites", 0) > before.get("sites", 0):
                    found[key(entry)] = entry
                found[key(entry)]["called"] = called
        return list(found.values())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py --links FOLDER: the compiler commands that record-command wrote.

Prints the files of those that link, the oldest first, with a NUL after each.
As a module: load(folder), and what a command compiles.
"""

import pathlib
import sys

# Options whose argument is the next word, and is no input.
SEPARATE = {"-o", "-I", "-D", "-U", "-include", "-imacros", "-isystem",
            "-iquote", "-idirafter", "-MF", "-MT", "-MQ", "-x", "-l", "-L",
            "-Xlinker", "-Xpreprocessor", "-Xassembler", "-T", "-u", "-z",
            "--param", "-specs", "-isysroot", "--sysroot", "-e", "-rpath"}
# Nothing is compiled to an object, or linked.
NOTHING = {"-E", "-S", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-v",
           "-dumpversion", "-dumpmachine", "-dumpspecs", "--help", "-r"}
# What C means, to every compiler: kept for a second compilation.
MEANING = ("-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote",
           "-idirafter", "-isysroot", "--sysroot")
DIALECT = ("-std=", "-ansi", "-m", "-pthread", "-fshort-", "-fsigned-",
           "-funsigned-", "-fms-extensions", "-fno-builtin", "-ffreestanding",
           "-nostdinc", "-fgnu89-inline", "-fcommon")


class Command:
    """One call of a compiler: the folder that it was in, and its words."""

    def __init__(self, path):
        self.path = path
        words = path.read_bytes().decode(errors="surrogateescape").split("\0")
        self.folder, self.name, *self.args = words[:-1]
        self.folder = pathlib.Path(self.folder)
        self.time = path.stat().st_mtime_ns
        self.output = None
        self.inputs, self.meaning = [], []
        self.language = None
        self._parse()

    def _parse(self):
        words = iter(self.args)
        for word in words:
            value = next(words, "") if word in SEPARATE else None
            if word == "-o":
                self.output = value
            elif word == "-x":
                self.language = value
            elif word.startswith(MEANING):
                self.meaning += [word] if value is None else [word, value]
            elif word.startswith(DIALECT):
                self.meaning.append(word)
            elif word.startswith("-o"):
                self.output = word[2:]
            elif not word.startswith("-"):
                self.inputs.append(word)

    def compiles(self):
        """The C source that it makes an object of; None if it is none."""
        if "-c" not in self.args or NOTHING & set(self.args):
            return None
        if "++" in self.name or self.language not in (None, "c", "none"):
            return None
        sources = [i for i in self.inputs if i.endswith(".c")]
        if len(sources) != 1 or not (self.folder / sources[0]).is_file():
            return None
        return sources[0]

    def object(self):
        source = pathlib.PurePath(self.compiles())
        return self.folder / (self.output or source.stem + ".o")

    def links(self):
        """The file that it links; None if it links none that is still there."""
        if ({"-c"} | NOTHING) & set(self.args):
            return None
        if not self.inputs:
            return None
        output = self.folder / (self.output or "a.out")
        return output if output.is_file() else None


def load(folder):
    """Out: all commands in FOLDER, the oldest first."""
    files = [f for f in pathlib.Path(folder).iterdir() if "." not in f.name]
    return sorted((Command(f) for f in files), key=lambda c: (c.time, c.path))


def compilations(folder):
    """Out: the commands whose objects are still there; of those that differ in
    nothing that C means, as for static and for shared libraries, the last."""
    last = {}
    for command in load(folder):
        source = command.compiles()
        if source and command.object().is_file():
            meaning = [m for m in command.meaning if m != "-DPIC"]
            last[command.folder, source, *meaning] = command
    return list(last.values())


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "--links":
        sys.exit(__doc__)
    for command in load(sys.argv[2]):
        if command.links():
            sys.stdout.write(f"{command.path}\0")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Are the contents of two linked files the same, but for what has moved?

In:    two images, and the sections of the second without our note.
Out:   what differs beyond that, in words.
Holds: a difference is accepted only where a number of 4 or 8 bytes, at any
       place, has grown by what one section has moved, or by what one has moved
       more than another, or more than the header, which has not: an address,
       or a distance between two.

Our note is loaded with the program, so that what comes behind it moves.  Its
sections move by few different distances, mostly one; that a changed instruction
or constant looks like such a number is one chance in a thousand million.
"""

from elf import (SHF_ALLOC, SHN_LORESERVE, SHT_DYNSYM, SHT_NOBITS, SHT_SYMTAB,
                 STT_SECTION)

# A hash of all bytes; a checksum of the debug file, whose build id differs; and
# the names of sections, which are compared as such.
FREE = {".note.gnu.build-id", ".gnu_debuglink", ".shstrtab"}
PIECE = 4096


def first_difference(old, new, at):
    """Out: where OLD and NEW, of one length, differ from AT on, or None."""
    while at < len(old):
        end = at + PIECE
        if old[at:end] != new[at:end]:
            return next(i for i in range(at, len(old)) if old[i] != new[i])
        at = end
    return None


def moved_number(old, new, at, distances):
    """Out: the end of a number that has byte AT and has moved, or None."""
    for size in 8, 4:
        for start in range(at, max(at - size, -1), -1):
            end = start + size
            if end > len(old):
                continue
            grown = (int.from_bytes(new[start:end], "little") -
                     int.from_bytes(old[start:end], "little")) % (1 << 8 * size)
            if grown in distances[size]:
                return end
    return None


def compare_bytes(name, old, new, distances):
    if len(old) != len(new):
        return [f"section {name}: {len(old)} bytes became {len(new)}"]
    at = first_difference(old, new, 0)
    while at is not None:
        end = moved_number(old, new, at, distances)
        if end is None:
            return [f"section {name}: byte {at:#x} differs, and is no address"]
        at = first_difference(old, new, end)
    return []


class Moves:
    """How far each section of BEFORE, in AFTER one of OTHERS, has moved."""

    def __init__(self, before, after, others):
        self.before, self.after, self.others = before, after, others
        plain = {new["address"] - old["address"]
                 for old, new in zip(before.sections, others)
                 if old["flags"] & SHF_ALLOC}
        plain.add(0)  # the header, and address 0: weak, and not there
        every = {a - b for a in plain for b in plain} - {0}
        self.distances = {size: {d % (1 << 8 * size) for d in every}
                          for size in (4, 8)}

    def compare_symbols(self, old_table, new_table):
        """The same symbols in the same order, of the same sections."""
        number = {id(s): i for i, s in enumerate(self.others)}
        note = {i for i, s in enumerate(self.after.sections)
                if id(s) not in number}
        old = list(self.before.symbols(old_table))
        new = [s for s in self.after.symbols(new_table)
               if s[3] not in note or s[1] & 15 != STT_SECTION]
        name = old_table["name"]
        if len(old) != len(new):
            return [f"section {name}: {len(old)} symbols became {len(new)}"]
        for a, b in zip(old, new):
            section = b[3]
            grown = (b[4] - a[4]) % (1 << 64)
            if section in note:  # the header's goes to the first section
                section = 1 if not grown else None
            elif 0 < section < SHN_LORESERVE:
                section = number[id(self.after.sections[section])]
            if ((a[:3], a[3], a[5]) != (b[:3], section, b[5]) or
                    grown and grown not in self.distances[8]):
                return [f"section {name}: the symbol {a[0] or 'without name'} "
                        "differs"]
        return []


def compare_contents(before, after, others):
    """Out: differences of the contents of BEFORE and, in OTHERS, of AFTER."""
    moves = Moves(before, after, others)
    wrong = []
    for old, new in zip(before.sections, others):
        if old["name"] in FREE or old["type"] == SHT_NOBITS:
            continue
        if old["type"] in (SHT_SYMTAB, SHT_DYNSYM):
            wrong += moves.compare_symbols(old, new)
        else:
            wrong += compare_bytes(old["name"], before.contents(old),
                                   after.contents(new), moves.distances)
    entry = (after.entry - before.entry) % (1 << 64)
    if entry and entry not in moves.distances[8]:
        wrong.append("the entry point is another one")
    return wrong

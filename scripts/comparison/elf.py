# SPDX-License-Identifier: MIT
"""Little-endian ELF64 images, as far as comparing them takes.

In:    the bytes of a file.
Out:   Elf: its header, its sections with their names, its symbols.
Holds: what is broken raises ValueError or struct.error, and is no end.
"""

import struct
import zlib

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SEGMENT = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
FIELDS = ("name", "type", "flags", "address", "offset", "size", "link", "info",
          "alignment", "entry_size")
ET_REL = 1
SHT_PROGBITS, SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 1, 2, 8, 11
SHF_ALLOC, SHF_COMPRESSED, SHF_EXCLUDE = 2, 0x800, 0x80000000
PT_NOTE = 4
STT_SECTION, SHN_LORESERVE = 3, 0xff00


def is_elf64(data):
    return data[:6] == b"\x7fELF\x02\x01" and len(data) >= HEADER.size


class Elf:
    """One image, its sections with their names."""

    def __init__(self, data):
        self.data = data
        (_, self.type, self.machine, _, self.entry, self.phoff, self.shoff,
         self.flags, _, _, self.phnum, shentsize, count,
         names) = HEADER.unpack_from(data)
        rows = [SECTION.unpack_from(data, self.shoff + i * shentsize)
                for i in range(count)]
        if count == 0 and self.shoff:
            raise ValueError("more than 65279 sections")
        self.sections = []
        for row in rows:
            section = dict(zip(FIELDS, row))
            section["name"] = self._string(rows[names][4] + section["name"])
            self.sections.append(section)
        self.names = names

    def _string(self, start):
        return self.data[start:self.data.index(b"\0", start)].decode(
            errors="surrogateescape")

    def find(self, name):
        return [s for s in self.sections if s["name"] == name]

    def contents(self, section):
        """The bytes of SECTION, decompressed."""
        if section["type"] == SHT_NOBITS:
            return b""
        start = section["offset"]
        data = self.data[start:start + section["size"]]
        if section["flags"] & SHF_COMPRESSED:
            kind, _, size = struct.unpack_from("<IIQ", data)
            if kind != 1:
                raise ValueError(f"{section['name']}: compression {kind}")
            data = zlib.decompressobj().decompress(data[24:], size)
        return data

    def symbols(self, table):
        """Out: (name, info, other, section, value, size) of each symbol."""
        strings = self.sections[table["link"]]["offset"]
        for at in range(0, table["size"], SYMBOL.size):
            name, info, other, section, value, size = SYMBOL.unpack_from(
                self.data, table["offset"] + at)
            yield (self._string(strings + name), info, other, section, value,
                   size)

    def segments(self):
        """Out: (type, flags, alignment) of each segment."""
        for index in range(self.phnum):
            row = SEGMENT.unpack_from(self.data,
                                      self.phoff + index * SEGMENT.size)
            yield row[0], row[1], row[7]

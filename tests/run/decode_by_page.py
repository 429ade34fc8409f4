#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second reader of table files, which knows nothing but the pages.

usage: decode_by_page.py DOCS TABLE

Takes the fields of every chunk from the tables in DOCS/summary-format.md and
DOCS/classification-format.md, and the frame as DOCS/table-format.md tells it,
and writes TABLE as the text that `allocs assemble` reads.  If that gives the
same bytes, the pages say all that one has to know.
"""
import re
import struct
import sys

NONE = 0xFFFFFFFF
PAGES = {b"summ": ("summary", 2, ["summary-format.md"]),
         b"clas": ("classification", 2,
                   ["summary-format.md", "classification-format.md"]),
         b"symb": ("symbols", 1, ["symbols-format.md"])}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_pages(names):
    """Chunks by number, later pages first: name, row size, fields, words."""
    chunks = {}
    for name in names:
        with open(name, encoding="utf-8") as page:
            sections = re.split(r"(?m)^##+ (?=\w+, chunk )", page.read())[1:]
        for section in sections:
            head = re.match(r"(\w+), chunk (\d+), count \* (\d+) bytes", section)
            tables = [[cells(line) for line in block.strip().split("\n")]
                      for block in re.findall(r"(?m)(?:^\|.*\n)+", section)]
            by_head = {}
            for table in tables:
                by_head.setdefault(table[0][0], []).append(table[2:])
            chunks[int(head[2])] = (head[1].lower(), int(head[3]),
                                    by_head["offset"][0], by_head)
    return chunks


def words_of(chunks, chunk, field, kind):
    """The words of an enumeration or of flags: the tables below a chunk's
    fields are in the order of these; else a field of that name has them."""
    for _, _, fields, by_head in [chunk] + list(chunks.values()):
        tables = by_head.get("value" if kind == "enum" else "bit", [])
        same = [f[2] for f in fields if f[3] == kind]
        if field in same and same.index(field) < len(tables):
            return [row[1] for row in tables[same.index(field)]]
    raise KeyError(field)


class Table:
    def __init__(self, data, docs):
        assert data[:8] == b"\x89cca\r\n\x1a\n"
        schema, major, minor, size, count, required, _ = struct.unpack_from(
            "<4sHHIIII", data, 8)
        self.name, self.version, pages = PAGES[schema]
        assert (major, minor, required, size) == (self.version, 0, 0, len(data))
        self.data = data
        self.pages = read_pages([f"{docs}/{page}" for page in pages])
        self.chunks = [struct.unpack_from("<IIII", data, 32 + 16 * i)
                       for i in range(count)]
        _, _, length, at = self.chunks.pop()
        self.strings = data[at:at + length]

    def number(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def wide(self, at):
        return struct.unpack_from("<q", self.data, at)[0]

    def string(self, at):
        start = self.number(at)
        text = self.strings[start:self.strings.index(b"\0", start)]
        return '"%s"' % "".join("\\x%02x" % byte for byte in text)

    def field(self, chunk, name, kind, at):
        """The text of a field, None if it may not be written."""
        value = self.number(at)
        if kind == "string":
            return self.string(at)
        if kind == "u32":
            return str(value)
        if kind == "i32":
            return str(struct.unpack_from("<i", self.data, at)[0])
        if kind in ("i64", "hex"):
            return str(self.wide(at))
        if kind == "enum":
            return words_of(self.pages, chunk, name, kind)[value]
        if kind == "flags":
            words = words_of(self.pages, chunk, name, kind) if value else []
            return ",".join(word for bit, word in enumerate(words)
                            if value >> bit & 1) or None
        if kind.startswith("row of "):
            return None if value == NONE else f"@{value}"
        assert kind.startswith("range of "), kind
        return f"@{value}+{self.number(at + 4)}"

    def node(self, chunk, at):
        """`add @1 @2`, by the table of ops."""
        op, a, b = (self.number(at + 4 * i) for i in range(3))
        _, word, a_kind, b_kind, _ = chunk[3]["op"][0][op]
        if word == "constant":
            return f"{word} {self.wide(at + 4)}"
        if a_kind.startswith("first of"):
            return f"{word} @{a}+{b}"
        words = [word]
        for kind, value in (a_kind, a), (b_kind, b):
            if kind == "reason":
                words.append(chunk[3]["value"][0][value][1])
            elif kind == "node" or kind.startswith("row of"):
                words.append(f"@{value}")
            elif kind != "0":
                words.append(str(value))
        return " ".join(words)

    def rows(self):
        for number, size, count, at in self.chunks:
            chunk = self.pages[number]
            name, row_size, fields, _ = chunk
            assert size == row_size
            for row in range(count):
                words = [name, f"@{row}"]
                if name == "node":
                    words.append(self.node(chunk, at))
                else:
                    for offset, _, field, kind, _ in fields:
                        text = self.field(chunk, field, kind, at + int(offset))
                        if text is not None:
                            words.append(f"{field}={text}")
                yield " ".join(words)
                at += size


def main():
    _, docs, path = sys.argv
    with open(path, "rb") as file:
        table = Table(file.read(), docs)
    print(f"{table.name} {table.version}.0")
    for row in table.rows():
        print(row)


main()

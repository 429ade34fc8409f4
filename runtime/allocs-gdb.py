# SPDX-License-Identifier: MIT
"""allocs-gdb.py: the typed heap in gdb, of a process or a core file.

    (gdb) source /usr/local/share/cc-allocs/allocs-gdb.py
    (gdb) allocs describe ADDRESS     what is there?
    (gdb) allocs histogram            what is live, by type
    (gdb) allocs objects TYPE         where the objects of a type are

The program runs, or ran, under `allocs run`, or is linked with the runtime.
Its tables are read where cca_debugger says that they are (docs/runtime.md, "For
debuggers"); nothing is called in the program, so that it may be stopped
anywhere.  What is read may be damaged: it is bounded, and never believed.
Functions and lines of addresses are gdb's own: it has read the symbols already.
"""

import re
import struct

import gdb

ADDRESSES = ("leaves", "module_rows", "module_numbers", "labels", "label_numbers",
             "counters", "reasons", "is_glibc")
NUMBERS = ("leaf_count", "leaf_shift", "chunk_shift", "granule_shift",
           "leaf_over", "leaf_whole", "leaf_small", "small_shift", "small_half",
           "small_label", "module_size", "module_bias", "module_low",
           "module_high", "module_path", "module_classified", "module_image",
           "module_image_size", "module_first_label", "label_size",
           "label_inside", "label_reason", "label_module", "label_at",
           "counter_size", "shards", "reason_inside", "no_module")
SHAPES = ("unknown", "one", "array", "flexible", "header", "several")
TYPED, BYTES, PASS_THROUGH, OPEN = 0, 1, 2, 4
NONE = 0xffffffff
TRAILER = 8
MOST_MODULES, MOST_LABELS, MOST_TEXT = 1 << 12, 1 << 20, 4096


class Damaged(Exception):
    """What was read cannot be."""


# ---- Memory ----

class Memory:
    """The program's memory, in pieces that are read once."""

    PIECE = 1 << 16

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        self.pieces = {}

    def piece(self, number):
        if number not in self.pieces:
            if len(self.pieces) > 256:
                self.pieces.clear()
            self.pieces[number] = self.direct(number * self.PIECE, self.PIECE)
        return self.pieces[number]

    def direct(self, address, size):
        """Out: the bytes; None: they are not all there."""
        try:
            return bytes(self.inferior.read_memory(address, size))
        except (gdb.MemoryError, OverflowError, ValueError):
            return None

    def read(self, address, size):
        number, at = divmod(address, self.PIECE)
        piece = self.piece(number) if at + size <= self.PIECE else None
        found = piece[at:at + size] if piece else self.direct(address, size)
        if found is None:
            raise Damaged(f"there is no memory at {address:#x}")
        return found

    def number(self, address, size):
        return int.from_bytes(self.read(address, size), "little")

    def word(self, address):
        return self.number(address, 8)

    def text(self, address):
        found = b""
        while b"\0" not in found and len(found) < MOST_TEXT:
            found += self.read(address + len(found), 16)
        return clean(found.split(b"\0")[0])


def clean(raw):
    """Text that changes nothing but itself on a terminal."""
    text = raw.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "?" for c in text)


def base_name(path):
    return path.rsplit("/", 1)[-1]


# ---- A classification: docs/classification-format.md ----

class Classification:
    FILE, TYPE, COUNT, SITE, STRINGS = 1, 2, 8, 9, 0xffff

    def __init__(self, image):
        self.image, self.chunks = image, {}
        if image[:8] != b"\x89cca\r\n\x1a\n":
            raise Damaged("a classification is none")
        for i in range(min(self.at(20, "I"), 64)):
            chunk, size, count, offset = (self.at(32 + 16 * i + 4 * j, "I")
                                          for j in range(4))
            self.chunks[chunk & 0xffff] = offset, size, count

    def at(self, offset, kind):
        try:
            return struct.unpack_from("<" + kind, self.image, offset)[0]
        except struct.error:
            raise Damaged("a classification is cut off") from None

    def row(self, chunk, number):
        offset, size, count = self.chunks.get(chunk, (0, 0, 0))
        if number >= count:
            raise Damaged("a classification has no such row")
        return offset + number * size

    def string(self, offset):
        start, _, count = self.chunks.get(self.STRINGS, (0, 0, 0))
        if offset >= count:
            raise Damaged("a classification has no such string")
        end = self.image.find(b"\0", start + offset)
        return clean(self.image[start + offset:end])

    def type(self, number):
        row = self.row(self.TYPE, number)
        return self.string(self.at(row, "I")), max(0, self.at(row + 8, "q"))

    def site(self, number):
        row = self.row(self.SITE, number)
        site = Site()
        file = self.at(row + 4, "I")
        site.file = file != NONE and self.string(self.at(self.row(self.FILE, file), "I"))
        site.line = self.at(row + 8, "I")
        site.function = self.string(self.at(row + 16, "I"))
        site.callee = self.string(self.at(row + 20, "I"))
        site.kind = self.at(row + 24, "I")
        if site.kind == OPEN:  # it has a label only where it is a site
            site.kind = TYPED
        site.shape = SHAPES[min(self.at(row + 40, "I"), 5)]
        site.header = max(0, self.at(row + 44, "q"))
        of = self.at(row + 28, "I")
        if site.kind == TYPED and of != NONE:
            site.types = [self.type(of)]
        if site.kind == TYPED and site.shape == "several":
            first, count = self.at(row + 32, "I"), self.at(row + 36, "I")
            site.types = [self.type(self.at(self.row(self.COUNT, first + i), "I"))
                          for i in range(min(count, 64))]
        reason = self.string(self.at(row + 60, "I"))
        if site.kind == PASS_THROUGH:
            reason = "the caller of a wrapper is not known"
        site.reason = reason or "the type of the call is not known"
        return site


def call_at(pc):
    """What gdb knows of the call that ends behind PC: "file:line, function,
    inlined into function", or less, or nothing."""
    names, at = [], gdb.find_pc_line(pc)
    block = gdb.block_for_pc(pc)
    while block:
        if block.function:
            names.append(block.function.print_name)
        block = block.superblock
    if not names:  # a symbol of ELF
        found = re.match(r"(.*?)( \+ \d+)? in section ",
                         gdb.execute(f"info symbol {pc:#x}", to_string=True))
        names = [found[1]] if found else []
    where = [f"{at.symtab.filename}:{at.line}"] if at.symtab and at.line else []
    return ", ".join(where + names[:1] + [f"inlined into {name}" for name in names[1:]])


class Site:
    """What a label stands for: a call, or an address and a reason."""

    kind, types, shape, header, reason = None, [], "unknown", 0, ""
    file, line, function, callee, address, module = None, 0, "", "", 0, ""
    pc, inside = None, ""

    def name(self):
        """As `allocs run` writes it."""
        if self.kind == BYTES:
            return "bytes"
        if not self.types:
            return "untyped: " + self.reason
        name = " | ".join(name for name, _ in self.types)
        return {"array": f"{name}[]", "flexible": f"{name} + tail",
                "header": f"{self.header} bytes + {name}[]"}.get(self.shape, name)

    def place(self):
        if self.function:
            where = f"{self.file}:{self.line}, " if self.file else ""
            return f"{where}{self.function} -> {self.callee}"
        if not self.module:
            return "unknown code"
        call = call_at(self.pc) if self.pc else ""
        inside = f" -> {base_name(self.inside)}" if self.inside else ""
        return (call or f"{base_name(self.module)}+{self.address:#x}") + inside

    def count(self, size):
        """Elements in SIZE bytes; 0: unknown."""
        each = self.types[0][1] if len(self.types) == 1 else 0
        if self.shape == "one":
            return 1
        before = self.header if self.shape == "header" else 0
        if each and self.shape in ("array", "header") and size >= before:
            return (size - before) // each
        return 0


# ---- The runtime's tables ----

class Heap:
    def __init__(self):
        self.memory = Memory()
        self.sites, self.modules = {}, {}
        try:
            start = int(gdb.parse_and_eval("(unsigned long)&cca_debugger"))
        except gdb.error:
            raise gdb.GdbError("The runtime is not in this program: start it with "
                               "`allocs run', or link it with the runtime.") from None
        head = self.memory.read(start, 16)
        if head[:12] != b"ccaheap\0\2\0\0\0":
            raise gdb.GdbError("The runtime is of another version than these commands.")
        at = start + 16
        for name in ADDRESSES:
            setattr(self, name, self.memory.word(at))
            at += 8
        for name in NUMBERS:
            setattr(self, name, self.memory.number(at, 4))
            at += 4
        if not self.memory.number(self.is_glibc, 1):
            raise gdb.GdbError("The program has another malloc than glibc's, whose "
                               "blocks do not say how long they are.")
        self.labels = self.memory.word(self.labels)
        self.label_count = min(self.memory.number(self.label_numbers, 4), MOST_LABELS)

    def module(self, number):
        """Out: path, classification or None, bias."""
        if number in self.modules:
            return self.modules[number]
        if number >= min(self.memory.number(self.module_numbers, 4), MOST_MODULES):
            raise Damaged("there is no such module")
        row, memory, table = self.module_rows + number * self.module_size, self.memory, None
        if memory.number(row + self.module_classified, 4) == 1:
            size = memory.word(row + self.module_image_size)
            image = memory.direct(memory.word(row + self.module_image),
                                  min(size, 1 << 30))
            table = Classification(image) if image else None
        self.modules[number] = (memory.text(memory.word(row + self.module_path)), table,
                                memory.word(row + self.module_bias))
        return self.modules[number]

    def site(self, label):
        if label not in self.sites:
            try:
                self.sites[label] = self.read_site(label)
            except Damaged as why:
                site = Site()
                site.reason = str(why)
                self.sites[label] = site
        return self.sites[label]

    def read_site(self, label):
        if label >= self.label_count:
            raise Damaged("the stack or the heap is damaged")
        memory, row = self.memory, self.labels + label * self.label_size
        reason = memory.number(row + self.label_reason, 1)
        module = memory.number(row + self.label_module, 2)
        at = memory.word(row + self.label_at)
        path, table, bias = ("", None, 0) if module == self.no_module else self.module(module)
        if not reason and path:
            if not table:
                raise Damaged("its module's classification is not in memory")
            site = table.site(at)
        else:
            site = Site()
            site.address = at
            pc = bias + at - 1  # a call is before the address that it returns to
            # What lies there now need not be the module that lay there.
            if path and gdb.solib_name(pc) == (path if module else None):
                site.pc = pc
            site.reason = memory.text(memory.word(self.reasons + 8 * reason))
            if reason == self.reason_inside and path:
                site.inside = self.module(memory.number(row + self.label_inside, 4))[0]
                site.reason = f"allocated inside {base_name(site.inside)}"
        site.module = path
        return site

    # ---- Objects ----

    def leaf(self, number):
        return self.memory.word(self.leaves + 8 * number)

    def find(self, address):
        """Out: where the last object begins that can reach ADDRESS, or 0."""
        number, memory = address >> self.leaf_shift, self.memory
        leaf = self.leaf(number) if number < self.leaf_count else 0
        if not leaf:
            return 0
        base = number << self.leaf_shift
        chunk = (address - base) >> self.chunk_shift
        words = 1 << (self.chunk_shift - self.granule_shift - 6)
        bits = int.from_bytes(memory.read(leaf + chunk * words * 8, words * 8), "little")
        first = base + (chunk << self.chunk_shift)
        granule = (address - first) >> self.granule_shift
        bits &= (2 << granule) - 1
        found = first + ((bits.bit_length() - 1) << self.granule_shift) if bits else 0
        for start, _ in reversed(self.small(leaf, first)):
            if start <= address:
                found = max(found, start)
                break
        return found or memory.word(leaf + self.leaf_over + 8 * chunk) or \
            memory.word(leaf + self.leaf_whole)

    def small(self, leaf, first):
        """Out: start and number of each small object in the chunk that begins at
        FIRST, by address."""
        size = 4 << (self.chunk_shift - self.small_shift)
        at = (first & ((1 << self.leaf_shift) - 1)) >> self.small_shift
        numbers = self.memory.direct(leaf + self.leaf_small + 4 * at, size) or b""
        if not any(numbers):
            return []
        return [(first + (i << self.small_shift) +
                 (1 << self.granule_shift if number & self.small_half else 0), number)
                for i, (number,) in enumerate(struct.iter_unpack("<I", numbers))
                if number]

    def size_and_label(self, number):
        """Out: size and label of a small object."""
        return (number & (self.small_half - 1)) - 1, number >> self.small_label

    def object(self, start):
        """Out: size, label, room of the object at START."""
        leaf = self.leaf(start >> self.leaf_shift)
        at = (start & ((1 << self.leaf_shift) - 1)) >> self.small_shift
        number = self.memory.number(leaf + self.leaf_small + 4 * at, 4)
        if number:
            size, label = self.size_and_label(number)
            return size, label, max(1, size)
        word = self.memory.word(start - 8)
        room = (word & ~7) - 8 - (word & 2) * 4 - TRAILER
        if room < 0:
            raise Damaged("the heap is damaged here")
        label, slack = struct.unpack("<II", self.memory.read(start + room, TRAILER))
        return (room - slack if slack <= room else room), label, room

    def describe(self, address):
        """Out: start, size, site; None: no object is there."""
        start = self.find(address)
        if not start:
            return None
        size, label, room = self.object(start)
        return (start, size, self.site(label)) if address - start < room else None

    def objects(self):
        """Out: start, size, label of each, by address."""
        chunk = 1 << self.chunk_shift
        words = 1 << (self.chunk_shift - self.granule_shift - 6)
        leaves = self.memory.direct(self.leaves, 8 * self.leaf_count) or b""
        for number, (leaf,) in enumerate(struct.iter_unpack("<Q", leaves)):
            if not leaf:
                continue
            base = number << self.leaf_shift
            starts = self.memory.direct(
                leaf, 8 * words << (self.leaf_shift - self.chunk_shift))
            for i in range(0, len(starts or b""), 8 * words):
                part = starts[i:i + 8 * words]
                first = base + i // (8 * words) * chunk
                found = [(start, *self.size_and_label(number))
                         for start, number in self.small(leaf, first)]
                for j, (bits,) in enumerate(struct.iter_unpack("<Q", part)):
                    while bits:
                        low = bits & -bits
                        bits ^= low
                        start = first + ((64 * j + low.bit_length() - 1)
                                         << self.granule_shift)
                        try:
                            size, label, _ = self.object(start)
                        except Damaged:
                            continue
                        found.append((start, size, label))
                yield from sorted(found)

    def live(self):
        """Out: label: (objects, bytes) that are not freed, by the counters."""
        found = {}
        size = self.counter_size * self.label_count
        for i in range(min(self.shards, 64)):
            shard = self.memory.word(self.counters + 8 * i)
            rows = self.memory.direct(shard, size) if shard else None
            for label, row in enumerate(struct.iter_unpack("<4Q", rows or b"")):
                if any(row):
                    objects, total = found.get(label, (0, 0))
                    found[label] = objects + row[0] - row[2], total + row[1] - row[3]
        return {label: tally for label, tally in found.items() if tally[0] > 0}


# ---- Commands ----

class Allocs(gdb.Command):
    """The typed heap of the program: what its objects are.

allocs describe ADDRESS -- what is there?
allocs histogram [NUMBER | all] -- what is live, by type
allocs objects TYPE [NUMBER | all] -- where the objects of a type are"""

    def __init__(self):
        super().__init__("allocs", gdb.COMMAND_DATA, prefix=True)


def answer(command):
    """What COMMAND raises is an error of gdb's."""
    def invoke(self, argument, from_tty):
        try:
            command(self, argument, from_tty)
        except Damaged as why:
            raise gdb.GdbError(f"The heap cannot be read: {why}.") from None
    return invoke


def how_many(words, usual):
    """Out: the number at the end of WORDS, which is taken from them."""
    if words and (words[-1] == "all" or words[-1].isdigit()):
        word = words.pop()
        return 1 << 60 if word == "all" else int(word)
    return usual


def plural(number, what):
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Describe(gdb.Command):
    """What is at an address: allocs describe ADDRESS

ADDRESS is any expression, and may point into an object.  Where the object
begins is then in $object."""

    def __init__(self):
        super().__init__("allocs describe", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @answer
    def invoke(self, argument, _):
        if not argument:
            raise gdb.GdbError("An address is wanted: allocs describe ADDRESS")
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
            value = value.address
        address = int(value.cast(gdb.lookup_type("unsigned long")))
        found = Heap().describe(address)
        if not found:
            gdb.write(f"{address:#x} is in no object of the heap\n")
            return
        start, size, site = found
        offset = f"+{address - start} of " if address != start else ""
        count = site.count(size)
        count = f", {plural(count, 'element')}" if count and site.shape != "one" else ""
        gdb.write(f"{address:#x}: {offset}{site.name()}\n"
                  f"  object at {start:#x}, {plural(size, 'byte')}{count}\n"
                  f"  allocated at {site.place()}\n")
        gdb.set_convenience_variable(
            "object", gdb.Value(start).cast(gdb.lookup_type("void").pointer()))


class Histogram(gdb.Command):
    """What is live, by type: allocs histogram [NUMBER | all]

The types with the most bytes first, NUMBER of them (40)."""

    def __init__(self):
        super().__init__("allocs histogram", gdb.COMMAND_DATA)

    @answer
    def invoke(self, argument, _):
        heap, rows = Heap(), {}
        most = how_many(argument.split(), 40)
        for label, (objects, total) in heap.live().items():
            name = heap.site(label).name()
            before = rows.get(name, (0, 0))
            rows[name] = before[0] + objects, before[1] + total
        order = sorted(rows.items(), key=lambda row: (-row[1][1], row[0]))
        gdb.write(f"{'objects':>12} {'bytes':>16}  type\n")
        for name, (objects, total) in order[:most]:
            gdb.write(f"{objects:>12,} {total:>16,}  {name}\n")
        if len(order) > most:
            gdb.write(f"{len(order) - most} more; allocs histogram all\n")


class Objects(gdb.Command):
    """Where the objects of a type are: allocs objects TYPE [NUMBER | all]

TYPE is written as in the histogram, or is the type of the elements.  NUMBER of
them are shown (20), by address; the first is then in $object."""

    def __init__(self):
        super().__init__("allocs objects", gdb.COMMAND_DATA)

    @answer
    def invoke(self, argument, _):
        words = argument.split()
        most, wanted = how_many(words, 20), " ".join(words)
        if not wanted:
            raise gdb.GdbError("A type is wanted: allocs objects TYPE [NUMBER | all]")
        heap, fits, count = Heap(), {}, 0
        for start, size, label in heap.objects():
            if label not in fits:
                site = heap.site(label)
                fits[label] = wanted == site.name() or \
                    wanted in (name for name, _ in site.types)
            if not fits[label]:
                continue
            count += 1
            if count == 1:
                gdb.set_convenience_variable(
                    "object", gdb.Value(start).cast(gdb.lookup_type("void").pointer()))
            if count <= most:
                site = heap.site(label)
                gdb.write(f"{start:#x}  {plural(size, 'byte')}  {site.name()}  "
                          f"{site.place()}\n")
        if not count:
            gdb.write(f"no object is of the type {clean(wanted.encode())}\n")
        elif count > most:
            gdb.write(f"{plural(count - most, 'object')} more; "
                      f"allocs objects {wanted} all\n")


Allocs()
Describe()
Histogram()
Objects()

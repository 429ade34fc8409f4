# SPDX-License-Identifier: MIT
"""cache-file.py FILE [OFFSET=BYTES...]: write a cache file with other bytes at
OFFSET (a number, or the last place of a word), and the checksum of docs/cache-format.md that they have; without any, say
whether it has the right one, and no rule of the page's layout is broken.  Written
by the page alone."""

import sys

K, MASK = 0x9e3779b97f4a7c15, (1 << 64) - 1


def turn(state, word):
    state = (state ^ word) * K & MASK
    return (state << 29 | state >> 35) & MASK


def checksum(data, seed=0):
    lanes = [seed + (i + 1) * K & MASK for i in range(4)]
    for i in range(0, len(data), 8):
        word = int.from_bytes(data[i:i + 8], "little")
        lanes[i // 8 % 4] = turn(lanes[i // 8 % 4], word)
    total = len(data)
    for lane in lanes:
        total = turn(total, lane)
    return total ^ total >> 32


def main():
    path, *changes = sys.argv[1:]
    data = bytearray(open(path, "rb").read())
    for change in changes:
        offset, value = change.split("=", 1)
        at = data.rfind(offset.encode()) if not offset.isdigit() else int(offset)
        data[at:at + len(value)] = value.encode("latin-1")
    right = checksum(bytes(data[:-8])).to_bytes(8, "little")
    if changes:
        data[-8:] = right
        open(path, "wb").write(data)
        return
    assert data[-8:] == right, "another checksum"
    assert data[-32:-24] == b"\x89ccaend\n" and data[-24:-20] == b"\1\0\0\0"
    assert int.from_bytes(data[-16:-8], "little") == len(data)
    assert len(data) % 4096 == 32 and data[8:12] == b"cach"


main()

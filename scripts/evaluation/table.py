# SPDX-License-Identifier: MIT
"""Tables for people."""


def print_table(heading, rows):
    """The first column to the left, all others to the right."""
    widths = [max(len(row[i]) for row in [heading, *rows])
              for i in range(len(heading))]
    for row in [heading, *rows]:
        cells = [row[0].ljust(widths[0])] + [
            cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())

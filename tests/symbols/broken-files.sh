#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A module that is cut off or changed somewhere is answered or refused, in time;
# a crash is neither.  Read by a server, it harms nothing but its own answer.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"

write_inlined
"$CCA_CC" -O1 -g inlined.c
cat >break.py <<'END'
import pathlib
import random
import subprocess
import sys

random.seed(20)
server = sys.argv[2:]
whole = pathlib.Path("a.out").read_bytes()
answered = refused = 0


def ask(data):
    global answered, refused
    pathlib.Path("broken").write_bytes(data)
    run = subprocess.run(["allocs", "symbolize", "--no-cache", *server, "-fie", "broken",
                          sys.argv[1]],
                         capture_output=True, timeout=60)
    if run.returncode == 0 and run.stdout and not run.stderr:
        answered += 1
    elif run.returncode == 2 and run.stderr and not run.stdout:
        refused += 1
    else:
        sys.exit(f"{run.returncode}: {run.stdout!r} {run.stderr!r}")


for at in range(0, len(whole), len(whole) // 100):
    ask(whole[:at])
for _ in range(200):
    data = bytearray(whole)
    for _ in range(random.choice([1, 4, 40])):
        # The headers, the debug information and the section table.
        data[random.choice([random.randrange(64 * 14),
                            random.randrange(0x3000, len(data))])] = \
            random.randrange(256)
    ask(bytes(data))
print("answered" if answered > 50 else answered,
      "refused" if refused > 10 else refused)
END
python3 break.py "$(address_of a.out outer)" >got
expect got <<<'answered refused'

export XDG_RUNTIME_DIR=$work
allocs symserver >path &
server=$!
until [ -s path ]; do sleep 0.01; done
python3 break.py "$(address_of a.out outer)" --server= --no-start >got
expect got <<<'answered refused'
allocs symbolize --no-cache --server= --no-start -fie a.out "$(address_of a.out outer)" >got
inlined_answer "$work" | expect got
[ "$(find /proc/$server/fd -lname '/memfd:*' | wc -l)" -gt 50 ] # it kept them all
kill $server
wait $server

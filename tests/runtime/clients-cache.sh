#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A client keeps data of its own in a cache: to be read, to be executed, to be
# written; it patches them when they are there again, and what it writes is not in
# the file. It may refuse a cache, and keep single sites out of one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
[ "$(uname -m)" = x86_64 ] || skip "the client has machine code of x86-64"

# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
keeps
keeper
sum() { cat cache/*.cache | md5sum; }

go
is absent written <<<keep
first=$(sum)
go
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
# What it wrote was its own: the file is what it was, and so is all of it.
[ "$(sum)" = "$first" ]
go
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF

# It has something new: a new file, with what it is now.
go renew
is used written <<'EOF'
validate
patch
keep
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
[ "$(sum)" != "$first" ]
go
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 11 rw-p
EOF

# It would not have it: nothing of it is used, and it is written anew.
go veto
is vetoed written <<'EOF'
validate
keep
EOF
grep -qE '^vetoed	test.keeper	0	' records/*.cache

# Single sites: what was kept of one is not there in the next file, and is found
# out again.
# rows: how many calls with a site the file has.
rows() {
  python3 - cache/*.cache <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
chunks, = struct.unpack_from("<I", data, 20)
for i in range(chunks):
    ident, size, count, at = struct.unpack_from("<4I", data, 32 + 16 * i)
    if ident == 3:
        print(sum(struct.unpack_from("<I", data, at + size * k + 8)[0] != 2**32 - 1
                  for k in range(count)))
EOF
}
rm cache/*
go
[ "$(rows)" = 2 ]
rm cache/*
go without
[ "$(rows)" = 1 ]
go
is used written <<'EOF'
validate
patch
keep
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
[ "$(rows)" = 2 ]
# What the file has of a site that is not met stays, unless it is forbidden.
go renew argument
[ "$(rows)" = 2 ]
go 'without renew' argument
[ "$(rows)" = 1 ]

# It is asked whenever one is written: here by a signal, and at the end.
rm cache/*
CC_ALLOCS_CACHE_SIGNAL=10 go '' argument signal
is absent written <<'EOF'
keep
keep
EOF

# Another version, another build, another client, none: for its own reason each.
keeper '-DVERSION="2"'
go
is client-version written <<<keep
keeper '-DVERSION="2"' -g3 -O0
go
is client-rebuilt written <<<keep
go
[ "$(cat state)" = used ]

# Without a build id it is its bytes that count; where the loader writes into those,
# nothing says which build it is, and there is no cache for it.
keeper -Wl,--build-id=none
go
is client-version written <<<keep
go
[ "$(cat state)" = used ]
keeper -Wl,--build-id=none -g3 -O0
go
is client-rebuilt written <<<keep
keeper -Wl,--build-id=none -fno-pic -mcmodel=large -Wl,-z,notext 2>/dev/null
go
is unidentified - </dev/null
grep -q '^unidentified	test.keeper	0	' records/*.cache

# And none of this is there without it.
rm -f records/*
LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$work/records \
  CC_ALLOCS_CACHE=$work/cache ./main
[ "$(cut -f1 records/*.cache)" = absent ]

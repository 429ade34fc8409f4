#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A cache where nothing may be executed: a client has its other areas, and no code.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
[ "$(uname -m)" = x86_64 ] || skip "the client has machine code of x86-64"
keeps
keeper
mount -t tmpfs -o noexec,mode=700 none cache 2>/dev/null || skip "nothing can be mounted"
trap 'umount cache || :; clean_up' EXIT

go
is absent written <<<keep
go
is used - <<'EOF'
validate
patch
Jello r--p, counts 1 rw-p
EOF

# The twin: where it may be.
mount -o remount,exec cache
go
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF

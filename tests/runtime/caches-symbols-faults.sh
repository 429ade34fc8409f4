#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs run` is killed before each call that touches a file, and in turn each of them
# fails: it names no function wrongly, the table of symbols that it leaves is the whole
# one, the one that was there or none, and the next run has the right names.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$source_dir/tests/run/fault.bash"
# shellcheck source=tests/symbols/symbols.bash
. "$source_dir/tests/symbols/symbols.bash"
# shellcheck source=tests/symbols/kept.bash
. "$source_dir/tests/symbols/kept.bash"
gcc -shared -fPIC -O1 -DCALLS_ALONE "$source_dir/tests/run/fault.c" -o fault.so

build_middle
mkdir -m 700 good
# shown FILE: how the 77 bytes are named in it, if they are.
shown() { sed -nE 's/^ +1 +77 +1 +77 +(main[^ ]*)  /\1 /p' "$1"; }
allocs run --sites --cache good ./main 2>said
[ "$(shown said)" = 'main.c:3 middle' ]
make_folders "$(allocs cache list --dir "$work/good" "$work/main" |
  awk '$6 == "symbols" { print $1 }')"
find good -type f ! -name "$name" -delete # the runtime's own has a sweep of its own

# from BEFORE: the command, with a folder of that content.
from() { echo "cp -r $work/$1 caches; exec allocs run --sites --cache caches $work/main"; }
# sound STATUS...: it ended so, or rightly.
sound() {
  ended "$@" || return
  case $(shown said) in '' | 'main.c:3 middle' | main+0x*) ;; *) return 1 ;; esac
  [ -e hit ] || [ "$(shown said)" = 'main.c:3 middle' ] || return
  is_kept_or_not || return
  allocs run --sites --cache here/caches ./main 2>said
  [ "$(shown said)" = 'main.c:3 middle' ] && rm -rf tmp/*
}
killed() { sound 137; }
failed() { sound 0 125; }

sweep allocs kill killed bash -c "$(from nothing)"
[ "$swept" -ge 20 ]
met none part new
sweep allocs fail failed bash -c "$(from nothing)"
[ "$swept" -ge 20 ]
met none new
sweep allocs kill killed bash -c "$(from another)"
met part new
sweep allocs fail failed bash -c "$(from another)"
met new
sweep allocs kill killed bash -c "$(from good)"

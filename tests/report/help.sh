#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --help and --version work everywhere, on standard output, and the help is no
# wider than a screen; every option that it names is taken.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs --version >version
grep -qxE 'allocs [0-9]+\.[0-9]+\.[0-9]+' version
not allocs >usage
allocs --help >help
cmp usage help
for command in report check run cache export dump assemble solve symbolize symserver; do
  grep -q "^  allocs $command " help
  allocs $command --help >$command.help
  head -n 1 $command.help | grep "^usage: allocs $command " >/dev/null
done
not grep -hE '^.{81}' ./*help

allocs assemble -o lua "$here/lua.txt"
options=$(grep -oE '^ +--[a-z]+' report.help | tr -d ' ')
[ "$(wc -w <<<"$options")" = 7 ]
for option in $options; do
  case $option in --type) option="--type=Table" ;; esac
  allocs report "$option" lua >out
  [ -s out ]
done

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man pages are well-formed, exist for every command, and name the options
# and environment that the help names.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

pages=$source_dir/docs/man
words() { { grep -oE -- '--[a-z]+|[A-Z]+_[A-Z]+|COLUMNS' || true; } | sort -u; }
for command in report check run cache export dump symbolize symserver; do
  allocs $command --help | words | sed '/^--help$/d' >help
  sed 's/\\-/-/g' "$pages/allocs-$command.1" | words >page
  comm -23 help page >unnamed
  expect unnamed </dev/null
done
allocs --help | sed -n 's/^  allocs \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" = 10 ]
while read -r command; do
  sed 's/\\-/-/g' "$pages/allocs.1" | grep "allocs $command" >/dev/null
done <commands

need groff
for page in "$pages"/*.1; do
  groff -man -Tutf8 -ww "$page" >text 2>warnings
  expect warnings </dev/null
done

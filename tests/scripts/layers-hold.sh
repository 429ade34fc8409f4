#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Folders use each other only as ARCHITECTURE.md allows, and only the analyser
# carries LLVM.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cd "$source_dir"
# uses FOLDER PATTERN: does a file in FOLDER include what PATTERN matches?
uses() { grep -rnE "^#include [<\"]($2)" "$1" --include='*.[ch]'; }

not uses base '(summaries|analysis|linker_plugin|tools)/|llvm|libelf|dwarf'
not uses summaries '(analysis|linker_plugin|tools)/|llvm|elfutils|dwarf'
not uses linker_plugin '(analysis|tools)/|llvm|elfutils|dwarf'
not uses analysis '(linker_plugin|tools)/'
uses analysis 'llvm-c/' >/dev/null # the twin: this one may, and does
[ "$(uses linker_plugin 'plugin-api' | cut -d: -f1)" = linker_plugin/plugin.c ]

for program in allocs cc-allocs ld.allocs; do
  readelf -dW "$build_dir/bin/$program" >"$work/needed"
  not grep 'NEEDED.*LLVM' "$work/needed"
done
readelf -dW "$build_dir/lib/cc-allocs/cca-analyze" >"$work/needed"
grep -q 'NEEDED.*LLVM' "$work/needed"

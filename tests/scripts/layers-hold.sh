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

not uses base '(summaries|symbols|analysis|linker_plugin|runtime|tools)/|llvm|libelf|dwarf'
not uses summaries '(symbols|analysis|linker_plugin|tools)/|llvm|elfutils|dwarf'
not uses linker_plugin '(analysis|tools)/|llvm|elfutils|dwarf'
not uses symbols '(analysis|linker_plugin|runtime|tools)/|llvm'
not uses analysis '(linker_plugin|runtime|tools)/'
not uses runtime '(base|analysis|linker_plugin|tools)/|llvm|elfutils|dwarf'
uses analysis 'llvm-c/' >/dev/null # the twin: this one may, and does
[ "$(uses linker_plugin 'plugin-api' | cut -d: -f1)" = linker_plugin/plugin.c ]

# A program's symbols tell, whether LLVM is linked statically or not.
for program in bin/allocs bin/cc-allocs bin/ld.allocs lib/cc-allocs/cca-analyze; do
  nm "$build_dir/$program" >"$work/symbols"
  case $program in
  *analyze) grep -qE ' LLVMContextCreate(@|$)' "$work/symbols" ;;
  *) not grep ' LLVM' "$work/symbols" ;;
  esac
done

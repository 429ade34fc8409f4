#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# All shell in the tree passes shellcheck.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need shellcheck

cd "$source_dir"
mapfile -t scripts < <(find scripts tests .ci -type f -exec \
  grep -lE '^#!.*bash$|^# shellcheck shell=bash$' {} +)
[ ${#scripts[@]} -gt 10 ]
shellcheck -x "${scripts[@]}"

# The twin: it is not silent about an unquoted variable.
echo 'rm $1' >"$work/bad.sh"
not shellcheck -s bash "$work/bad.sh" >/dev/null

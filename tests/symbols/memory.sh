#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# While a table is made, what of the debug information was read does not stay in
# memory: of variables, which tables do not have, next to nothing is needed.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# Units with many variables, few functions and few lines.
cat >unit.c <<'EOF'
#define ONE(n) int a##n, b##n, c##n, d##n;
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) \
  ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) \
  TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
#define THOUSAND(n) HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) \
  HUNDRED(n##4) HUNDRED(n##5) HUNDRED(n##6) HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)
void NAME(void) { THOUSAND(1) THOUSAND(2) THOUSAND(3) THOUSAND(4) THOUSAND(5) }
EOF
need objcopy
"$CCA_CC" -g -fPIC -c unit.c -DNAME=first -o first.o
objects=()
for i in {1..40}; do
  objcopy --redefine-sym first=f"$i" first.o "$i.o"
  objects+=("$i.o")
done
"$CCA_CC" -shared -o few.so 1.o
"$CCA_CC" -shared -o many.so "${objects[@]}"
grown=$((($(stat -c %s many.so) - $(stat -c %s few.so)) / 1024))
[ $grown -ge 5000 ]

# peak FILE SYMBOL: the KiB that symbolize needs; what it says is in `said`.
"$CCA_CC" -O1 "$source_dir/tests/peak.c" -o peak
peak() {
  local address
  address=$(nm "$1" | sed -n "s/ T $2\$//p")
  ./peak allocs symbolize --no-cache -fe "$1" "$address" 2>kib >said
  cat kib
}
few=$(peak few.so f1)
cp said wanted
many=$(peak many.so f40)
expect said <wanted
cp said wanted.many
grep -qx first said
echo "$grown KiB more of debug information: $((many - few)) KiB more of memory"
[ $((many - few)) -le $((grown / 3)) ]

# Sections that have to be decompressed are elsewhere in memory, and only there.
for kind in zlib zlib-gnu; do
  objcopy --compress-debug-sections=$kind many.so $kind.so
  peak $kind.so f40 >/dev/null
  expect said <wanted.many
done

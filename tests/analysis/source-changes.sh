#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A source that changes while it is compiled: what we have read need not be what
# the compiler has read, so there is no summary; one that does not has its own.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_LOG=$work/log

cat >changing <<END
#!/bin/sh
$CCA_CC "\$@" || exit
case \$CHANGE in
text) echo 'int y;' >>a.c ;;
file) cp a.c b.c; mv b.c a.c ;;
gone) rm a.c ;;
esac
END
chmod +x changing
export CC_ALLOCS_CC=$work/changing
for CHANGE in text file gone; do
  echo 'int main(void) { return sizeof(int) - 4; }' >a.c
  rm -f log a.o
  CHANGE=$CHANGE cc-allocs -c a.c
  not allocs dump a.o 2>/dev/null
  grep 'a.c: changed while it was compiled' log >/dev/null
done
echo 'int main(void) { return sizeof(int) - 4; }' >a.c
CHANGE='' cc-allocs -c a.c
allocs dump a.o | grep '^unit .* marks=1 ' >/dev/null

#!/usr/bin/env bash
# Without optimisation every call of the source has one place in the code, with
# or without debug information; a call that the compiler drops has none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
sites=$build_dir/tests/test-sites

cat >a.c <<'EOF_C'
void *alloc(unsigned long), *(*hook)(unsigned long);
void use(void *, void *);
static void *small(void) { return alloc(1); }
void f(void) {
  void *p = alloc(2); void *q = alloc(3);
  use(p, q);
  if (0)
    alloc(4);
  p = hook(5);
  use(p,
      alloc(6));
  use(small(), q);
}
EOF_C
cat >calls <<'EOF_CALLS'
small 3 35 alloc
f 5 13 alloc
f 5 33 alloc
f 6 3 use
f 8 5 alloc
f 9 7 *
f 11 7 alloc
f 10 3 use
f 12 7 small
f 12 3 use
EOF_CALLS
wanted='small:3 alloc .text
f:5 alloc .text
f:5 alloc .text
f:6 use .text
f:9 * .text
f:11 alloc .text
f:10 use .text
f:12 small .text
f:12 use .text'

join() { # join COMPILER FLAG...: the rows, functions in the source's order
  "$@" -c a.c -o a.o
  "$sites" a.o <calls
}

join "$CCA_CC" -O0 -g >gcc
sort gcc | diff <(sort <<<"$wanted") -
join "$CCA_CC" -O0 -g -gz >gcc-gz
diff gcc gcc-gz
join "$CCA_CC" -O0 -g -gdwarf-4 >gcc-4
diff gcc gcc-4
[ -z "${CCA_CLANG-}" ] || join "$CCA_CLANG" -O0 -g | sort |
  diff <(sort <<<"$wanted") -

# Two calls of one line are told apart by the order of columns.
"$CCA_CC" -O0 -g -c a.c -o a.o
[ "$("$sites" -c a.o <calls | grep f:5)" = 'f:5:13 alloc .text
f:5:33 alloc .text' ]

# Without lines order decides; a call that was dropped makes it doubtful, and so
# do two like calls in a row.
join "$CCA_CC" -O0 >no-lines
diff <(sed '/^f:.* \(alloc\|use\) /s/$/ ambiguous/' gcc | sed 's/:[0-9]*//') \
  <(sed 's/:[0-9]*//' no-lines)
grep -v '^f 8 ' calls >without-dropped
"$sites" a.o <without-dropped |
  diff <(sed 's/^f:5 .*/& ambiguous/' gcc) -

# The twin: calls of another callee, or of another function, do not join.
sed 's/ alloc$/ balloc/; s/^small/large/' calls >others
"$sites" a.o <others >got
not grep -q balloc got

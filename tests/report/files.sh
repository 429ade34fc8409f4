#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Objects, archives, shared objects and executables are all reported; objects
# and archives on one command line are solved together, linked modules are not.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile x.c -fPIC <<'END'
#include <stdlib.h>
struct node { struct node *next; int value; };
void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
struct node *push(struct node *list) {
  struct node *n = xmalloc(sizeof *n);
  n->next = list;
  return n;
}
END
compile m.c <<'END'
#include <stdlib.h>
void *xmalloc(size_t n);
double *grid(size_t n) { return xmalloc(n * sizeof(double)); }
int main(int argc, char **argv) { (void)argv; return !grid(argc); }
END
link prog m.o x.o
link x.so -shared x.o
ar rc lib.a x.o

functions() { allocs report --functions "$@" | sed '1,/^ALLOCATION/d'; }
cat >together <<'END'
  function  kind    size  defined at  sites  called with
  xmalloc   malloc  p0    x.c:3           2  double, struct node
    proved: calls malloc (x.c:3)

FACTORIES (2)   the type is fixed inside
  function  defined at  sites  makes        size
  grid      m.c:3           1  double       sizeof(double) * p0
  push      x.c:4           0  struct node  sizeof(struct node)
END
cat >alone <<'END'
  function  kind    size  defined at  sites  called with
  xmalloc   malloc  p0    x.c:3           1  struct node
    proved: calls malloc (x.c:3)

FACTORIES (1)   the type is fixed inside
  function  defined at  sites  makes        size
  push      x.c:4           0  struct node  sizeof(struct node)
END
functions prog | diff -u together - >&2
functions m.o x.o | diff -u together - >&2
functions m.o lib.a | diff -u together - >&2
functions x.o | diff -u alone - >&2
functions lib.a | diff -u alone - >&2
functions x.so | diff -u alone - >&2

# Each linked module is by itself; what is solved stands where its first file did.
allocs report prog x.o x.so m.o | grep -A 2 -E '^[a-z]' >names
expect names <<'END'
prog

  units      2
--
x.o and 1 more

  units      2
--
x.so

  units      1
END

allocs report --sites m.o x.o | sed -n '/^  m.c/,$p' >sites
expect sites <<'END'
  m.c
    3:33  grid     xmalloc  double[]      sizeof(double) * n
    4:55  main     grid     double[]      sizeof(double) * argc
  x.c
    3:37  xmalloc  malloc   pass-through  n
    5:20  push     xmalloc  struct node   sizeof(struct node)
END

# A unit without a summary is named, and the rest is reported.
"$CCA_CC" -c m.c -o plain.o
ar rc mixed.a plain.o x.o
allocs report mixed.a | sed -n '/^UNITS/,$p' >missing
expect missing <<'END'
UNITS WITHOUT A SUMMARY (1)   what they allocate is not in this report
  mixed.a(plain.o)  object without a summary
END

# So is one whose file has no other, which is a complaint as well; a linked file
# is no part of what is solved, and alone there is nothing to be a part of.
cp plain.o bare.o
ar rc bare.a plain.o
"$CCA_CC" m.o x.o -o bare
status=0
allocs report x.o bare.o bare.a bare >text 2>said || status=$?
[ $status = 1 ]
sed -n '/^UNITS/,$p' text >missing
expect missing <<'END'
UNITS WITHOUT A SUMMARY (2)   what they allocate is not in this report
  bare.a(plain.o)  object without a summary
  bare.o           object without a summary
END
sed -n '1,/^$/p' text >names
expect names <<'END'
x.o

END
sed 's/;.*//' said >complaints
expect complaints <<'END'
allocs report: bare.o: object without a summary
allocs report: bare.a: nothing to report: bare.a(plain.o): object without a summary
allocs report: bare: module without a classification
END
allocs report --json bare.o x.o 2>/dev/null >json || [ $? = 1 ]
python3 -c '
import json
assert json.load(open("json"))["missing"] == [
    {"unit": "bare.o", "reason": "object without a summary"}]'
allocs report --json x.o m.o >json
python3 -c 'import json; assert json.load(open("json"))["missing"] == []'
not allocs report bare.o bare >text 2>/dev/null
[ ! -s text ]

# So is one that cannot be analysed.
compile nested.c <<'END'
int f(int a) { int g(int b) { return a + b; } return g(1); }
END
allocs report nested.o | sed -n '/^UNITS/,$p' >failed
expect failed <<'END'
UNITS WITHOUT A SUMMARY (1)   what they allocate is not in this report
  nested.c  nested.c:1: function definition is not allowed here
END

if python3 -c 'import jsonschema' 2>/dev/null; then
  for file in prog x.so m.o mixed.a; do
    allocs report --json "$file" >json
    python3 "$here/check-json.py" "$source_dir/docs/report.schema.json" json
  done
fi

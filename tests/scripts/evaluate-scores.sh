#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts/evaluate counts rows, arguments, kinds and precision as it says, and
# names what it holds against a report.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3

cat >truth.tsv <<'END'
project	function	kind	size_args	via	evidence	annotation	notes
toy	xmalloc	malloc	0	direct	toy-1/a.c:1	none	
toy	xalign	malloc	1	direct	toy-1/a.c:2	none	memalign-like
toy	xcalloc	calloc	0,1	direct	toy-1/a.c:3	none	
toy	ops.get	malloc	1	struct fnptr	toy-1/a.c:4	none	
toy	gone	malloc	0	direct	toy-1/a.c:5	none	
toy	xfree	free		direct	toy-1/a.c:6	none	
toy	NEW	malloc	0	macro	toy-1/a.h:7	none	
other	xrealloc	realloc	1	direct	other-1/a.c:1	none	
END
printf 'project\tfunction\tverdict\treason\n' >verdicts.tsv
printf 'toy\tgood\tyes\tread\ntoy\tbad\tno\tread\n' >>verdicts.tsv

cat >report.json <<'END'
{"allocation_functions": [
  {"name": "xmalloc", "unit": "a.c", "line": 1, "kind": "malloc",
   "size_args": [0], "size": "p0", "certainty": "proved"},
  {"name": "xalign", "unit": "a.c", "line": 2, "kind": "memalign",
   "size_args": [1], "size": "p1", "certainty": "proved"},
  {"name": "xcalloc", "unit": "a.c", "line": 3, "kind": "malloc",
   "size_args": [1], "size": "p1", "certainty": "proved"},
  {"name": "ops_s.get", "unit": "a.c", "line": 4, "kind": "malloc",
   "size_args": [1], "size": "p1", "certainty": "proved"},
  {"name": "good", "unit": "a.c", "line": 8, "kind": "dup",
   "size_args": [], "size": "?", "certainty": "proved"},
  {"name": "bad", "unit": "a.c", "line": 9, "kind": "pool",
   "size_args": [1], "size": "p1", "certainty": "carved"},
  {"name": "unread", "unit": "a.c", "line": 10, "kind": "pool",
   "size_args": [1], "size": "p1", "certainty": "carved"},
  {"name": "new_foo", "unit": "a.c", "line": 11, "kind": "factory",
   "size_args": [], "size": "24", "certainty": "proved"}],
 "deallocation_functions": [
  {"name": "xfree", "unit": "a.c", "line": 6, "kind": "free"}],
 "allocation_sites": [
  {"unit": "a.c", "line": 20, "column": 1, "callee": "xmalloc",
   "class": "typed", "shape": "one", "type": "struct foo",
   "used_as": "struct foo"},
  {"unit": "a.c", "line": 21, "column": 1, "callee": "xmalloc",
   "class": "typed", "shape": "one", "type": "struct foo",
   "used_as": "struct bar"},
  {"unit": "a.c", "line": 22, "column": 1, "callee": "xmalloc",
   "class": "bytes", "shape": "unknown", "type": null, "used_as": "char"}],
 "missing": [{"unit": "b.c", "reason": "no clang"}]}
END

"$source_dir/scripts/evaluate" --truth truth.tsv --verdicts verdicts.tsv \
  toy=report.json >scored
expect scored <<'END'
toy: recall 5/6 83.3%, argument recall 4/6 66.7%, kind agreement 4/5 80.0%, precision 5/7 71.4% (to 6/7 85.7%, when reviewed)
  sites: 1 bytes, 2 typed; used as the same type: 1/2 50.0%
  arguments    xcalloc: [1], should be [0, 1]; size p1
  kind         xcalloc: malloc, should be calloc
  missed       gone (malloc, toy-1/a.c:5)
  not compiled NEW, a macro
  wrong        bad is no allocation function
  unreviewed   unread (pool, size p1, a.c:10, carved)
  no summary   b.c: no clang
END

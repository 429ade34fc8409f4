#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts/evaluate counts rows, arguments, kinds, precision and sites as it says,
# and names what it holds against a report.
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
toy	gone_free	free		direct	toy-1/a.c:6	none	
toy	list_push	pool		direct	toy-1/a.c:12	none	
toy	NEW	malloc	0	macro	toy-1/a.h:7	none	
other	xrealloc	realloc	1	direct	other-1/a.c:1	none	
END
cat >verdicts.tsv <<'END'
project	function	role	verdict	reason
toy	good	allocates	yes	read
toy	bad	allocates	no	read
toy	unread	frees	yes	another role
toy	end	frees	no	read
other	unread	allocates	yes	another project
END

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
   "size_args": [], "size": "24", "certainty": "proved"},
  {"name": "list_push", "unit": "a.c", "line": 12, "kind": "cursor",
   "size_args": [], "size": "24", "certainty": "proved"}],
 "deallocation_functions": [
  {"name": "end", "unit": "a.c", "line": 16, "kind": "free"},
  {"name": "xfree", "unit": "a.c", "line": 6, "kind": "free"}],
 "allocation_sites": [
  {"unit": "a.c", "line": 20, "column": 1, "callee": "xmalloc",
   "class": "typed", "shape": "one", "type": "struct foo",
   "used_as": "struct foo",
   "used_as_agrees": true},
  {"unit": "a.c", "line": 21, "column": 1, "callee": "xmalloc",
   "class": "typed", "shape": "one", "type": "struct foo",
   "used_as": "struct bar",
   "used_as_agrees": false},
  {"unit": "a.c", "line": 22, "column": 1, "callee": "xmalloc",
   "class": "bytes", "shape": "unknown", "type": null, "used_as": "char"}],
 "missing": [{"unit": "b.c", "reason": "no clang"}]}
END

cat >twin.json <<'END'
{"allocation_functions": [
  {"name": "unread", "unit": "a.c", "line": 10, "kind": "factory", "sites": 3,
   "size_args": [], "size": "8", "certainty": "proved"},
  {"name": "only_here", "unit": "c.c", "line": 1, "kind": "lazy", "sites": 1,
   "size_args": [], "size": "8", "certainty": "proved"}],
 "allocation_sites": [
  {"unit": "a.c", "line": 20, "column": 1, "callee": "xmalloc",
   "class": "typed", "shape": "one", "type": "struct foo",
   "used_as": "struct foo"},
  {"unit": "c.c", "line": 22, "column": 1, "callee": "xmalloc",
   "class": "untyped", "shape": "unknown", "type": null, "used_as": null,
   "reason": "two sizes"}]}
END

# Two modules: each function and each site counts once.
"$source_dir/scripts/evaluate" --truth truth.tsv --verdicts verdicts.tsv \
  toy=report.json,twin.json >scored
expect scored <<'END'
     rows  recall  arguments   kind  precision  frees recall  precision  unread
toy     6   66.7%      50.0%  75.0%      71.4%         50.0%      50.0%       1

     sites  typed  bytes  pass-through  untyped  one type  three  used as
toy      4      2      1             0        1     66.7%  66.7%    50.0%

toy
  arguments    xcalloc: [1], should be [0, 1]; size p1, toy-1/a.c:3
  kind         xcalloc: malloc, should be calloc; toy-1/a.c:3
  missed       gone (malloc, toy-1/a.c:5)
  missed       gone_free (free, toy-1/a.c:6)
  missed       list_push (pool, toy-1/a.c:12), called cursor
  not compiled NEW, a macro
  wrong        bad (pool, size p1, a.c:9, carved)
  unreviewed   unread (factory, size 8, a.c:10, proved)
  wrong        end (free, size None, a.c:16, None)
  used as      a.c:21: xmalloc, struct foo, used as struct bar
  untyped      c.c:22: xmalloc, two sizes
  no summary   b.c: no clang
END
"$source_dir/scripts/evaluate" --truth truth.tsv --verdicts verdicts.tsv --json \
  toy=report.json,twin.json >scored.json
python3 - <<'END'
import json
toy, total = json.load(open("scored.json"))
assert toy["project"] == "toy" and total["project"] == "total"
assert toy["counts"]["rows"] == 6 and toy["counts"]["rows_found"] == 4
assert toy["counts"] == total["counts"]
assert ["wrong", "bad (pool, size p1, a.c:9, carved)"] in toy["notes"]
END
